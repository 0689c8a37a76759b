import { readEventError, readStatusError } from './provider-error.js';
import { parseRetryAfter } from './retry-after.js';

const anthropic = (type: string, message: string, code?: string): object => ({
  type: 'error',
  error: { type, message, ...(code === undefined ? {} : { details: { error_code: code } }) },
});

describe('provider error', () => {
  it.each([
    [401, {}, 'provider_auth'],
    [403, {}, 'provider_auth'],
    [404, { error: { message: 'The model does not exist', code: 'model_not_found' } }, 'provider_rejected'],
    [400, { error: { message: 'bad tool' } }, 'provider_rejected'],
    [400, { error: { message: 'no', code: 'context_length_exceeded' } }, 'too_long'],
    [400, { error: { message: "This model's maximum context length is 8192 tokens" } }, 'too_long'],
    [400, { error: 'prompt is too long: 9 tokens > 8 maximum' }, 'too_long'],
    [400, { error: { message: 'maximum context length', type: 'BadRequestError', code: 400 } }, 'too_long'],
    [400, { error: { message: 'maximum context length', code: 'unsupported_value' } }, 'provider_rejected'],
    [400, anthropic('invalid_request_error', 'prompt is too long: 212847 tokens > 200000 maximum'), 'too_long'],
    [
      400,
      anthropic('invalid_request_error', 'input length and `max_tokens` exceed context limit: 9 + 8 > 10'),
      'too_long',
    ],
    [400, anthropic('invalid_request_error', 'messages: roles must alternate'), 'provider_rejected'],
    [400, anthropic('invalid_request_error', 'prompt is too long', 'organization_on_hold'), 'provider_rejected'],
    [401, anthropic('authentication_error', 'invalid x-api-key'), 'provider_auth'],
    [402, anthropic('billing_error', 'no credit'), 'provider_rejected'],
    [413, anthropic('request_too_large', 'too large'), 'too_long'],
    [413, '<html>', 'too_long'],
    [529, anthropic('overloaded_error', 'Overloaded'), 'provider_unavailable'],
    [529, '', 'provider_unavailable'],
    [429, {}, 'rate_limited'],
    [500, '', 'provider_unavailable'],
    [503, 'x', 'provider_unavailable'],
    [408, {}, 'provider_unavailable'],
    [307, '', 'provider_rejected'],
  ])('T1: status %d with %j is %s %s', (status, body, code) => {
    expect(readStatusError(status, body).code).toBe(code);
  });

  it.each([
    [{ code: 'context_length_exceeded' }, 'too_long'],
    [{ type: 'rate_limit_exceeded' }, 'rate_limited'],
    [{ code: 429 }, 'rate_limited'],
    [{ type: 'server_error', message: 'x' }, 'provider_unavailable'],
    [{ type: 'overloaded_error' }, 'provider_unavailable'],
    [{ type: 'api_error', message: 'Internal server error' }, 'provider_unavailable'],
    [{ type: 'timeout_error' }, 'provider_unavailable'],
    [{ type: 'rate_limit_error' }, 'rate_limited'],
    [{ type: 'request_too_large' }, 'too_long'],
    [{ type: 'authentication_error' }, 'provider_auth'],
    [{ type: 'billing_error' }, 'provider_rejected'],
    [{ type: 'invalid_request_error' }, 'provider_rejected'],
    ['it broke', 'provider_error'],
    [{}, 'provider_error'],
  ])('T1: the error event %j is %s', (error, code) => {
    expect(readEventError(error).code).toBe(code);
  });

  it('B14: Retry-After is read in seconds, as a date and in milliseconds; nonsense is none', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(parseRetryAfter({ retryAfter: '7' }, now)).toBe(7_000);
    expect(parseRetryAfter({ retryAfter: 'Thu, 01 Jan 2026 00:00:31 GMT' }, now)).toBe(31_000);
    expect(parseRetryAfter({ retryAfter: 'Wed, 31 Dec 2025 00:00:31 GMT' }, now)).toBe(0);
    expect(parseRetryAfter({ retryAfter: '7', retryAfterMs: '250' }, now)).toBe(250);
    expect(parseRetryAfter({ retryAfter: 'Thursday, 01-Jan-26 00:00:31 GMT' }, now)).toBe(31_000);
    expect(parseRetryAfter({ retryAfter: 'Thu Jan  1 00:00:31 2026' }, now)).toBe(31_000);
    for (const nonsense of ['soon', '-5', '1e3', '2026-01-01', '5 apples', 'Thu, 99 Jan 2026 00:00:31 GMT'])
      expect([nonsense, parseRetryAfter({ retryAfter: nonsense }, now)]).toEqual([nonsense, null]);
    expect(parseRetryAfter({ retryAfter: '99999999' }, now)).toBe(24 * 3600 * 1000);
    expect(parseRetryAfter({}, now)).toBeNull();
  });
});
