import type { checkRanges as contract } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import type { Db } from '@waymark/persistence';
import { lookUpRanges, type RangeRow } from '../adapters/postgres/ranges.js';
import type { TextReader } from '../adapters/postgres/text-reader.js';
import { labelOf } from '../core/labels.js';
import { checkRange } from '../core/read-window.js';
import { REACH_BYTES, SIDE_BYTES, surroundingsOf } from '../core/surroundings.js';
import { decodeText, headOf } from '../core/text-bytes.js';

const QUOTE_BYTES = 200;

/**
 * Whether each cited range exists, each for itself (P6): an unknown corpus or locator is a result, not a refusal. One that
 * exists is told with its page or line and what stands round it.
 */
export async function checkRanges(
  { db, reader }: { db: Db; reader: TextReader },
  { corpus, ranges }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const rows = await lookUpRanges(db, corpus, ranges, QUOTE_BYTES + 1);
  const results: Result[] = [];
  for (const [i, range] of ranges.entries()) {
    const result = resultOf(range, rows[i]);
    results.push(result.status === 'ok' ? { ...result, ...(await placeOf(reader, corpus, range)) } : result);
  }
  return { results };
}

/** One after the other: the text of a document is kept after the first look. */
async function placeOf(reader: TextReader, corpus: string, range: Range): Promise<Pick<Result, 'label' | 'context'>> {
  const { locator, start, end } = range;
  const [part, opening] = [
    await reader.read(corpus, locator, start - REACH_BYTES, end + SIDE_BYTES),
    await reader.read(corpus, locator, 0, 1),
  ];
  if (!part || !opening) return {};
  const [first = ''] = decodeText(headOf(opening.bytes, REACH_BYTES)).split('\n');
  return {
    label: labelOf(part.info.marks, part.bytes, part.base, start, end),
    context: surroundingsOf(part.bytes, part.base, range, first),
  };
}

type Range = ParsedRequestOf<typeof contract>['ranges'][number];
type Result = ReplyOf<typeof contract>['results'][number];

function resultOf(range: { start: number; end: number }, row: RangeRow | undefined): Result {
  const { name = null, total = null, head, after } = row ?? {};
  const found = total === null ? null : { total, head: head ?? Buffer.alloc(0), after: after ?? Buffer.alloc(0) };
  const status = checkRange(range, found);
  const quote = status === 'ok' && found ? quoteOf(found.head, range.end - range.start) : null;
  return { status, name, total, quote };
}

/** The range's beginning in whole characters. */
function quoteOf(head: Buffer, length: number): string {
  return decodeText(headOf(head.subarray(0, length), QUOTE_BYTES));
}
