/**
 * Labels say where a range stands, for people; locators are byte offsets (decision 12). A document with pages is labelled by
 * pages, any other by lines. What is kept for that is small, so that a label needs no look at the whole text.
 */
export const BLOCK_BYTES = 64 * 1024;

export interface Marks {
  /** Offset at which each page starts, ascending; null for a document without pages. */
  readonly pageStarts: readonly number[] | null;
  /** Line breaks before each block of BLOCK_BYTES. */
  readonly blockLines: readonly number[];
}

export function blockLinesOf(text: Uint8Array): number[] {
  const lines: number[] = [];
  let seen = 0;
  for (let block = 0; block === 0 || block * BLOCK_BYTES < text.length; block += 1) {
    lines.push(seen);
    seen += countBreaks(text, block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
  }
  return lines;
}

/**
 * Label of `[start, end)`. `part` is the stored text from `base` on and reaches from the start of the block that holds
 * `start` to `end` at least.
 */
export function labelOf(marks: Marks, part: Uint8Array, base: number, start: number, end: number): string {
  if (marks.pageStarts !== null) {
    return span('page', pageAt(marks.pageStarts, start), pageAt(marks.pageStarts, Math.max(start, end - 1)));
  }
  const block = Math.floor(start / BLOCK_BYTES);
  const first = 1 + (marks.blockLines[block] ?? 0) + countBreaks(part, block * BLOCK_BYTES - base, start - base);
  return span('line', first, first + countBreaks(part, start - base, end - base - 1));
}

/** Number of the page that holds `offset`: the last that starts at or before it. */
function pageAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(low, 1);
}

function span(unit: string, first: number, last: number): string {
  return first === last ? `${unit} ${first}` : `${unit}s ${first}–${last}`;
}

function countBreaks(text: Uint8Array, from: number, to: number): number {
  const part = text.subarray(from, Math.max(from, to)); // where no line breaks, looking on would reach the text's end
  let breaks = 0;
  for (let at = part.indexOf(0x0a); at !== -1; at = part.indexOf(0x0a, at + 1)) breaks += 1;
  return breaks;
}
