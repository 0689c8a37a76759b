import type { Purpose } from './answer.js';

/** The few facts that are worth knowing before (or instead of) parsing a body. */
export interface RequestPeek {
  model: string;
  purpose?: Purpose;
  stream: boolean;
  includeUsage: boolean;
}

/**
 * Reads them by scanning, because a bench body of 200 KB must not cost a JSON.parse.
 * `body` is the raw body, one character per byte. A quote inside a JSON string is escaped, so `"key"` followed by a
 * colon can only be a key.
 */
export function peekRequest(body: string): RequestPeek {
  const purpose = purposeIn(body);
  return {
    model: stringAfter(body, '"model"') ?? '',
    ...(purpose === undefined ? {} : { purpose }),
    stream: literalAfter(body, '"stream"') === 'true',
    includeUsage: literalAfter(body, '"include_usage"') === 'true',
  };
}

function purposeIn(body: string): Purpose | undefined {
  // Only the system text's first line counts, and that stands near a content's opening quote.
  const word = /"Purpose: (explore|finish|summarize|review)\b/.exec(body.slice(0, 65_536))?.[1];
  return word as Purpose | undefined;
}

function stringAfter(body: string, key: string): string | undefined {
  const at = valueStart(body, key);
  if (at < 0 || body[at] !== '"') return undefined;
  const end = body.indexOf('"', at + 1);
  return end < 0 ? undefined : body.slice(at + 1, end);
}

function literalAfter(body: string, key: string): string | undefined {
  const at = valueStart(body, key);
  return at < 0 ? undefined : /^[a-z]+/.exec(body.slice(at, at + 8))?.[0];
}

/** Index of the value of the first occurrence of `key` that is a key; -1 if there is none. */
function valueStart(body: string, key: string): number {
  for (let at = body.indexOf(key); at >= 0; at = body.indexOf(key, at + key.length)) {
    let next = skipSpace(body, at + key.length);
    if (body[next] !== ':') continue;
    next = skipSpace(body, next + 1);
    return next;
  }
  return -1;
}

function skipSpace(body: string, at: number): number {
  while (at < body.length && body.charCodeAt(at) <= 32) at++;
  return at;
}
