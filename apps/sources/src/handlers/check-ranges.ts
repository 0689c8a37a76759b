import type { checkRanges as contract } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import type { Db } from '@waymark/persistence';
import { lookUpRanges, type RangeRow } from '../adapters/postgres/ranges.js';
import { checkRange } from '../core/read-window.js';
import { decodeText, headOf } from '../core/text-bytes.js';

const QUOTE_BYTES = 200;

/** Whether each cited range exists, each for itself (P6): an unknown corpus or locator is a result, not a refusal. */
export async function checkRanges(
  db: Db,
  { corpus, ranges }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const rows = await lookUpRanges(db, corpus, ranges, QUOTE_BYTES + 1);
  return { results: ranges.map((range, i) => resultOf(range, rows[i])) };
}

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
