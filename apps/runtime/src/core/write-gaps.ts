/** Gaps of a report that are about its own writes: not confirmed, or not taken (P9, L11). */
import type { RunState } from './run-state.js';

export function writeGaps(s: RunState): string[] {
  const zh = s.admitted?.language === 'zh';
  const lost = [...new Set(s.lostWrites.map((w) => w.block))];
  return [
    ...s.unconfirmed.map((u) =>
      zh ? `章节“${u.block}”的一次写入未得到确认。` : `One write of block "${u.block}" was not confirmed.`,
    ),
    ...lost.map((block) =>
      zh ? `章节“${block}”的一次写入未能发布。` : `One write of block "${block}" could not be published.`,
    ),
  ].map((gap) => gap.toWellFormed());
}

/** The gaps of an ending, with what has become of its writes since it was decided. */
export function gapsNow(s: RunState): string[] {
  const { gaps = [], writeGaps: before = [] } = s.ending ?? {};
  return [...writeGaps(s), ...gaps.filter((gap) => !before.includes(gap))].slice(0, MOST_GAPS);
}

/** Gaps that a report takes at most. */
const MOST_GAPS = 50;
