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
export const limits = z.strictObject({
  exploreRequests: count,
  finishRequests: z.int().min(1),
  /** Physical requests kept free for the ending (B4). */
  finishReserve: z.int().min(1),
  physicalRequests: z.int().min(1),
  activeMs: ms,
  wallMs: ms,
  /** Output time: kept free before each time limit (B4). */
  outputMs: ms,
  /** From admission; null when the user set none. */
  userDeadlineMs: ms.nullable(),
});
export type Limits = z.infer<typeof limits>;

export const policy = z.strictObject({
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
});
export type Policy = z.infer<typeof policy>;

/** One maximum, so that a refusal names the one that counts. */
const msUpTo = (most: number) => z.number().min(0).max(most);

/** What a caller may set explicitly at start; a configured value wins, 0 means 0 (P3). */
export const policyOverrides = z.strictObject({
  exploreRequests: count.max(MOST.requests).optional(),
  finishRequests: z.int().min(1).max(MOST.requests).optional(),
  finishReserve: z.int().min(1).max(MOST.requests).optional(),
  physicalRequests: z.int().min(1).max(MOST.physicalRequests).optional(),
  activeMs: msUpTo(MOST.limitMs).optional(),
  wallMs: msUpTo(MOST.limitMs).optional(),
  outputMs: msUpTo(MOST.limitMs).optional(),
  userDeadlineMs: msUpTo(MOST.limitMs).optional(),
  firstContentMs: msUpTo(MOST.deadlineMs).optional(),
  progressMs: msUpTo(MOST.deadlineMs).optional(),
  totalMs: msUpTo(MOST.deadlineMs).optional(),
  toolMs: msUpTo(MOST.deadlineMs).optional(),
  reviewMs: msUpTo(MOST.deadlineMs).optional(),
  hardLimitBytes: bytes.max(MOST.requestBytes).optional(),
  residencyBytes: bytes.max(MOST.requestBytes).optional(),
  noticeRoomBytes: bytes.max(MOST.noticeBytes).optional(),
  revisionsPerBlock: count.max(MOST.revisions).optional(),
  revisionsPerRun: count.max(MOST.revisions).optional(),
  review: z.boolean().optional(),
  reviewEveryExploreRequests: z.int().min(1).max(MOST.requests).optional(),
  parkMs: z.array(msUpTo(MOST.deadlineMs)).min(1).max(10).optional(),
  backoffMs: z.array(msUpTo(MOST.deadlineMs)).max(10).optional(),
});
export type PolicyOverrides = z.infer<typeof policyOverrides>;
