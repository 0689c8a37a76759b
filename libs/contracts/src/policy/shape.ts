/** The policy that a run is admitted with: every number is policy, validated, shown at start (B7). */
import { z } from 'zod';
import { bytes, count, ms } from '../wire/index.js';

/** The largest values that a start takes; more is refused with the field's name and this number. */
export const MOST = {
  /** Explore and finish requests, and the finish reserve; physical requests follow them: 2 × explore + reserve. */
  requests: 1_000_000,
  physicalRequests: 3_000_000,
  /** Active, wall and output time, and the user deadline: 14 days. A timer of this length still fits 32 bits. */
  limitMs: 14 * 24 * 3_600_000,
  /** One request, tool call, review, park or back-off: a day. */
  deadlineMs: 24 * 3_600_000,
  requestBytes: 100_000_000,
  noticeBytes: 1_000_000,
  revisions: 1_000_000,
} as const;

/** Limits stay apart, each in its own unit (B1). */
export const limits = z
  .strictObject({
    exploreRequests: count.describe('model requests that explore'),
    finishRequests: z.int().min(1).describe('model requests that write the ending'),
    finishReserve: z.int().min(1).describe('physical requests kept free for the ending'),
    physicalRequests: z.int().min(1).describe('every request of any purpose, retries included'),
    activeMs: ms.describe('model and tools at work, together'),
    wallMs: ms.describe('since admission'),
    outputMs: ms.describe('kept free before each time limit for the ending'),
    userDeadlineMs: ms.nullable().describe('set by the caller, since admission'),
  })
  .meta({ id: 'Limits', description: 'Limits of a run, each in its own unit.' });
export type Limits = z.infer<typeof limits>;

export const policy = z
  .strictObject({
    name: z.string(),
    tier: z.enum(['standard', 'deep']),
    version: z.int().min(1),
    limits,
    deadlines: z.strictObject({
      firstContentMs: ms,
      progressMs: ms,
      totalMs: ms,
      toolMs: ms,
      reviewMs: ms,
    }),
    context: z.strictObject({
      hardLimitBytes: bytes,
      softPercent: z.int().min(1).max(100),
      residencyBytes: bytes,
      lowWaterPercent: z.int().min(1).max(100),
      mapBytes: bytes,
      minGainBytes: bytes,
      minGainPercent: z.int().min(0).max(100),
      smallestSummaryBytes: bytes,
      /** Turns for which a body that was read back stays resident (C3). */
      readBackTurns: count,
      noticeRoomBytes: bytes,
    }),
    revisions: z.strictObject({ perBlock: count, perRun: count }),
    review: z.strictObject({ enabled: z.boolean(), everyExploreRequests: z.int().min(1), everyMs: ms }),
    stages: z.strictObject({ percent: z.array(z.int().min(1).max(100)).min(1), marginPercent: count }),
    retry: z.strictObject({
      attemptsPerTurn: z.int().min(1),
      backoffMs: z.array(ms),
      parkMs: z.array(ms).min(1),
      /** A `Retry-After` above this parks the run. */
      retryAfterParkMs: ms,
    }),
  })
  .meta({ id: 'Policy', description: 'All numbers that a run keeps from its admission on.' });
export type Policy = z.infer<typeof policy>;

/** One maximum, so that a refusal names the one that counts. */
const msUpTo = (most: number) => z.number().min(0).max(most);

/** What a caller may set explicitly at start; a configured value wins, 0 means 0 (P3). */
export const policyOverrides = z
  .strictObject({
    exploreRequests: count.max(MOST.requests).optional().describe('model requests that explore'),
    finishRequests: z.int().min(1).max(MOST.requests).optional().describe('model requests that write the ending'),
    finishReserve: z.int().min(1).max(MOST.requests).optional().describe('physical requests kept free for the ending'),
    physicalRequests: z
      .int()
      .min(1)
      .max(MOST.physicalRequests)
      .optional()
      .describe('every request of any purpose, retries included; 2 × explore + finish reserve unless set'),
    activeMs: msUpTo(MOST.limitMs).optional().describe('model and tools at work, together'),
    wallMs: msUpTo(MOST.limitMs).optional().describe('since admission'),
    outputMs: msUpTo(MOST.limitMs).optional().describe('kept free before each time limit for the ending'),
    userDeadlineMs: msUpTo(MOST.limitMs).optional().describe('your own deadline, since admission'),
    firstContentMs: msUpTo(MOST.deadlineMs).optional().describe('of one request: until its first content'),
    progressMs: msUpTo(MOST.deadlineMs).optional().describe('of one request: between two pieces of content'),
    totalMs: msUpTo(MOST.deadlineMs).optional().describe('of one request, in all'),
    toolMs: msUpTo(MOST.deadlineMs).optional().describe('of one tool call'),
    reviewMs: msUpTo(MOST.deadlineMs).optional().describe('of one review'),
    hardLimitBytes: bytes.max(MOST.requestBytes).optional().describe('of one model request'),
    residencyBytes: bytes.max(MOST.requestBytes).optional().describe('of tool results that stand in a request'),
    noticeRoomBytes: bytes.max(MOST.noticeBytes).optional().describe('of one request, for reminders'),
    revisionsPerBlock: count.max(MOST.revisions).optional().describe('corrections of one block'),
    revisionsPerRun: count.max(MOST.revisions).optional().describe('corrections of all blocks'),
    review: z.boolean().optional().describe('whether the report is reviewed on the way'),
    reviewEveryExploreRequests: z
      .int()
      .min(1)
      .max(MOST.requests)
      .optional()
      .describe('explore requests from one review to the next'),
    parkMs: z
      .array(msUpTo(MOST.deadlineMs))
      .min(1)
      .max(10)
      .optional()
      .describe('how long a run waits when the provider keeps failing: first, second, later times'),
    backoffMs: z.array(msUpTo(MOST.deadlineMs)).max(10).optional().describe('between attempts of one turn'),
  })
  .meta({ id: 'Overrides', description: 'Numbers of a policy that a caller sets; 0 means 0. Times are milliseconds.' });
export type PolicyOverrides = z.infer<typeof policyOverrides>;
