import { merged } from '../notes/condense-notes.js';
import type { Document, Knowledge } from '../notes/knowledge.js';

const PART = 16 * 1024;
/** A document above this is read round its hits first, and to its end when all else was read. */
const WHOLE = 48 * 1024;
/** And above this not to its end at all. */
const MOST = 160 * 1024;
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
export const unreadParts = (known: Knowledge): PlannedRead[] => [...promising(known), ...rest(known)];

/** Where search found something: documents of a handy size whole, of others the places. */
export function promising(known: Knowledge): PlannedRead[] {
  return byHits(known)
    .filter((d) => d.hits.length > 0)
    .flatMap((document) => planned(document, document.bytes <= WHOLE ? [[0, document.bytes]] : places(document)));
}

/** What search did not find, in the order of the documents. */
export function rest(known: Knowledge): PlannedRead[] {
  const first = promising(known);
  return byHits(known).flatMap((document) => {
    if (first.some((part) => part.document === document)) return [];
    return planned(document, document.bytes <= MOST ? [[0, document.bytes]] : [[0, PART]]);
  });
}

const byHits = (known: Knowledge): Document[] =>
  known.documents
    .filter((d) => d.ready && d.bytes > 0)
    .sort(
      (a, b) =>
        Math.sign(b.hits.length) - Math.sign(a.hits.length) || b.hits.length - a.hits.length || a.index - b.index,
    );

const planned = (document: Document, wanted: [number, number][]): PlannedRead[] =>
  holes(document, wanted)
    .map(([start, end]) => ({ document, start, end }))
    .filter((part) => (document.attempts.get(part.start) ?? 0) < 2);

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

/** Of what search found, how much has been read, from 0 to 1. */
export function readShare(known: Knowledge): number {
  const left = promising(known).reduce((n, part) => n + part.end - part.start, 0);
  const had = known.documents.reduce((n, d) => n + merged(d.read).reduce((m, [a, b]) => m + b - a, 0), 0);
  return left + had === 0 ? 1 : had / (left + had);
}

/** More is left than a turn or two read, so that what is known should be shown first. */
export const isLong = (parts: readonly PlannedRead[]): boolean =>
  parts.reduce((n, part) => n + part.end - part.start, 0) > 2 * BYTES_PER_TURN;

function places(document: Document): [number, number][] {
  const round = document.hits
    .slice(0, WINDOWS)
    .map((at): [number, number] => [Math.max(0, at - 2048), Math.min(document.bytes, at + 6144)]);
  return merged([[0, Math.min(PART, document.bytes)], ...round]);
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
