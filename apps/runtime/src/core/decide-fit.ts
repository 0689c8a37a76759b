/**
 * When required content is too large there is a ladder, not a dead end (C17): page results that were not seen yet →
 * retire all → summaries → the finishing floor, which is built without a model. In finishing the summaries' rung is
 * skipped.
 */
import type { RecordFact } from '@waymark/record';
import { contentBytes, type SizeOf } from './content.js';
import { decideCompaction, type Interval } from './decide-compaction.js';
import { residentResults, retireAll } from './decide-retirement.js';
import type { RunState } from './run-state.js';

export type Rung =
  | { readonly rung: 'fits'; readonly content: number }
  | { readonly rung: 'page'; readonly facts: readonly Extract<RecordFact, { type: 'ResultPaged' }>[] }
  | { readonly rung: 'retire'; readonly fact: Extract<RecordFact, { type: 'ResultsRetired' }> }
  | { readonly rung: 'summarize'; readonly interval: Interval }
  | { readonly rung: 'floor' }
  | { readonly rung: 'impossible'; readonly content: number };

/** The smallest head that is worth paging to; below it the result's locator alone would stand. */
const SMALLEST_HEAD_BYTES = 512;

/** Content must fit the hard limit minus the notice room (C16). */
export const contentLimit = (s: RunState): number => s.hard - (s.admitted?.policy.context.noticeRoomBytes ?? 0);

/**
 * The next rung to take, given what stands now. `summaryTried`: a summary was tried for this request already and brought
 * nothing. The caller applies it and asks again.
 */
export function nextRung(s: RunState, frameBytes: number, sizeOf: SizeOf, summaryTried: boolean): Rung {
  const content = contentBytes(s.transcript, frameBytes, sizeOf);
  const limit = contentLimit(s);
  if (content <= limit) return { rung: 'fits', content };
  const paged = pageUnseen(s, content - limit, sizeOf);
  if (paged.length > 0) return { rung: 'page', facts: paged };
  const retired = retireAll(s, sizeOf);
  if (retired) return { rung: 'retire', fact: retired };
  if (!summaryTried) {
    const interval = decideCompaction(s, content, sizeOf, true);
    if (interval) return { rung: 'summarize', interval };
  }
  const floor = s.transcript.entries.length === 1 && s.transcript.entries[0]?.kind === 'map';
  return floor ? { rung: 'impossible', content } : { rung: 'floor' };
}

/**
 * Heads for results that the model has not had, so that `excess` bytes go: all get the same cap, the largest that
 * suffices. Empty when nothing of that kind is left to cut.
 */
function pageUnseen(s: RunState, excess: number, sizeOf: SizeOf): Extract<RecordFact, { type: 'ResultPaged' }>[] {
  const unseen = residentResults(s, sizeOf).filter(
    (r) => r.entry.seen === 0 && r.entry.form.form === 'full' && r.entry.settled.result.bytes > 2 * SMALLEST_HEAD_BYTES,
  );
  if (unseen.length === 0) return [];
  const total = unseen.reduce((sum, r) => sum + r.bytes, 0);
  const keep = Math.max(0, total - excess - unseen.length * 300);
  let left = keep;
  const bySize = [...unseen].sort((a, b) => a.bytes - b.bytes);
  let cap = 0;
  for (const [index, r] of bySize.entries()) {
    const share = left / (bySize.length - index);
    if (r.bytes > share) {
      cap = share;
      break;
    }
    left -= r.bytes;
    cap = r.bytes;
  }
  return unseen
    .filter((r) => r.bytes > cap)
    .map((r) => {
      const ratio = r.entry.settled.result.bytes / r.bytes;
      const headBytes = Math.max(SMALLEST_HEAD_BYTES, Math.floor(cap * ratio));
      return { type: 'ResultPaged', action: r.entry.action, headBytes } as const;
    });
}

/**
 * Bytes of the finishing floor with the map at its largest: instructions, question and map. Checked at the start.
 * `mapBytes` counts full, plus what JSON makes of it at worst for plain text.
 */
export const floorBytes = (frameBytes: number, questionBytes: number, mapBytes: number): number =>
  frameBytes + questionBytes + mapBytes + 200;
