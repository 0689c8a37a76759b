import type { Policy } from '@waymark/contracts/policy';
import type { ModelOutcome } from './outcome.js';

/**
 * The one retry layer (B14). Each retry is a new physical request with its own reservation and intent.
 *
 * 1. At most `attemptsPerTurn` attempts; `Retry-After` respected; over `retryAfterParkMs` it parks.
 * 2. 401, 403 and any 400 but "too long" are never resent, nor is a request that was made for another API.
 * 3. "Too long" is refitted at most twice (C18).
 * 4. After the third park in a row without content comes finishing.
 * 5. In finishing nothing parks; a retry after `unknown` or content is the next finish request.
 */
export interface RetryContext {
  /** `aside`: a summary or a review, which gives up instead of parking or ending anything (C10, V2). */
  readonly phase: 'exploring' | 'finishing' | 'aside';
  /** The attempt that just ended, from 1, within its turn. */
  readonly attempt: number;
  readonly retry: Policy['retry'];
  /** Parks in a row so far without content in between. */
  readonly parks: number;
  /** Refits of this turn so far. */
  readonly refits: number;
  /** Time left for this turn, when known: a finishing wait beyond it closes at once. */
  readonly leftMs?: number;
}

export type RetryDecision =
  /** The answer stands. */
  | { readonly do: 'accept' }
  /** Reserve again for the same turn after the wait. */
  | { readonly do: 'retry'; readonly waitMs: number }
  /** Lower the hard limit, fit again, reserve again (C18). */
  | { readonly do: 'refit' }
  /** Settle, wait, go on in phase `then`. */
  | { readonly do: 'park'; readonly waitMs: number; readonly then: 'exploring' | 'finishing' }
  /** Exploring is over: finishing (L11). */
  | { readonly do: 'finish'; readonly code: string }
  /** Finishing: the next finish request, when one is left. */
  | { readonly do: 'next_finish'; readonly waitMs: number; readonly code: string }
  /** Finishing: the model cannot be used; the runtime closes from what is published (L11). */
  | { readonly do: 'close'; readonly code: string }
  /** Aside: without this answer. */
  | { readonly do: 'give_up'; readonly code: string }
  /** The caller's own signal ended it; the caller knows why. */
  | { readonly do: 'stop'; readonly code: string };

const MAX_REFITS = 2;
const PARKS_BEFORE_FINISHING = 3;

export function classifyRetry(outcome: ModelOutcome, context: RetryContext): RetryDecision {
  if (outcome.outcome === 'completed') return { do: 'accept' };
  const code = outcome.code ?? 'provider_error';
  if (code === 'cancelled' || code === 'aborted_by_limit') return { do: 'stop', code };
  if (code === 'provider_auth' || code === 'provider_rejected' || code === 'other_api') return over(context, code);
  if (code === 'too_long') return context.refits < MAX_REFITS ? { do: 'refit' } : over(context, code);
  switch (context.phase) {
    case 'exploring':
      return retryExploring(outcome, context);
    case 'finishing':
      return retryFinishing(outcome, context, code);
    case 'aside':
      return retryAside(outcome, context, code);
  }
}

function retryExploring(outcome: ModelOutcome, context: RetryContext): RetryDecision {
  const { retry, attempt } = context;
  const asked = outcome.retryAfterMs ?? 0;
  if (asked <= retry.retryAfterParkMs && attempt < retry.attemptsPerTurn) return again(outcome, context);
  const park = (outcome.content ? 0 : context.parks) + 1;
  const own = retry.parkMs[Math.min(park, retry.parkMs.length) - 1] ?? 0;
  return {
    do: 'park',
    waitMs: Math.max(own, asked),
    then: park >= PARKS_BEFORE_FINISHING ? 'finishing' : 'exploring',
  };
}

function retryFinishing(outcome: ModelOutcome, context: RetryContext, code: string): RetryDecision {
  const { waitMs } = again(outcome, context);
  if (context.leftMs !== undefined && waitMs >= context.leftMs) return { do: 'close', code };
  if (outcome.outcome === 'unknown' || outcome.content) return { do: 'next_finish', waitMs, code };
  return context.attempt < context.retry.attemptsPerTurn ? { do: 'retry', waitMs } : { do: 'close', code };
}

function retryAside(outcome: ModelOutcome, context: RetryContext, code: string): RetryDecision {
  const asked = outcome.retryAfterMs ?? 0;
  return asked <= context.retry.retryAfterParkMs && context.attempt < context.retry.attemptsPerTurn
    ? again(outcome, context)
    : { do: 'give_up', code };
}

function again(outcome: ModelOutcome, { retry, attempt }: RetryContext): { do: 'retry'; waitMs: number } {
  const backoff = retry.backoffMs[Math.min(attempt, retry.backoffMs.length) - 1] ?? 0;
  return { do: 'retry', waitMs: Math.max(backoff, outcome.retryAfterMs ?? 0) };
}

function over(context: RetryContext, code: string): RetryDecision {
  switch (context.phase) {
    case 'exploring':
      return { do: 'finish', code };
    case 'finishing':
      return { do: 'close', code };
    case 'aside':
      return { do: 'give_up', code };
  }
}
