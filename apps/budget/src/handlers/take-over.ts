import { Controller } from '@nestjs/common';
import { takeOver } from '@waymark/contracts/budget';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { decideTakeOver } from '../core/decide-take-over.js';
import { Commands } from './commands.js';

@Controller()
export class TakeOver {
  constructor(private readonly commands: Commands) {}

  @Handle(takeOver)
  async handle(request: ParsedRequestOf<typeof takeOver>): Promise<ReplyOf<typeof takeOver>> {
    return await this.commands.carryOut(request.run, ({ ledger }, now) => decideTakeOver(ledger, request, now));
  }
}
