import { Controller } from '@nestjs/common';
import { statistics } from '@waymark/contracts/reminder';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { NoticeCounts } from '../adapters/postgres/notice-counts.js';

/** Counts as far as the facts have been read; a run that nobody was reminded in has none. */
@Controller()
export class ReadStatistics {
  constructor(private readonly counts: NoticeCounts) {}

  @Handle(statistics)
  async handle({ run }: ParsedRequestOf<typeof statistics>): Promise<ReplyOf<typeof statistics>> {
    return { rows: await this.counts.read(run) };
  }
}
