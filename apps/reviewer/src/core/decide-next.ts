import type { ReviewState } from './evolve.js';

/**
 * What a review's owner does next.
 *
 * 1. A verdict is given once; after it nothing is sent.
 * 2. An intent without an outcome is `unknown` for whoever finds it (L4); the review goes on with a new request.
 * 3. A stop, the deadline and a review that takes its owners down end it with a failed verdict (L6, V2, L15).
 */
export type NextStep =
  | { readonly do: 'close' }
  | { readonly do: 'give_up'; readonly code: string }
  | { readonly do: 'mark_unknown'; readonly request: number }
  | { readonly do: 'request'; readonly request: number };

export interface Situation {
  readonly stopped: boolean;
  readonly deadlineLeftMs: number;
  /** Claims of this review without a new record, this one included. */
  readonly claims: number;
}

/** Two attempts, and one more for an owner that died with a request under way. */
export const MAX_REQUESTS = 3;
/** Attempts under one owner: one retry, where the shared retry decision allows it. */
export const MAX_ATTEMPTS = 2;
const MAX_CLAIMS = 3;

export function decideNext(state: ReviewState, situation: Situation): NextStep {
  if (state.verdict) return { do: 'close' };
  const last = state.requests.at(-1);
  if (last && !last.answer) return { do: 'mark_unknown', request: last.intent.request };
  if (situation.stopped) return { do: 'give_up', code: 'stopped' };
  if (situation.deadlineLeftMs <= 0) return { do: 'give_up', code: 'review_deadline' };
  if (situation.claims > MAX_CLAIMS || state.requests.length >= MAX_REQUESTS)
    return { do: 'give_up', code: 'abandoned' };
  return { do: 'request', request: state.requests.length + 1 };
}
