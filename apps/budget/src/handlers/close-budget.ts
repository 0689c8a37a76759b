import { Controller } from '@nestjs/common';
import { close } from '@waymark/contracts/budget';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { decideClose } from '../core/decide-close.js';
import { Commands } from './commands.js';

@Controller()
export class CloseBudget {
  constructor(private readonly commands: Commands) {}

  @Handle(close)
  async handle(request: ParsedRequestOf<typeof close>): Promise<ReplyOf<typeof close>> {
    return await this.commands.carryOut(request.run, ({ ledger }, now) => decideClose(ledger, request, now));
  }
}
