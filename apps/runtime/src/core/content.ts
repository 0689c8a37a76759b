/** Sizes of what would be sent: bytes of parts as rendered, with what joins them (C13, R9). */
import { partsOf, resultPartId, type Entry, type Part, type ResultEntry, type Transcript } from '@waymark/record';

/** Rendered bytes of a part by its id; the shell renders and keeps them. */
export type SizeOf = (part: Part) => number;

/** Bytes of a request without its notices; `frameBytes`: its head and tail. */
export function contentBytes(t: Transcript, frameBytes: number, sizeOf: SizeOf): number {
  let total = frameBytes;
  for (const part of partsOf(t)) total += sizeOf(part);
  return total;
}

export type TurnEntry = Extract<Entry, { kind: 'turn' }>;

/** A result's part, as `partsOf` would name it. */
export function resultPart(turn: TurnEntry, index: number, entry: ResultEntry): Part | null {
  if (!turn.answer) return null;
  return { id: resultPartId(entry), kind: 'result', turn: turn.turn, index, answer: turn.answer, entry };
}

/** Bytes of a turn as it stands. */
export function turnBytes(turn: TurnEntry, sizeOf: SizeOf): number {
  let total = 0;
  const answered = turn.answer !== null && !turn.empty;
  if (turn.results.length === 0) {
    total += sizeOf({ id: `e${turn.turn}`, kind: 'empty', turn: turn.turn, ...(answered ? { after: 'answer' } : {}) });
  }
  if (!turn.answer || turn.empty) return total;
  total += sizeOf({ id: `a${turn.turn}`, kind: 'answer', turn: turn.turn, text: turn.answer });
  for (const [index, entry] of turn.results.entries()) {
    const part = resultPart(turn, index, entry);
    if (part) total += sizeOf(part);
  }
  return total;
}
