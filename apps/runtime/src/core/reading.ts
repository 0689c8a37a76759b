/** Which ranges of which source the model has really had (C5). */
import type { ReadRange, ResultEntry } from '@waymark/record';
import type { SourceReading } from './run-state.js';

export function addRange(reading: Record<string, SourceReading>, range: ReadRange): void {
  const source = (reading[range.locator] ??= { name: range.name, total: range.total, had: [] });
  source.had = mergeRange(source.had, [range.start, range.end]);
}

/**
 * What the model has had of a source with this result. Of a paged one only its head stands: the bytes after the result's
 * own first line. Null for a stub or a result of no source.
 */
export function rangeHad(result: ResultEntry): ReadRange | null {
  const { range, result: body } = result.settled;
  if (!range || result.form.form === 'stub') return null;
  if (result.form.form === 'full') return range;
  if (body.escaped) return null; // its bytes are not those of the text
  const firstLine = body.bytes - (range.end - range.start);
  const end = Math.min(range.end, range.start + Math.max(0, result.form.bytes - firstLine));
  return end > range.start ? { ...range, end } : null;
}

/** Inserts one range into merged, ascending ranges. */
export function mergeRange(ranges: readonly [number, number][], added: readonly [number, number]): [number, number][] {
  const out: [number, number][] = [];
  let [start, end] = added;
  let placed = false;
  for (const [s, e] of ranges) {
    if (e < start) out.push([s, e]);
    else if (s > end) {
      if (!placed) out.push([start, end]);
      placed = true;
      out.push([s, e]);
    } else {
      start = Math.min(start, s);
      end = Math.max(end, e);
    }
  }
  if (!placed) out.push([start, end]);
  return out;
}

export const hadBytes = (source: SourceReading): number => source.had.reduce((sum, [s, e]) => sum + (e - s), 0);

/** Sources that the model has had in part, least read first, at most `most`. */
export function partlyRead(
  reading: Record<string, SourceReading>,
  most: number,
): { locator: string; name: string; hadBytes: number; totalBytes: number }[] {
  return Object.entries(reading)
    .map(([locator, s]) => ({ locator, name: s.name, hadBytes: hadBytes(s), totalBytes: s.total }))
    .filter((s) => s.hadBytes < s.totalBytes)
    .sort((a, b) => a.hadBytes / a.totalBytes - b.hadBytes / b.totalBytes || (a.locator < b.locator ? -1 : 1))
    .slice(0, most);
}
