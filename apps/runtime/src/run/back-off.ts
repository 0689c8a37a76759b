/** Waiting between attempts: wall time only; over 5 s the settlement goes alone first (B5). */
import { setTimeout as pause } from 'node:timers/promises';
import type { RunContext } from './run-context.js';
import { closeActivity, settleAlone } from './reserve.js';

const LONG_WAIT_MS = 5_000;
const SETTLE_MS = 5_000;

/** False when the wait was ended by a stop, a lost lease or a hand-over. Ends at the first limit at the latest. */
export async function backOff(c: RunContext, waitMs: number): Promise<boolean> {
  closeActivity(c);
  if (waitMs > LONG_WAIT_MS) await settleAlone(c, SETTLE_MS);
  const ms = Math.min(waitMs, c.state.phase === 'exploring' ? untilOutputTimeMs(c) : untilLimitMs(c));
  if (ms > 0) await pause(ms, undefined, { signal: c.signal }).catch(() => undefined);
  return !c.signal.aborted && !c.cancelled;
}

/** Ms until the first wall limit comes within its output time: parking, and back-off in exploring, end there (B5). */
export const untilOutputTimeMs = (c: RunContext): number =>
  Math.max(0, untilLimitMs(c) - (c.budget ?? c.admitted.policy.limits).outputMs);

/** Ms until the first wall limit; while no ledger answers, by the run's own age since admission. */
export function untilLimitMs(c: RunContext): number {
  const { budget } = c;
  if (budget) return Math.min(budget.wall.leftMs, budget.user?.leftMs ?? Infinity);
  const { wallMs, userDeadlineMs } = c.admitted.policy.limits;
  return Math.min(wallMs, userDeadlineMs ?? Infinity) - c.admittedAgeMs;
}
