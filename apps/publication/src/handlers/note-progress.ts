import { Controller } from '@nestjs/common';
import { noteProgress } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { findKeyed } from '../adapters/postgres/find-seen.js';
import { decideNote } from '../core/decide-note.js';
import { Commands } from './commands.js';

@Controller()
export class NoteProgress {
  constructor(private readonly commands: Commands) {}

  @Handle(noteProgress)
  async handle(request: ParsedRequestOf<typeof noteProgress>): Promise<ReplyOf<typeof noteProgress>> {
    return await this.commands.carryOut(
      request.run,
      (tx) => findKeyed(tx, request.run, 'note', request.key),
      (state, seen) => decideNote(state, request, seen),
    );
  }
}
