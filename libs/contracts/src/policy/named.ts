import type { Policy } from './shape.js';

const MINUTE = 60_000;
const KIB = 1024;

const standard: Policy = {
  name: 'standard',
  tier: 'standard',
  version: 1,
  limits: {
    exploreRequests: 40,
    finishRequests: 2,
    finishReserve: 6,
    physicalRequests: 86,
    activeMs: 60 * MINUTE,
    wallMs: 120 * MINUTE,
    outputMs: 6 * MINUTE,
    userDeadlineMs: null,
  },
  deadlines: { firstContentMs: MINUTE, progressMs: 45_000, totalMs: 10 * MINUTE, toolMs: MINUTE, reviewMs: 2 * MINUTE },
  context: {
    hardLimitBytes: 400 * KIB,
    softPercent: 64,
    residencyBytes: 192 * KIB,
    lowWaterPercent: 75,
    mapBytes: 8 * KIB,
    minGainBytes: 8 * KIB,
    minGainPercent: 10,
    smallestSummaryBytes: 512,
    readBackTurns: 3,
    noticeRoomBytes: 2 * KIB,
  },
  revisions: { perBlock: 2, perRun: 8 },
  review: { enabled: true, everyExploreRequests: 15, everyMs: 10 * MINUTE },
  stages: { percent: [50, 75, 90], marginPercent: 5 },
  retry: {
    attemptsPerTurn: 3,
    backoffMs: [1000, 4000],
    parkMs: [30_000, 2 * MINUTE, 5 * MINUTE],
    retryAfterParkMs: 30_000,
  },
};

const deep: Policy = {
  ...standard,
  name: 'deep',
  tier: 'deep',
  limits: {
    exploreRequests: 120,
    finishRequests: 3,
    finishReserve: 9,
    physicalRequests: 249,
    activeMs: 90 * MINUTE,
    wallMs: 120 * MINUTE,
    outputMs: 12 * MINUTE,
    userDeadlineMs: null,
  },
  revisions: { perBlock: 6, perRun: 24 },
};

/** For measurements: room for a thousand turns, no reviews, so that auxiliary requests are the summaries alone. */
const bench: Policy = {
  ...standard,
  name: 'bench',
  limits: { ...standard.limits, exploreRequests: 1100, physicalRequests: 2206 },
  review: { ...standard.review, enabled: false },
};

/**
 * For demonstrations: on half a megabyte of documents every mechanism is met on the way. Small limits end exploring before all
 * is read, a small residency retires results, and a small notice room leaves advice out beside the state lines.
 */
const teaching: Policy = {
  ...standard,
  name: 'teaching',
  limits: {
    exploreRequests: 17,
    finishRequests: 2,
    finishReserve: 6,
    physicalRequests: 60, // summaries and reviews take of them too
    activeMs: 10 * MINUTE,
    wallMs: 20 * MINUTE,
    outputMs: MINUTE,
    userDeadlineMs: null,
  },
  context: {
    ...standard.context,
    hardLimitBytes: 96 * KIB,
    residencyBytes: 32 * KIB,
    noticeRoomBytes: 544,
  },
  review: { enabled: true, everyExploreRequests: 9, everyMs: 10 * MINUTE },
  // The highest stage is that of the last of 17 explore requests.
  stages: { ...standard.stages, percent: [50, 75, 95] },
};

export const POLICIES = { standard, deep, bench, teaching } as const satisfies Record<string, Policy>;
export type PolicyName = keyof typeof POLICIES;
