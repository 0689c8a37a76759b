import type { NoteRecord } from './notes-line.js';

/** The same knowledge in fewer records: what was overtaken goes, agreeing figures keep two sources. */
export function condenseNotes(records: readonly NoteRecord[]): NoteRecord[] {
  const keyed = new Map<string, NoteRecord>();
  const seen = new Map<string, number>();
  const ranges = new Map<string, [number, number][]>();
  const turns: NoteRecord[] = [];
  records.forEach((record, i) => {
    const [kind, ...f] = record;
    if (kind === 't') turns.push(record);
    else if (kind === 'r') ranges.set(f[0] ?? '', [...(ranges.get(f[0] ?? '') ?? []), [Number(f[1]), Number(f[2])]]);
    else if (kind === 'x' || kind === 'w' || kind === 'k') keyed.set(`${kind}|${f[0]}`, record);
    else if (kind === 'l') keyed.set('l', record);
    else if (kind === 'f') {
      const same = [f[1], f[2], f[3], f[4], f[5], f[8]].join('|');
      const times = seen.get(same) ?? 0;
      seen.set(same, times + 1);
      if (times < 2) keyed.set(`f|${i}`, record);
    } else if (kind === 'e') keyed.set(`e|${i}`, record);
    else keyed.set(record.join('|'), record);
  });
  const read = [...ranges].flatMap(([document, list]) =>
    merged(list).map(([start, end]): NoteRecord => ['r', document, String(start), String(end)]),
  );
  return [...turns, ...keyed.values(), ...read];
}

/** Ranges in order, those that touch made one. */
export function merged(ranges: readonly [number, number][]): [number, number][] {
  const out: [number, number][] = [];
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else out.push([start, end]);
  }
  return out;
}
