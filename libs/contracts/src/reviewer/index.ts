/** Reviewer: reviews, running and verdict. Does not know whether a review may start. */
import { z } from 'zod';
import { contract, count, epoch, language, listEventsOf, ms, plainText, runId } from '../wire/index.js';

export const reviewId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,80}$/)
  .describe('id of a review, from a `ReviewDispatched` event');

/**
 * The order on the work stream, published by the runtime in the commit that dispatches (V1). It carries the question
 * and the whole report's map (V3); block texts are fetched from publication when the review runs.
 */
export const reviewOrder = z.strictObject({
  review: reviewId,
  run: runId,
  question: z.string(),
  language,
  model: plainText(200),
  focus: z.string().max(1000).nullable(),
  policyVersion: epoch,
  /** Of the run's owner that dispatched. */
  epoch,
  deadlineMs: ms,
  deadlines: z.strictObject({ firstContentMs: ms, progressMs: ms, totalMs: ms }),
  hardLimitBytes: count,
});
export type ReviewOrder = z.infer<typeof reviewOrder>;

export const verdict = z
  .strictObject({
    review: reviewId,
    run: runId,
    outcome: z.enum(['ok', 'revise', 'failed']),
    points: z
      .array(
        z.strictObject({
          block: z.string().max(64).nullable(),
          issue: z.string().max(1000),
          suggestion: z.string().max(1000),
        }),
      )
      .max(20),
    code: z.string().nullable().describe('why it failed; null otherwise'),
    reportVersion: count.describe('version of the report that it saw'),
  })
  .meta({ id: 'Verdict', description: 'What a review found.' });
export type Verdict = z.infer<typeof verdict>;

export const getReview = contract(
  'waymark.reviewer.v1.get',
  z.strictObject({ run: runId, review: reviewId }),
  z.strictObject({
    review: reviewId,
    run: runId,
    state: z.enum(['running', 'done', 'stopped']),
    epoch: count,
    verdict: verdict.nullable(),
  }),
  {
    access: 'public',
    summary: 'How a review of a run stands, and its verdict: advice to the model, it changes no text by itself (V2).',
    codes: ['unknown_review'],
  },
);
export const stopReviews = contract(
  'waymark.reviewer.v1.stop',
  z.strictObject({ run: runId }),
  z.strictObject({ stopped: count }),
  { access: 'internal', summary: 'Stops every review of a run that is still going; what was sent is charged (L6).' },
);
export const listEvents = listEventsOf('reviewer');

export const reviewerContracts = { getReview, stopReviews, listEvents } as const;
