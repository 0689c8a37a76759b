import type { OutcomeCode } from './outcome.js';

/** Code and type that say only "bad request", or nothing. */
const GENERIC = /^(\s|\d+|invalid_request(_error)?|bad_?request(_?error)?)*$/i;

export interface ProviderError {
  readonly code: OutcomeCode;
  /** The provider's words, uncut; may hold anything, keys included. */
  readonly message: string | null;
}

/** "Too long" in the words of the providers that give it no code of its own (Anthropic, vLLM, llama.cpp, gateways). */
const TOO_LONG =
  /context[ _]length|maximum context|context window|context limit|context size|prompt is too long|input is too long|too many (input )?tokens|reduce the length|string_above_max_length/i;

/** What an HTTP error means. `body` is the parsed JSON of the reply, or its text. */
export function readStatusError(status: number, body: unknown): ProviderError {
  const { type, message } = describe(body);
  return { code: codeOfStatus(status, type, message), message };
}

/** What an error event in a stream, or an error object in a 200 reply, means. */
export function readEventError(error: unknown): ProviderError {
  const { type, message } = describe({ error });
  if (isTooLong(type, message)) return { code: 'too_long', message };
  if (/request_too_large/.test(type)) return { code: 'too_long', message };
  if (/rate_?limit|429|insufficient_quota|too_many_requests/i.test(type)) return { code: 'rate_limited', message };
  if (/server_error|api_error|overloaded|unavailable|internal|timeout|50\d/i.test(type)) {
    return { code: 'provider_unavailable', message };
  }
  if (/authentication|permission|invalid_api_key/i.test(type)) return { code: 'provider_auth', message };
  if (/invalid_request|billing|not_found|unsupported/i.test(type)) return { code: 'provider_rejected', message };
  return { code: 'provider_error', message };
}

function codeOfStatus(status: number, type: string, message: string | null): OutcomeCode {
  if (status === 401 || status === 403) return 'provider_auth';
  if (status === 413) return 'too_long';
  if (status === 429) return 'rate_limited';
  // A request time-out, a lock and "too early" are the provider's own trouble and pass.
  if (status >= 500 || status === 408 || status === 409 || status === 425) return 'provider_unavailable';
  return isTooLong(type, message) ? 'too_long' : 'provider_rejected';
}

/** A code that says what is wrong is believed before any words. */
const isTooLong = (type: string, message: string | null): boolean =>
  TOO_LONG.test(type) || (message !== null && GENERIC.test(type) && TOO_LONG.test(message));

/**
 * Code and type in one string, and the message, of `{error: {code, type, message}}`, `{error: "…"}` or `{message}`.
 * Anthropic's codes stand in `error.details.error_code`.
 */
function describe(body: unknown): { type: string; message: string | null } {
  if (typeof body === 'string') return { type: '', message: body.trim() || null };
  if (!isObject(body)) return { type: '', message: null };
  const error = body['error'] ?? body;
  if (typeof error === 'string') return { type: '', message: error };
  if (!isObject(error)) return { type: '', message: null };
  const { type, message, details } = error;
  const code = error['code'] ?? (isObject(details) ? details['error_code'] : undefined);
  const word = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return { type: `${word(code)} ${word(type)}`.trim(), message: typeof message === 'string' ? message : null };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
