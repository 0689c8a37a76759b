/** `[start, end)` in ms of the budget's clock. */
export type Interval = readonly [start: number, end: number];

/** Sorted, without overlap or touch, without empty ones. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = intervals.filter(([start, end]) => end > start).sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** What of the intervals lies in `[from, to)`. */
export function clip(intervals: readonly Interval[], from: number, to = Infinity): readonly Interval[] {
  return intervals
    .map(([start, end]): Interval => [Math.max(start, from), Math.min(end, to)])
    .filter(([s, e]) => e > s);
}

/** Of intervals that do not overlap. */
export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [start, end]) => sum + end - start, 0);
}
