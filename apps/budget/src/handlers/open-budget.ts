import { Controller } from '@nestjs/common';
import { open } from '@waymark/contracts/budget';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { decideOpen } from '../core/decide-open.js';
import { Commands } from './commands.js';

@Controller()
export class OpenBudget {
  constructor(private readonly commands: Commands) {}

  @Handle(open)
  async handle(request: ParsedRequestOf<typeof open>): Promise<ReplyOf<typeof open>> {
    return await this.commands.open(request.run, (ledger, now) => decideOpen(ledger, request, now));
  }
}
