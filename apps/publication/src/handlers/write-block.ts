import { Controller } from '@nestjs/common';
import { writeBlock } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle, WireError } from '@waymark/messaging';
import { findKeyed } from '../adapters/postgres/find-seen.js';
import { decideWrite } from '../core/decide-write.js';
import { refuseLargeBlock } from '../core/refusals.js';
import { utf8Bytes } from '../core/utf8-bytes.js';
import { Commands } from './commands.js';

@Controller()
export class WriteBlock {
  constructor(private readonly commands: Commands) {}

  @Handle(writeBlock)
  async handle(request: ParsedRequestOf<typeof writeBlock>): Promise<ReplyOf<typeof writeBlock>> {
    const tooLarge = refuseLargeBlock(utf8Bytes(request.text));
    if (tooLarge) throw new WireError(tooLarge);
    return await this.commands.carryOut(
      request.run,
      (tx) => findKeyed(tx, request.run, 'write', request.key),
      (state, seen) => decideWrite(state, request, seen),
    );
  }
}
