import { usedMs } from './active-time.js';
import type { Ledger, TimeLimit } from './ledger.js';

/** One time limit at `now`; `leftMs` may be negative. */
export interface TimeLeft {
  readonly limit: TimeLimit;
  readonly limitMs: number;
  readonly usedMs: number;
  readonly leftMs: number;
}

/** Active time at `now`, running activities included. */
export function activeMs(ledger: Ledger, now: number): number {
  const from = ledger.running.map(({ at }) => at);
  return usedMs(ledger.active, from, now);
}

/** Each time limit on its own (B1). Wall clock and user deadline run from admission and stand still once closed. */
export function timesLeft(ledger: Ledger, now: number): readonly TimeLeft[] {
  const { limits } = ledger;
  const sinceAdmission = Math.max(0, (ledger.closedAt ?? now) - ledger.admittedAt);
  return [
    timeLeft('active', limits.activeMs, activeMs(ledger, now)),
    timeLeft('wall', limits.wallMs, sinceAdmission),
    ...(limits.userDeadlineMs === null ? [] : [timeLeft('user', limits.userDeadlineMs, sinceAdmission)]),
  ];
}

/** The limit that comes first. */
export function nearest(times: readonly TimeLeft[]): TimeLeft {
  return times.reduce((a, b) => (b.leftMs < a.leftMs ? b : a));
}

function timeLeft(limit: TimeLimit, limitMs: number, used: number): TimeLeft {
  return { limit, limitMs, usedMs: used, leftMs: limitMs - used };
}
