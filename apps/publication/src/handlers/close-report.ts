import { Controller } from '@nestjs/common';
import { close } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { decideClose } from '../core/decide-close.js';
import { Commands } from './commands.js';

@Controller()
export class CloseReport {
  constructor(private readonly commands: Commands) {}

  @Handle(close)
  async handle(request: ParsedRequestOf<typeof close>): Promise<ReplyOf<typeof close>> {
    return await this.commands.carryOut(
      request.run,
      () => Promise.resolve(null),
      (state) => decideClose(state, request),
    );
  }
}
