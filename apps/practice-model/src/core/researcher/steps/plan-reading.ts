import { merged } from '../notes/condense-notes.js';
import type { Document, Knowledge } from '../notes/knowledge.js';

const PART = 16 * 1024;
/** A document above this is read at its head and round its hits only. */
const WHOLE = 160 * 1024;
const WINDOWS = 6;
const CALLS_PER_TURN = 3;
/** When few requests are left. */
const CALLS_WHEN_PRESSED = 8;
const BYTES_PER_TURN = 40 * 1024;
/** Reading ends after so many turns, whatever is left. */
const LAST_TURN = 26;

export interface PlannedRead {
  document: Document;
  start: number;
  end: number;
}

/** What is still to be read, most promising first. */
export function unreadParts(known: Knowledge): PlannedRead[] {
  return [...known.documents]
    .filter((d) => d.ready && d.bytes > 0)
    .sort((a, b) => b.hits.length - a.hits.length || a.index - b.index)
    .flatMap((document) => partsOf(document).map(([start, end]) => ({ document, start, end })))
    .filter((part) => (part.document.attempts.get(part.start) ?? 0) < 2);
}

/** The reads of the next turn. Of one document only one part at a time: the next begins where the last one was cut. */
export function nextReads(known: Knowledge, pressed: boolean): PlannedRead[] {
  if (known.turns >= LAST_TURN) return [];
  const reads: PlannedRead[] = [];
  let bytes = 0;
  for (const part of unreadParts(known)) {
    if (reads.some((r) => r.document === part.document)) continue;
    const end = Math.min(part.end, part.start + PART);
    if (reads.length > 0 && bytes + end - part.start > BYTES_PER_TURN) break;
    reads.push({ ...part, end });
    bytes += end - part.start;
    if (reads.length === (pressed ? CALLS_WHEN_PRESSED : CALLS_PER_TURN)) break;
  }
  return reads;
}

/** Of what is planned, how much has been read, from 0 to 1. */
export function readShare(known: Knowledge): number {
  const left = unreadParts(known).reduce((n, part) => n + part.end - part.start, 0);
  const had = known.documents.reduce((n, d) => n + merged(d.read).reduce((m, [a, b]) => m + b - a, 0), 0);
  return left + had === 0 ? 1 : had / (left + had);
}

function partsOf(document: Document): [number, number][] {
  if (document.bytes <= WHOLE) return holes(document, [[0, document.bytes]]);
  const round = merged(
    document.hits.slice(0, WINDOWS).map((at) => [Math.max(0, at - 2048), Math.min(document.bytes, at + 6144)]),
  );
  return holes(document, merged([[0, PART], ...round]));
}

/** What of the wanted ranges was not read yet. */
function holes(document: Document, wanted: [number, number][]): [number, number][] {
  const read = merged(document.read);
  return wanted.flatMap(([start, end]) => {
    const out: [number, number][] = [];
    let at = start;
    for (const [a, b] of read) {
      if (b <= at || a >= end) continue;
      if (a > at) out.push([at, a]);
      at = Math.max(at, b);
    }
    if (at < end) out.push([at, end]);
    return out;
  });
}
