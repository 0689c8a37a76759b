import { indent, type Line, type Row } from './lines.js';
import { findValues } from './values.js';

/** Rows whose cells are only one space apart, as text from a page often is: a label and then nothing but values. */
export function looseTable(lines: Line[]): { before: Line[]; header: Row | undefined; rows: Row[] } | undefined {
  const split = lines.map((line) => looseRow(line));
  const first = split.findIndex((row) => row !== undefined);
  if (first < 0) return undefined;
  const rows = split.slice(first);
  const width = rows[0]?.cells.length ?? 0;
  const solid = rows.filter((row): row is Row => row !== undefined && row.cells.length === width);
  if (solid.length < rows.length || (solid.length < 2 && width < 3)) return undefined;
  const above = lines[first - 1];
  const header = above && !/[.。:：]$/u.test(above.text.trim()) ? above : undefined;
  return {
    before: lines.slice(0, header ? first - 1 : first),
    header: header ? { cells: [header.text.trim()], start: header.start, end: header.end } : undefined,
    rows: solid,
  };
}

function looseRow(line: Line): Row | undefined {
  const text = line.text.trim();
  const values = findValues(` ${text}`).map((v) => ({ start: v.start - 1, end: v.end - 1 }));
  const first = values[0];
  if (!first || first.start < 2 || /[:：.。;；]$/u.test(text)) return undefined;
  const label = text.slice(0, first.start).trim();
  if (label.split(/\s+/u).length > 6 || /[.,;:，。：]$/u.test(label)) return undefined;
  let at = first.start;
  for (const value of values) {
    if (text.slice(at, value.start).trim() !== '') return undefined;
    at = value.end;
  }
  if (text.slice(at).replace(/[*†)]/gu, '').trim() !== '') return undefined;
  const cells = [label, ...values.map((v) => text.slice(v.start, v.end))];
  return { cells, start: line.start + indent(line.text), end: line.end };
}
