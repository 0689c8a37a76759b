import type { Settlement, Usage } from '@waymark/contracts/budget';

/**
 * How one physical request ended, as a value.
 *
 * 1. `not_sent` is proof: no byte of the request left (B3).
 * 2. `completed`: the provider's own end was seen (a finish reason, `[DONE]`, or a whole JSON reply).
 * 3. `failed`: the provider's own error, or a reply that we refused; `content` says whether some had come.
 * 4. Everything else after bytes left is `unknown`: a time-out, a cut, a cancel, a reply that is no answer at all.
 */
export type OutcomeKind = 'completed' | 'failed' | 'unknown' | 'not_sent';

/** Codes never change meaning (T1: each expiry has its own). */
export type OutcomeCode =
  /** Nothing but silence, keep-alives or empty deltas. */
  | 'first_content_timeout'
  /** Content had come, then no more of it. */
  | 'progress_timeout'
  | 'total_timeout'
  /** The connection ended without the provider's end. */
  | 'stream_cut'
  /** An error event of a kind that has no code of its own. */
  | 'provider_error'
  | 'rate_limited'
  | 'provider_unavailable'
  | 'provider_auth'
  | 'provider_rejected'
  | 'too_long'
  /** Neither JSON nor an event stream, or one whose events are no answer. */
  | 'garbage'
  | 'cancelled'
  /** The caller's signal carried {@link ABORTED_BY_LIMIT}. */
  | 'aborted_by_limit'
  | 'connect_failed'
  /** The request was made for another API than the provider speaks. */
  | 'other_api'
  | 'response_too_large';

/** Reason for `AbortController.abort(…)` when a limit, not a person, ends the request. */
export const ABORTED_BY_LIMIT = Object.freeze({ code: 'aborted_by_limit' });

/** A provider's unknown finish reason is read as `stop` or, with calls, `tool_calls`. */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** `arguments` is the model's text as it came; it may be broken JSON. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Milliseconds since `send` was called, by the monotonic clock; null when it never came. */
export interface Timings {
  readonly firstByteMs: number | null;
  readonly firstContentMs: number | null;
  readonly totalMs: number;
}

export interface ModelOutcome {
  readonly outcome: OutcomeKind;
  /** Some text, reasoning or call came: the reminders in the request are submitted (R8), the count is taken (B14). */
  readonly content: boolean;
  /** Null when completed. */
  readonly code: OutcomeCode | null;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** What the provider said about its error, at most 300 characters, without keys; for people only. */
  readonly detail: string | null;
  readonly text: string;
  /** Calls in the provider's order. Partial unless `completed`. */
  readonly calls: readonly ModelCall[];
  /** Null when no reason came (also for a stream that ended by `[DONE]` alone). */
  readonly finish: Finish | null;
  /** Null where the provider reported none (B13). */
  readonly usage: Usage | null;
  readonly timings: Timings;
}

/** Bytes of text and call arguments together at most; more is `response_too_large`. */
export const MAX_RESPONSE_BYTES = 1024 * 1024;
export const MAX_CALLS = 64;

/** What budget is told about a request that ended (B3). */
export function toSettlement(reservation: string, outcome: ModelOutcome): Settlement {
  return {
    reservation,
    outcome: outcome.outcome,
    content: outcome.content,
    code: outcome.code,
    usage: outcome.usage,
  };
}
