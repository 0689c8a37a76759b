/** The policy that a run is admitted with: every number is policy, validated, shown at start (B7). */
import { z } from 'zod';
import { bytes, count, ms } from '../wire/index.js';

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

/** What a caller may set explicitly at start; a configured value wins, 0 means 0 (P3). */
export const policyOverrides = z.strictObject({
  exploreRequests: count.optional(),
  finishRequests: z.int().min(1).optional(),
  finishReserve: z.int().min(1).optional(),
  physicalRequests: z.int().min(1).optional(),
  activeMs: ms.optional(),
  wallMs: ms.optional(),
  outputMs: ms.optional(),
  userDeadlineMs: ms.optional(),
  firstContentMs: ms.optional(),
  progressMs: ms.optional(),
  totalMs: ms.optional(),
  toolMs: ms.optional(),
  reviewMs: ms.optional(),
  hardLimitBytes: bytes.optional(),
  residencyBytes: bytes.optional(),
  noticeRoomBytes: bytes.optional(),
  revisionsPerBlock: count.optional(),
  revisionsPerRun: count.optional(),
  review: z.boolean().optional(),
  reviewEveryExploreRequests: z.int().min(1).optional(),
  parkMs: z.array(ms).min(1).max(10).optional(),
  backoffMs: z.array(ms).max(10).optional(),
});
export type PolicyOverrides = z.infer<typeof policyOverrides>;
