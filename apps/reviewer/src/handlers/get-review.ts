import { Controller } from '@nestjs/common';
import { getReview } from '@waymark/contracts/reviewer';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle, WireError } from '@waymark/messaging';
import { decodeFact } from '@waymark/record';
import { ReviewRows } from '../adapters/postgres/review-rows.js';
import type { VerdictGiven } from '../core/facts.js';
import { viewState } from '../core/view-state.js';

@Controller()
export class GetReview {
  constructor(private readonly rows: ReviewRows) {}

  @Handle(getReview)
  async handle({ run, review }: ParsedRequestOf<typeof getReview>): Promise<ReplyOf<typeof getReview>> {
    const found = await this.rows.summary(run, review);
    if (!found) throw unknownReview(run, review);
    const { epoch, verdictBody } = found;
    const verdict = verdictBody ? decodeFact<VerdictGiven>(verdictBody).verdict : null;
    return { review, run, state: viewState(verdict), epoch, verdict };
  }
}

const unknownReview = (run: string, review: string): WireError =>
  new WireError({
    code: 'unknown_review',
    message: `run ${run} has no review "${review}"`,
    remedy: 'use an id from the run’s ReviewDispatched facts; an order that waits on the stream is not known yet',
    field: 'review',
  });
