import { z } from 'zod';
import { settlementOutcome, usage } from '../budget/index.js';
import { reviewId, verdict } from '../reviewer/index.js';
import { count, ms } from '../wire/index.js';
import type { FactShapes } from './shape.js';

const request = z.int().min(1).describe('1, 2, 3 … within the review');

export const REVIEWER_FACTS = {
  ReviewStarted: { about: 'A review has begun.', data: z.object({ review: reviewId }) },
  ReviewRequested: {
    about: 'A model request of a review is about to leave.',
    data: z.object({
      review: reviewId,
      request,
      reservation: z.string(),
      model: z.string(),
      digest: z.string(),
      bytes: count,
      report: z
        .object({ version: count, blocks: count, textBytes: count, shownBytes: count })
        .describe('what of the report it shows'),
      deadlines: z.object({ firstContentMs: ms, progressMs: ms, totalMs: ms, leftMs: ms, bound: z.string() }),
    }),
  },
  ReviewAnswered: {
    about: 'How a model request of a review ended.',
    data: z.object({
      review: reviewId,
      request,
      outcome: settlementOutcome,
      content: z.boolean(),
      code: z.string().nullable(),
      status: z.int().nullable(),
      usage: usage.nullable(),
    }),
  },
  VerdictGiven: { about: 'The verdict of a review.', data: z.object({ review: reviewId, verdict }) },
  ReviewClosed: {
    about: 'Nothing is left to do for a review.',
    data: z.object({ review: reviewId, settled: z.boolean().describe('budget has heard how every request ended') }),
  },
} as const satisfies FactShapes;
