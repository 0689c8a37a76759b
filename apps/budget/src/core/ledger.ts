/**
 * One run's ledger: the fold of its facts.
 *
 * 1. For every count: used + reserved + unknown ≤ limit (B11). Admission upholds it; nothing here checks it again.
 * 2. Limits stay apart, each in its own unit (B1).
 * 3. `version` is the number of facts, so it grows with each (B12).
 * 4. Its size does not depend on the run's length: settled reservations live in rows of their own.
 */
import type { Grant, Limits, Purpose, SettlementOutcome, Usage } from './words.js';
import { NO_ACTIVE_TIME, type ActiveTime } from './active-time.js';

/** Requests of one kind: settled ones, open ones, and those whose fate nobody knows (used for good). */
export interface Tally {
  readonly used: number;
  readonly reserved: number;
  readonly unknown: number;
}

export interface OpenReservation {
  readonly reservation: string;
  readonly key: string;
  readonly holder: string;
  readonly epoch: number;
  readonly purpose: Purpose;
  readonly at: number;
  readonly deadlineAt: number;
  readonly bound: Grant['bound'];
}

/** Counted as running from the grant until told otherwise (B5). */
export interface RunningActivity {
  readonly reservation: string;
  readonly holder: string;
  readonly epoch: number;
  readonly at: number;
  readonly deadlineAt: number;
}

export interface SettledReservation {
  readonly reservation: string;
  readonly key: string;
  readonly purpose: Purpose;
  readonly at: number;
  readonly outcome: SettlementOutcome;
  /** It was settled as a failure after content, which decided what was charged. */
  readonly failedWithContent: boolean;
  /** It was `unknown` until proof came (B3). */
  readonly proved: boolean;
  /** Of an `unknown` one, what it added to the totals. */
  readonly counted: Usage | null;
}

export type CountName = 'explore' | 'finish' | 'physical';
export type TimeLimit = Grant['bound'];
export type Alarm = `${TimeLimit}/${'neared' | 'reached'}`;

export interface Ledger {
  readonly run: string;
  readonly version: number;
  readonly policyVersion: number;
  readonly limits: Limits;
  /** Ms of the budget's clock since 1970, as all times here (T3). */
  readonly admittedAt: number;
  readonly closedAt: number | null;
  /** Highest epoch seen of each holder (B15). */
  readonly holders: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<CountName, Tally>>;
  /** Physical requests by purpose: used, reserved and unknown together. */
  readonly purposes: Readonly<Record<Purpose, number>>;
  readonly finishing: boolean;
  readonly open: readonly OpenReservation[];
  readonly running: readonly RunningActivity[];
  readonly active: ActiveTime;
  readonly usage: Usage;
  /** Alarms of time limits that have been given, each once. */
  readonly alarms: readonly Alarm[];
}

const NONE: Tally = { used: 0, reserved: 0, unknown: 0 };

/** Before its first fact. */
export function unopened(run: string): Ledger {
  return {
    run,
    version: 0,
    policyVersion: 0,
    limits: {
      exploreRequests: 0,
      finishRequests: 0,
      finishReserve: 0,
      physicalRequests: 0,
      activeMs: 0,
      wallMs: 0,
      outputMs: 0,
      userDeadlineMs: null,
    },
    admittedAt: 0,
    closedAt: null,
    holders: {},
    counts: { explore: NONE, finish: NONE, physical: NONE },
    purposes: { explore: 0, finish: 0, summarize: 0, review: 0 },
    finishing: false,
    open: [],
    running: [],
    active: NO_ACTIVE_TIME,
    usage: { inputTokens: null, outputTokens: null, cachedInputTokens: null, costMicros: null },
    alarms: [],
  };
}

/** The limit that a count has. */
export function limitOf(ledger: Ledger, name: CountName): number {
  const { exploreRequests, finishRequests, physicalRequests } = ledger.limits;
  return { explore: exploreRequests, finish: finishRequests, physical: physicalRequests }[name];
}

/** What can still be reserved of a count. */
export function left(ledger: Ledger, name: CountName): number {
  const { used, reserved, unknown } = ledger.counts[name];
  return limitOf(ledger, name) - used - reserved - unknown;
}

/** The counts that a request of this purpose takes from. */
export function countsOf(purpose: Purpose): readonly CountName[] {
  switch (purpose) {
    case 'explore':
    case 'finish':
      return [purpose, 'physical'];
    case 'summarize':
    case 'review':
      return ['physical'];
    default:
      return purpose satisfies never;
  }
}
