import { cutPassages } from './cut-passages.js';
import { blockLinesOf, labelOf, type Marks } from './labels.js';
import { concat, decodeText, encodeText } from './text-bytes.js';
import { indexTerms } from './tokens.js';

export interface IndexedPassage {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  /** Terms under which it is found, each once, parted by a blank (no term holds one). */
  readonly terms: string;
}

/** A document as it is stored. */
export interface DocumentText {
  readonly title: string;
  readonly text: Uint8Array;
  readonly pages: number | null;
  readonly marks: Marks;
}

const MAX_TITLE = 120;

/** The stored text of what a parser made; `pages`, joined, are `text`. */
export function documentText(
  name: string,
  { title, text, pages }: { title: string; text: string; pages: readonly string[] | null },
): DocumentText {
  const parts = pages?.map(encodeText);
  const bytes = parts === undefined ? encodeText(text) : concat(parts);
  let start = 0;
  const pageStarts = parts?.map((part) => (start += part.length) - part.length) ?? null;
  return {
    title: titleOf(title, name),
    text: bytes,
    pages: pages?.length ?? null,
    marks: { pageStarts, blockLines: blockLinesOf(bytes) },
  };
}

/** Passages of a document in order. The first is also found by the document's title and name. */
export function* passagesOf(name: string, { text, title, marks }: DocumentText): Generator<IndexedPassage> {
  let first = true;
  for (const { start, end } of cutPassages(text, marks.pageStarts ?? [])) {
    const words = decodeText(text.subarray(start, end));
    const terms = indexTerms(first ? `${title}\n${name}\n${words}` : words).join(' ');
    first = false;
    yield { start, end, label: labelOf(marks, text, 0, start, end), terms };
  }
}

/** One line without control characters; without a title of its own a document is called by its file's name. */
function titleOf(title: string, name: string): string {
  const line = title.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim();
  return Array.from(line === '' ? (name.split('/').at(-1) ?? name) : line)
    .slice(0, MAX_TITLE)
    .join('');
}
