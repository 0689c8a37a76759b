/** Budget: limits, reservations, settlements, active time, wall clock. Knows no text, no context size, no revisions. */
import { z } from 'zod';
import { limits } from '../policy/shape.js';
import { contract, count, epoch, listEventsOf, ms, runId } from '../wire/index.js';

export const purpose = z.enum(['explore', 'finish', 'summarize', 'review']);
export type Purpose = z.infer<typeof purpose>;

/** `run` for the run's owner, `review:<id>` for one review (B15). */
export const holder = z.string().regex(/^(run|review:[A-Za-z0-9._-]{1,80})$/);

/** Reported by the provider or null: never 0 or a guess (B13). */
export const usage = z
  .strictObject({
    inputTokens: count.nullable(),
    outputTokens: count.nullable(),
    cachedInputTokens: count.nullable(),
    costMicros: count.nullable(),
  })
  .meta({ id: 'Usage', description: 'Tokens and cost as the provider reported them; null where it did not.' });
export type Usage = z.infer<typeof usage>;

export const settlementOutcome = z.enum(['completed', 'failed', 'not_sent', 'unknown']);
export type SettlementOutcome = z.infer<typeof settlementOutcome>;

/** How a reservation ended (B3). `content`: some content came before it ended (B14). */
export const settlement = z
  .strictObject({
    reservation: z.string().min(1).max(200),
    outcome: settlementOutcome,
    content: z.boolean(),
    code: z.string().max(100).nullable(),
    usage: usage.nullable(),
  })
  .refine(({ outcome, content }) => !(outcome === 'not_sent' && content), {
    path: ['content'],
    message: 'content came, so the request was sent: not_sent needs proof that no byte left',
  });
export type Settlement = z.infer<typeof settlement>;

/**
 * The exact intervals of model and tool execution under one grant, in milliseconds since the owner received that
 * grant (durations, never clock times). `closed: false` leaves the activity counted as running (B5).
 */
export const activityReport = z.strictObject({
  reservation: z.string().min(1).max(200),
  intervals: z.array(z.strictObject({ startMs: ms, endMs: ms })).max(200),
  closed: z.boolean(),
});
export type ActivityReport = z.infer<typeof activityReport>;

export const countState = z
  .strictObject({
    limit: count,
    used: count,
    reserved: count.describe('granted and not settled'),
    unknown: count.describe('sent, and nobody can say how it ended: counts as used'),
    left: count.describe('limit − used − reserved − unknown; never negative'),
  })
  .meta({ id: 'Count', description: 'A limit in requests.' });
export type CountState = z.infer<typeof countState>;

export const timeState = z.strictObject({ limitMs: ms, usedMs: ms, leftMs: ms });

/** The numbers after a fact; `version` grows with each fact (B12). Counts include what is reserved. */
export const budgetSnapshot = z
  .strictObject({
    run: runId,
    version: count.describe('grows with each fact'),
    policyVersion: z.int().min(1),
    phase: z.enum(['exploring', 'finishing', 'closed']),
    explore: countState,
    finish: countState,
    physical: countState.describe('every request of any purpose, retries included'),
    finishReserve: count.describe('physical requests that only finishing may use'),
    purposes: z
      .strictObject({ explore: count, finish: count, summarize: count, review: count })
      .describe('physical requests by purpose: used, reserved and unknown together'),
    active: z
      .strictObject({
        ...timeState.shape,
        unknownMs: ms.describe('charged, and nobody can prove it'),
        overshootMs: ms,
        running: z.boolean(),
      })
      .describe("the union of the run's own model and tool execution"),
    wall: timeState.describe('since admission'),
    user: timeState.nullable().describe("the user's own deadline, if one was set"),
    outputMs: ms.describe('kept free before each time limit for the ending'),
    usage: usage.describe('totals as providers reported them; null where none did'),
  })
  .meta({ id: 'Budget', description: 'What of its limits a run has used.' });
export type BudgetSnapshot = z.infer<typeof budgetSnapshot>;

/** A refusal names the limit, its numbers, the phase and what is still possible (B10). */
export const budgetRefusal = z.strictObject({
  code: z.enum([
    'explore_exhausted',
    'finish_exhausted',
    'physical_exhausted',
    'finish_reserve_kept',
    'main_request_kept',
    'active_time_over',
    'wall_time_over',
    'user_deadline_over',
    'output_time_reached',
    'fenced',
    'closed',
    'key_mismatch',
  ]),
  message: z.string(),
  limit: z.string().nullable(),
  unit: z.enum(['requests', 'ms', 'none']),
  size: z.number(),
  used: z.number(),
  reserved: z.number(),
  unknown: z.number(),
  phase: z.enum(['exploring', 'finishing', 'closed']),
  possible: z.array(z.string()),
});
export type BudgetRefusal = z.infer<typeof budgetRefusal>;

export const grant = z.strictObject({
  reservation: z.string(),
  key: z.string(),
  holder,
  epoch,
  purpose,
  /** Time for the request and its actions together, in ms from now, already cut at each limit (B4). */
  leftMs: ms,
  /** Which limit `leftMs` comes from. */
  bound: z.enum(['active', 'wall', 'user']),
  /** Null while open; the earlier settlement when the key was asked again after it settled. */
  settled: settlementOutcome.nullable(),
});
export type Grant = z.infer<typeof grant>;

export const settlementResult = z.strictObject({
  reservation: z.string(),
  /** `fenced`: an older owner's settlement of an open reservation; only a proof is taken from any epoch (B3, L2). */
  result: z.enum(['settled', 'repeated', 'proved', 'contradicts', 'fenced', 'unknown_reservation']),
  /** The outcome on record after this call; null for an unknown or still open reservation. */
  outcome: settlementOutcome.nullable(),
});
export type SettlementResult = z.infer<typeof settlementResult>;

export const openReservation = z.strictObject({
  reservation: z.string(),
  key: z.string(),
  holder,
  epoch,
  purpose,
  grantedAgeMs: ms,
});
export type OpenReservation = z.infer<typeof openReservation>;

export const open = contract(
  'waymark.budget.v1.open',
  z.strictObject({ run: runId, limits, policyVersion: epoch, admittedAgeMs: ms }),
  z.strictObject({ snapshot: budgetSnapshot, created: z.boolean() }),
  {
    access: 'internal',
    summary:
      "Opens a run's ledger. By key run: opening again reads the same one, whatever defaults have become since (B7).",
  },
);
export const takeOver = contract(
  'waymark.budget.v1.take-over',
  z.strictObject({
    run: runId,
    holder,
    epoch,
    /** Age of the dead owner's last heartbeat and of its lease's end; 0 and 0 after a clean hand-over. */
    heartbeatAgeMs: ms,
    leaseEndAgeMs: ms,
  }),
  z.strictObject({
    outcome: z.enum(['taken', 'fenced', 'closed']),
    snapshot: budgetSnapshot,
    open: z.array(openReservation),
    closedActivities: z.array(z.strictObject({ reservation: z.string(), knownMs: ms, unknownMs: ms })),
  }),
  {
    access: 'internal',
    summary:
      "A new owner's first call for its holder: lower epochs get nothing any more (B15), dead activities close (B6).",
  },
);
export const reserve = contract(
  'waymark.budget.v1.reserve',
  z.strictObject({
    run: runId,
    holder,
    epoch,
    /** `<holder>/<epoch>/<anything>` in printable ASCII: asked twice, granted once (B2). */
    key: z.string().regex(/^[\x20-\x7e]{3,200}$/),
    purpose,
    settlements: z.array(settlement).max(20).default([]),
    activities: z.array(activityReport).max(20).default([]),
  }),
  z.strictObject({
    outcome: z.enum(['granted', 'refused']),
    grant: grant.nullable(),
    refusal: budgetRefusal.nullable(),
    settled: z.array(settlementResult),
    snapshot: budgetSnapshot,
  }),
  {
    access: 'internal',
    summary:
      'Settles what ended, reports what ran, and reserves: one transaction; settlements stand also beside a refusal.',
  },
);
export const settle = contract(
  'waymark.budget.v1.settle',
  z.strictObject({
    run: runId,
    holder,
    epoch,
    settlements: z.array(settlement).max(50).default([]),
    activities: z.array(activityReport).max(50).default([]),
  }),
  z.strictObject({ settled: z.array(settlementResult), snapshot: budgetSnapshot }),
  {
    access: 'internal',
    summary:
      'Settlement alone: before a wait over 5 s, parking, ending, stop or hand-over. Takes any epoch for a proof (B3).',
  },
);
export const snapshot = contract(
  'waymark.budget.v1.snapshot',
  z.strictObject({ run: runId }),
  z.strictObject({
    snapshot: budgetSnapshot,
    open: z.array(openReservation).describe('granted and not settled'),
  }),
  { access: 'public', summary: "A run's limits, each in its own unit, with what is used, reserved and unknown (B1)." },
);
export const close = contract(
  'waymark.budget.v1.close',
  z.strictObject({ run: runId, epoch, reason: z.string().max(200) }),
  z.strictObject({
    outcome: z.enum(['closed', 'already_closed', 'fenced']),
    snapshot: budgetSnapshot,
    open: z.array(openReservation),
  }),
  {
    access: 'internal',
    summary: 'Fences all holders: no later grant, whoever asks (B15). Closing again reads the same fact.',
  },
);
export const listEvents = listEventsOf('budget');

export const budgetContracts = { open, takeOver, reserve, settle, snapshot, close, listEvents } as const;

/** The budget's facts. Times are ms of the budget's database clock since the epoch. */
export type BudgetFact =
  | {
      readonly type: 'BudgetOpened';
      readonly limits: z.infer<typeof limits>;
      readonly policyVersion: number;
      readonly admittedAt: number;
    }
  | { readonly type: 'HolderTakenOver'; readonly holder: string; readonly epoch: number }
  | {
      readonly type: 'ReservationGranted';
      readonly reservation: string;
      readonly key: string;
      readonly holder: string;
      readonly epoch: number;
      readonly purpose: Purpose;
      readonly at: number;
      readonly deadlineAt: number;
      readonly bound: Grant['bound'];
    }
  | {
      readonly type: 'RequestSettled';
      readonly reservation: string;
      readonly outcome: SettlementOutcome;
      readonly content: boolean;
      readonly code: string | null;
      readonly usage: Usage | null;
      readonly by: 'holder' | 'budget';
    }
  | {
      readonly type: 'SettlementProved';
      readonly reservation: string;
      readonly purpose: Purpose;
      readonly outcome: 'completed' | 'failed';
      readonly usage: Usage | null;
      /** What the settlement as `unknown` had added to the totals; `usage` takes its place. */
      readonly counted: Usage | null;
    }
  | {
      readonly type: 'ActivityClosed';
      readonly reservation: string;
      /** Intervals in ms of the budget's clock. */
      readonly intervals: readonly (readonly [number, number])[];
      readonly unknownFrom: number | null;
    }
  | { readonly type: 'LimitNeared'; readonly limit: 'active' | 'wall' | 'user'; readonly at: number }
  | {
      readonly type: 'LimitReached';
      readonly limit: 'active' | 'wall' | 'user';
      readonly overshootMs: number;
      readonly at: number;
    }
  | { readonly type: 'BudgetClosed'; readonly reason: string; readonly at: number };
