import { byteLength, byteOffsets } from './extract/byte-offsets.js';
import type { Knowledge, StoredBody } from './notes/knowledge.js';
import type { NoteRecord } from './notes/notes-line.js';

/** Bytes of the line that a stored reading begins with, at most; the text follows it. */
const HEAD_BYTES = 700;
/** Bytes of a passage that is quoted. */
const MOST = 600;

export interface Span {
  document: number;
  start: number;
  end: number;
}

/** The stored result that holds a passage, and which bytes of it to read again. */
export function readBackOf(
  passage: Span,
  known: Knowledge,
): { locator: string; start: number; end: number } | undefined {
  const body = known.bodies.find((b) => holds(b, passage));
  if (!body) return undefined;
  const start = passage.start - body.start;
  return { locator: body.locator, start, end: passage.end - body.start + HEAD_BYTES };
}

/** Notes of the passages that bear a known figure, word for word, out of a result that was read back. */
export function quotesIn(head: Record<string, unknown>, text: string, known: Knowledge): NoteRecord[] {
  const body = known.bodies.find((b) => b.locator === head.locator);
  const [from, total] = [Number(head.start), Number(head.total)];
  if (!body || !Number.isInteger(from) || !Number.isInteger(total)) return [];
  // What of the stored bytes is no text of the document stands before it.
  const shift = body.start - (total - (body.end - body.start));
  const [first, last] = [from + shift, from + shift + byteLength(text)];
  const seen = new Set<string>();
  return known.figures.flatMap((f): NoteRecord[] => {
    const place = `${f.start} ${f.end}`;
    if (f.document !== body.document || f.start < first || f.end > last || f.end - f.start > MOST) return [];
    if (seen.has(place)) return [];
    seen.add(place);
    return [['q', String(f.document), String(f.start), String(f.end), slice(text, f.start - first, f.end - first)]];
  });
}

const holds = (b: StoredBody, p: Span): boolean => b.document === p.document && b.start <= p.start && p.end <= b.end;

function slice(text: string, from: number, to: number): string {
  const at = byteOffsets(text);
  const index = (byte: number): number =>
    Math.max(
      0,
      at.findIndex((offset) => offset >= byte),
    );
  return text.slice(index(from), to >= (at[text.length] ?? 0) ? text.length : index(to)).trim();
}
