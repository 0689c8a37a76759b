import { Controller } from '@nestjs/common';
import { stopReviews } from '@waymark/contracts/reviewer';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { ReviewRows } from '../adapters/postgres/review-rows.js';
import { Replica } from '../review/replica.js';

/** Stop means stop: once answered, no intent of these reviews is recorded any more (L6). */
@Controller()
export class StopReviews {
  constructor(
    private readonly rows: ReviewRows,
    private readonly replica: Replica,
  ) {}

  @Handle(stopReviews)
  async handle({ run }: ParsedRequestOf<typeof stopReviews>): Promise<ReplyOf<typeof stopReviews>> {
    const ids = await this.rows.stop(run);
    this.replica.stopNow(ids);
    return { stopped: ids.length };
  }
}
