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
  const ms = Math.min(waitMs, untilNearestLimitMs(c));
  if (ms > 0) await pause(ms, undefined, { signal: c.signal }).catch(() => undefined);
  return !c.signal.aborted && !c.cancelled;
}

/** Ms until the first wall limit comes within its output time; parking and back-off end there at the latest (B5). */
export function untilNearestLimitMs(c: RunContext): number {
  const b = c.budget;
  if (!b) return Number.MAX_SAFE_INTEGER;
  const kept = c.state.phase === 'exploring' ? b.outputMs : 0;
  return Math.max(0, Math.min(b.wall.leftMs - kept, b.user ? b.user.leftMs - kept : Number.MAX_SAFE_INTEGER));
}
