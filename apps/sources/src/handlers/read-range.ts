import { MAX_READ_BYTES, type readRange as contract } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { WireError } from '@waymark/messaging';
import type { TextReader } from '../adapters/postgres/text-reader.js';
import { labelOf } from '../core/labels.js';
import { BORDER_BYTES, decideWindow, snapToCharacters } from '../core/read-window.js';
import { refuseUnready, unknownLocator } from '../core/refusals.js';
import { decodeText } from '../core/text-bytes.js';

/**
 * Text of `[start, end)` in whole characters, with its range, the total and whether more follows (C5). Refusals:
 * `unknown_locator`, `not_ready`, `unreadable`, `empty_range`, `range_outside`.
 */
export async function readRange(
  reader: TextReader,
  { corpus, locator, start, end }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const to = Math.min(end ?? Infinity, start + MAX_READ_BYTES);
  const part = await reader.read(corpus, locator, start - BORDER_BYTES, to + BORDER_BYTES);
  if (part === undefined) throw new WireError(unknownLocator(corpus, locator));
  const { info, bytes, base } = part;
  const refusal = refuseUnready(locator, info);
  if (refusal) throw new WireError(refusal);
  const window = decideWindow({ start, end }, info.total);
  if (!window.ok) throw new WireError(window.refusal);
  const range = snapToCharacters(bytes, base, window.range);
  return {
    locator,
    name: info.name,
    ...range,
    total: info.total,
    more: range.end < info.total,
    label: labelOf(info.marks, bytes, base, range.start, range.end),
    text: decodeText(bytes.subarray(range.start - base, range.end - base)),
  };
}
