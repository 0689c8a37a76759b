import { matchesTerm } from './rank-passages.js';
import { borderAtOrAfter, borderAtOrBefore, decodeText, encodeText } from './text-bytes.js';
import { runTerms, scanTokens } from './tokens.js';

export const EXCERPT_BYTES = 480;
const LEAD_BYTES = 60;
/** From the first matched term to the last that still fits with some lead and tail. */
const REACH_BYTES = EXCERPT_BYTES - 2 * LEAD_BYTES;
const GAP = '…';

/**
 * The part of a passage that shows best why it was found: the stretch with the most different matched terms, in whole
 * characters, at most EXCERPT_BYTES and two marks for what was left out.
 */
export function excerptOf(passage: Uint8Array, terms: readonly string[]): string {
  if (passage.length <= EXCERPT_BYTES) return decodeText(passage).trim();
  const places = placesOf(decodeText(passage), new Set(terms));
  const start = borderAtOrAfter(passage, Math.max(0, bestStart(places) - LEAD_BYTES));
  const end = borderAtOrBefore(passage, start + EXCERPT_BYTES);
  const from = end === passage.length ? borderAtOrAfter(passage, passage.length - EXCERPT_BYTES) : start;
  const text = decodeText(passage.subarray(from, end)).trim();
  return `${from > 0 ? GAP : ''}${text}${end < passage.length ? GAP : ''}`;
}

interface Place {
  readonly term: string;
  readonly at: number;
}

/** Where matched terms stand, in bytes. */
function placesOf(text: string, terms: ReadonlySet<string>): Place[] {
  const places: Place[] = [];
  let units = 0;
  let bytes = 0;
  const byteAt = (unit: number): number => {
    bytes += encodeText(text.slice(units, unit)).length;
    units = unit;
    return bytes;
  };
  for (const token of scanTokens(text)) {
    if (token.kind !== 'run') {
      if (matchesTerm(token, terms)) places.push({ term: token.text, at: byteAt(token.start) });
      continue;
    }
    const { singles, pairs } = runTerms(token.text);
    let unit = token.start;
    singles.forEach((single, i) => {
      const term = [pairs[i], single].find((one) => one !== undefined && terms.has(one));
      if (term !== undefined) places.push({ term, at: byteAt(Math.max(unit, units)) });
      unit += single.length;
    });
  }
  return places;
}

/** Where a stretch with the most different terms begins. `places` are in order; each enters and leaves the stretch once. */
function bestStart(places: readonly Place[]): number {
  const inside = new Map<string, number>();
  let best = { at: 0, terms: 0 };
  let next = 0;
  for (const { term, at } of places) {
    for (let place = places[next]; place && place.at <= at + REACH_BYTES; place = places[(next += 1)]) {
      inside.set(place.term, (inside.get(place.term) ?? 0) + 1);
    }
    if (inside.size > best.terms) best = { at, terms: inside.size };
    const left = (inside.get(term) ?? 1) - 1;
    if (left === 0) inside.delete(term);
    else inside.set(term, left);
  }
  return best.at;
}
