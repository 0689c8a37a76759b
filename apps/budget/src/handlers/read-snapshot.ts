import { Controller } from '@nestjs/common';
import { snapshot } from '@waymark/contracts/budget';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { snapshotReply } from '../core/decide-snapshot.js';
import { Commands } from './commands.js';

@Controller()
export class ReadSnapshot {
  constructor(private readonly commands: Commands) {}

  @Handle(snapshot)
  async handle({ run }: ParsedRequestOf<typeof snapshot>): Promise<ReplyOf<typeof snapshot>> {
    return await this.commands.look(run, snapshotReply);
  }
}
