/** Asking another owner by key until it answers: every such call may be repeated, it gives the same result. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Contract, ErrorBody, ReplyOf, RequestOf } from '@waymark/contracts/wire';
import type { Bus, CallFailure, CallResult } from './bus.js';

export interface AskOptions {
  /** For one try, in ms; default 2,000. */
  readonly tryMs?: number;
  /** For all tries, in ms. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

/**
 * What became of a call, in three words that a caller must tell apart: there is no "it failed".
 * - `answered`: the reply.
 * - `refused`: the owner is there and will never take this request as it is (or it cannot even be sent): a coded error.
 *   Waiting is of no use; the caller sends something else or gives up what it wanted.
 * - `away`: nobody answered in time, or only with `internal` or `unavailable`. Asking again may help. `sent`: it may have
 *   been carried out.
 */
export type Asked<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: ErrorBody }
  | { readonly kind: 'away'; readonly error: ErrorBody; readonly sent: boolean };

const TRY_MS = 2_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** Errors of a service that is there and cannot serve now. */
const AGAIN = new Set(['internal', 'unavailable']);

/** The first answer or refusal, or `away` when time or signal ended the asking. */
export async function askOwner<C extends Contract>(
  bus: Bus,
  contract: C,
  request: RequestOf<C>,
  options: AskOptions,
): Promise<Asked<ReplyOf<C>>> {
  const end = performance.now() + options.untilMs;
  let wait = FIRST_PAUSE_MS;
  let sent = false;
  for (;;) {
    const left = Math.max(1, end - performance.now());
    const result = await bus.call(contract, request, {
      timeoutMs: Math.min(options.tryMs ?? TRY_MS, left),
      signal: options.signal,
    });
    const asked = toAsked(result);
    if (asked.kind !== 'away') return asked;
    sent ||= asked.sent;
    if (options.signal.aborted || performance.now() + wait >= end) return { ...asked, sent };
    await pause(wait, undefined, { signal: options.signal }).catch(() => undefined);
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}

/** One call's result in the three words of {@link Asked}. */
export function toAsked<T>(result: CallResult<T>): Asked<T> {
  if (result.ok) return { kind: 'answered', value: result.value };
  const { kind, error } = result;
  if (kind === 'error' && !AGAIN.has(error.code)) return { kind: 'refused', error };
  return { kind: 'away', error, sent: SENT[kind] };
}

/** Whether a failed call may have been carried out. */
const SENT: Readonly<Record<CallFailure['kind'], boolean>> = {
  error: true,
  timeout: true,
  no_responders: false,
  disconnected: false,
};
