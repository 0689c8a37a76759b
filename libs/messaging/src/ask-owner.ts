/** Asking another owner by key until it answers: every such call may be repeated, it gives the same result. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Contract, ReplyOf, RequestOf } from '@waymark/contracts/wire';
import type { Bus, CallResult } from './bus.js';

export interface AskOptions {
  /** For one try, in ms; default 2,000. */
  readonly tryMs?: number;
  /** For all tries, in ms. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

const TRY_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** Errors of a service that is there and cannot serve now. */
const AGAIN = new Set(['internal', 'unavailable']);

/** The first answer, or the last failure when time or signal ended it. */
export async function askOwner<C extends Contract>(
  bus: Bus,
  contract: C,
  request: RequestOf<C>,
  options: AskOptions,
): Promise<CallResult<ReplyOf<C>>> {
  const end = performance.now() + options.untilMs;
  let wait = FIRST_PAUSE_MS;
  for (;;) {
    const left = Math.max(1, end - performance.now());
    const result = await bus.call(contract, request, {
      timeoutMs: Math.min(options.tryMs ?? TRY_MS, left),
      signal: options.signal,
    });
    if (result.ok || (result.kind === 'error' && !AGAIN.has(result.error.code))) return result;
    if (options.signal.aborted || performance.now() + wait >= end) return result;
    await pause(wait, undefined, { signal: options.signal }).catch(() => undefined);
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}
