/**
 * Active time is the union of the run's own model and tool execution (B5).
 *
 * 1. Everything before `collapsedTo` is a sum, so that the state stays small whatever the run's length.
 * 2. An interval collapses only when no running activity reaches back to it, and the newest {@link KEPT} never do:
 *    a late report on a closed activity still unites exactly.
 * 3. Under an activity that runs for very long, gaps between older intervals are charged (it is taken to run in them).
 *    Time is never given back (B6).
 */
import { clip, lengthOf, union, type Interval } from './intervals.js';

export interface ActiveTime {
  readonly collapsedMs: number;
  readonly collapsedTo: number;
  readonly intervals: readonly Interval[];
  /** The charged part that nobody can prove (B6). */
  readonly unknownMs: number;
}

export const NO_ACTIVE_TIME: ActiveTime = { collapsedMs: 0, collapsedTo: 0, intervals: [], unknownMs: 0 };

const KEPT = 8;
const MOST = 64;

/** Adds closed intervals; `runningFrom` is the start of the earliest activity that still runs, else Infinity. */
export function charge(active: ActiveTime, added: readonly Interval[], runningFrom: number): ActiveTime {
  const all = union([...active.intervals, ...clip(added, active.collapsedTo)]);
  const free = all.findIndex(([, end], index) => end > runningFrom || index >= all.length - KEPT);
  const gone = all.slice(0, Math.max(free, 0));
  return {
    ...active,
    collapsedMs: active.collapsedMs + lengthOf(gone),
    collapsedTo: gone.at(-1)?.[1] ?? active.collapsedTo,
    intervals: fewer(all.slice(gone.length)),
  };
}

/** As {@link charge}, where everything from `unknownFrom` on is charged without proof. */
export function chargeUnknown(
  active: ActiveTime,
  added: readonly Interval[],
  unknownFrom: number,
  runningFrom: number,
): ActiveTime {
  const known = charge(active, clip(added, 0, unknownFrom), runningFrom);
  const all = charge(active, added, runningFrom);
  return { ...all, unknownMs: active.unknownMs + usedMs(all, [], 0) - usedMs(known, [], 0) };
}

/** The union's length at `now`; each of `runningFrom` counts as running until then. */
export function usedMs(active: ActiveTime, runningFrom: readonly number[], now: number): number {
  const running = clip(
    runningFrom.map((from): Interval => [from, now]),
    active.collapsedTo,
  );
  return active.collapsedMs + lengthOf(union([...active.intervals, ...running]));
}

function fewer(intervals: readonly Interval[]): readonly Interval[] {
  const [first, second] = intervals;
  if (intervals.length <= MOST || !first || !second) return intervals;
  return fewer([[first[0], second[1]], ...intervals.slice(2)]);
}
