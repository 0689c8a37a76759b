/** What stands round a cited passage, for people: the text before and after it, and the header of the table that it is a row of. */
import { borderAtOrAfter, borderAtOrBefore, decodeText, headOf } from './text-bytes.js';

export interface Surroundings {
  readonly before: string;
  readonly after: string;
  readonly header: string | null;
}

/** Bytes before a passage in which the header of its table is looked for. */
export const REACH_BYTES = 8 * 1024;
/** Bytes shown on either side, and of a header. */
export const SIDE_BYTES = 160;
const HEADER_BYTES = 240;

/**
 * `part` is the text from `base` on and reaches from REACH_BYTES before the range to SIDE_BYTES after it, or to the text's
 * ends; `opening` is the text's first line.
 */
export function surroundingsOf(
  part: Uint8Array,
  base: number,
  range: { readonly start: number; readonly end: number },
  opening: string,
): Surroundings {
  const [start, end] = [range.start - base, range.end - base];
  const from = borderAtOrAfter(part, Math.max(0, start - SIDE_BYTES));
  const to = borderAtOrBefore(part, Math.min(part.length, end + SIDE_BYTES));
  const reach = borderAtOrAfter(part, Math.max(0, start - REACH_BYTES));
  const isCut = reach + base > 0;
  // The first line was cut, the last is the passage's own.
  const above = decodeText(part.subarray(reach, start))
    .split('\n')
    .slice(isCut ? 1 : 0, -1);
  const [row = ''] = decodeText(part.subarray(start, end)).trimStart().split('\n');
  const header = headerOf(row, above, isCut ? opening : null);
  return {
    before: shortened(decodeText(part.subarray(from, start)), from + base > 0 ? 'before' : 'whole'),
    after: shortened(decodeText(part.subarray(end, to)), to < part.length ? 'after' : 'whole'),
    header: header === null ? null : decodeText(headOf(new TextEncoder().encode(header), HEADER_BYTES)),
  };
}

/** `opening` is null where the lines above are all that there are. */
function headerOf(row: string, above: readonly string[], opening: string | null): string | null {
  if (row.startsWith('|')) return pipedHeader(above, opening);
  const cells = gapped(row);
  if (cells.length < 2) return null;
  const header = above.findLast((line) => isHeader(gapped(line), cells.length));
  return header ?? null;
}

/** The first of the rows that stand together; of a table that began before what is seen, the text's first line. */
function pipedHeader(above: readonly string[], opening: string | null): string | null {
  const border = above.findLastIndex((line) => !line.startsWith('|'));
  const first = above[border + 1];
  if (border >= 0 || opening === null) return first ?? null;
  return opening.startsWith('|') ? opening : null;
}

const gapped = (line: string): string[] => line.trim().split(/\s{2,}|\t/u);

/** As many cells as the row, or one fewer where nothing stands above its names; each a word or a year. */
function isHeader(cells: readonly string[], width: number): boolean {
  if (cells.length < 2 || cells.length > width || cells.length < width - 1) return false;
  return cells.every((cell, i) =>
    (i === 0 ? /\p{L}|^(?:19|20)\d{2}$/u : /^(?:\D*\p{L}\D*|.*(?:19|20)\d{2}.*)$/u).test(cell),
  );
}

/** Cut at a blank or line, with a mark where more stands. */
function shortened(text: string, side: 'before' | 'after' | 'whole'): string {
  if (side === 'before') return `…${text.slice(Math.max(0, text.search(/\s/u)))}`;
  if (side === 'after') return `${text.slice(0, Math.max(0, text.search(/\s\S*$/u)) || text.length)}…`;
  return text;
}
