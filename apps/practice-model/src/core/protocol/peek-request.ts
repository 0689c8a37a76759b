import type { Purpose } from './answer.js';
import type { RawBody } from './raw-body.js';

/** The few facts that are worth knowing before (or instead of) parsing a body. */
export interface RequestPeek {
  model: string;
  purpose?: Purpose;
  stream: boolean;
  includeUsage: boolean;
}

/**
 * Reads them by scanning, because a bench body of 200 KB must not cost a JSON.parse. A quote inside a JSON string is
 * escaped, so `"key"` followed by a colon can only be a key.
 */
export function peekRequest(body: RawBody): RequestPeek {
  const purpose = purposeIn(body);
  return {
    model: stringAfter(body, '"model"') ?? '',
    ...(purpose === undefined ? {} : { purpose }),
    stream: literalAfter(body, '"stream"') === 'true',
    includeUsage: literalAfter(body, '"include_usage"') === 'true',
  };
}

function purposeIn(body: RawBody): Purpose | undefined {
  // Only the system text's first line counts, and that stands near a content's opening quote.
  const word = /"Purpose: (explore|finish|summarize|review)\b/.exec(body.slice(0, 65_536))?.[1];
  return word as Purpose | undefined;
}

const stringAfter = (body: RawBody, key: string): string | undefined =>
  /^"([^"]*)"/.exec(valueOf(body, key) ?? '')?.[1];

const literalAfter = (body: RawBody, key: string): string | undefined => /^[a-z]+/.exec(valueOf(body, key) ?? '')?.[0];

/** White space and a value as long as a model's name are looked at. */
const WINDOW = 4_096;

/** What follows the first occurrence of `key` that is a key. */
function valueOf(body: RawBody, key: string): string | undefined {
  for (let at = body.indexOf(key); at >= 0; at = body.indexOf(key, at + key.length)) {
    const value = /^\s*:\s*(.*)/s.exec(body.slice(at + key.length, at + key.length + WINDOW))?.[1];
    if (value !== undefined) return value;
  }
  return undefined;
}
