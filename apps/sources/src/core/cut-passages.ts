/**
 * Cuts a text into passages, the units of search.
 *
 * 1. Passages tile the text: the first starts at 0, each next where the last ends, the last ends at the text's end.
 * 2. A cut never splits a character (C13).
 * 3. No passage crosses a `border` (a page's start), and none is longer than MAX_PASSAGE_BYTES.
 * 4. Between MIN and MAX the best cut is taken: paragraph, then line, then sentence, then space, then character.
 */
import { borderAtOrBefore } from './text-bytes.js';

export const MIN_PASSAGE_BYTES = 600;
export const MAX_PASSAGE_BYTES = 1200;

export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** `borders`: offsets where a passage must end, ascending. */
export function cutPassages(text: Uint8Array, borders: readonly number[] = []): Passage[] {
  const passages: Passage[] = [];
  let start = 0;
  for (const stop of [...borders.filter((border) => border > 0 && border < text.length), text.length]) {
    while (start < stop) {
      const end = stop - start <= MAX_PASSAGE_BYTES ? stop : bestCut(text, start);
      passages.push({ start, end });
      start = end;
    }
  }
  return passages;
}

/** Somewhere in (start + MIN, start + MAX]; after what ends there. The end of the text is further away than that. */
function bestCut(text: Uint8Array, start: number): number {
  const from = start + MIN_PASSAGE_BYTES;
  const to = start + MAX_PASSAGE_BYTES;
  let line = 0;
  let sentence = 0;
  let space = 0;
  for (let at = to; at > from; at -= 1) {
    if (text[at - 1] === NEWLINE && text[at - 2] === NEWLINE) return at;
    if (line === 0 && text[at - 1] === NEWLINE) line = at;
    if (sentence === 0 && endsSentence(text, at)) sentence = at;
    if (space === 0 && text[at - 1] === SPACE) space = at;
  }
  return line || sentence || space || borderAtOrBefore(text, to);
}

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** `. ` `! ` `? ` or 。！？； before `at`. */
function endsSentence(text: Uint8Array, at: number): boolean {
  const last = text[at - 1];
  if (last === SPACE) return text[at - 2] === 0x2e || text[at - 2] === 0x21 || text[at - 2] === 0x3f;
  if (text[at - 3] === 0xe3) return text[at - 2] === 0x80 && last === 0x82;
  return text[at - 3] === 0xef && text[at - 2] === 0xbc && (last === 0x81 || last === 0x9f || last === 0x9b);
}
