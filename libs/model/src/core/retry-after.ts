/** A provider that asks for more than a day is not waited for to the minute. */
const LONGEST_MS = 24 * 3600 * 1000;

/**
 * Milliseconds to wait from `retry-after-ms` or `Retry-After` (seconds or an HTTP date); null when there is none that
 * can be read. A date in the past is 0.
 */
export function parseRetryAfter(
  headers: { readonly retryAfterMs?: string | undefined; readonly retryAfter?: string | undefined },
  nowMs: number,
): number | null {
  const exact = number(headers.retryAfterMs);
  if (exact !== null) return clamp(exact);
  const { retryAfter } = headers;
  const seconds = number(retryAfter);
  if (seconds !== null) return clamp(seconds * 1000);
  const date = httpDate(retryAfter);
  return date === null ? null : clamp(date - nowMs);
}

/** The three forms of an HTTP date begin with a day's name; the oldest says no zone and means GMT. */
function httpDate(text: string | undefined): number | null {
  if (text === undefined || !/^\s*(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const date = Date.parse(/GMT\s*$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(date) ? null : date;
}

function number(text: string | undefined): number | null {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return null;
  return Number(text);
}

const clamp = (ms: number): number => Math.min(LONGEST_MS, Math.max(0, Math.ceil(ms)));
