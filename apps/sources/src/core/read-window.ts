import { MAX_READ_BYTES, DEFAULT_READ_BYTES } from '@waymark/contracts/sources';
import type { ByteRange, ErrorBody } from '@waymark/contracts/wire';
import { borderAtOrAfter, borderAtOrBefore, isBorder } from './text-bytes.js';

/** A character has four bytes at most: with three more on each side every border near a range can be seen. */
export const BORDER_BYTES = 4;

/**
 * Which bytes a read is about: an end past the text is cut to it, and no more than MAX_READ_BYTES are given.
 * @returns the range, or the refusal `empty_range` or `range_outside`, which names the total.
 */
export function decideWindow(
  asked: { start: number; end?: number | undefined },
  total: number,
): { ok: true; range: ByteRange } | { ok: false; refusal: ErrorBody } {
  const { start, end = start + DEFAULT_READ_BYTES } = asked;
  if (end <= start) {
    return refuse(
      'empty_range',
      `The range ${start}–${end} holds nothing.`,
      'Send an end that is larger than start.',
      'end',
    );
  }
  if (start >= total) {
    return refuse(
      'range_outside',
      `The range starts at byte ${start}, but the text has ${total} bytes in all.`,
      `Send a start below ${total}.`,
      'start',
    );
  }
  return { ok: true, range: { start, end: Math.min(end, total, start + MAX_READ_BYTES) } };
}

/**
 * The whole characters inside `range` (C13); when it holds none, the one that it starts in, so that reading
 * always gets on. `part` is the text from `base` on and reaches BORDER_BYTES beyond the range on both sides, or to the text's ends.
 */
export function snapToCharacters(part: Uint8Array, base: number, range: ByteRange): ByteRange {
  const start = borderAtOrAfter(part, range.start - base) + base;
  const end = borderAtOrBefore(part, range.end - base) + base;
  if (start < end) return { start, end };
  return {
    start: borderAtOrBefore(part, range.start - base) + base,
    end: borderAtOrAfter(part, range.start - base + 1) + base,
  };
}

function refuse(code: string, message: string, remedy: string, field: string): { ok: false; refusal: ErrorBody } {
  return { ok: false, refusal: { code, message, remedy, field } };
}

export type RangeStatus = 'ok' | 'unknown_locator' | 'range_outside' | 'empty_range' | 'not_on_characters';

/**
 * Whether a cited range exists (P6). `document` is null when its locator is unknown; `head` is the text from `start` on and
 * `after` from `end` on, at least one byte of each if there is one.
 */
export function checkRange(
  range: ByteRange,
  document: { total: number; head: Uint8Array; after: Uint8Array } | null,
): RangeStatus {
  if (document === null) return 'unknown_locator';
  if (range.end <= range.start) return 'empty_range';
  if (range.end > document.total) return 'range_outside';
  return isBorder(document.head, 0) && isBorder(document.after, 0) ? 'ok' : 'not_on_characters';
}
