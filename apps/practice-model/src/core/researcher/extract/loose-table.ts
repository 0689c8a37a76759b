import { indent, type Line, type Row } from './lines.js';
import { looseHeader } from './loose-header.js';
import { findValues } from './values.js';

/**
 * Rows whose cells are only one space apart, as text from a page often is: a label and then nothing but values. The table
 * begins at `from` with its header or its first row; `next` is the line after it.
 */
export function looseTable(
  lines: Line[],
  from: number,
): { header: Row | undefined; rows: Row[]; next: number } | undefined {
  const head = lines[from];
  if (!head) return undefined;
  const headless = looseRow(head) !== undefined;
  if (!headless && /[.。:：;；,，]$/u.test(head.text.trim())) return undefined;
  const rows: Row[] = [];
  for (const line of lines.slice(headless ? from : from + 1)) {
    const row = looseRow(line);
    if (!row || row.cells.length !== (rows[0] ?? row).cells.length) break;
    rows.push(row);
  }
  const width = rows[0]?.cells.length ?? 0;
  const fits = !headless && looseHeader([head.text.trim()], width, []).length === width;
  if (rows.length === 0 || (rows.length < 2 && width < 3 && !fits)) return undefined;
  const header = headless || !(fits || width === 2) ? undefined : head;
  if (!headless && !header) return undefined;
  return {
    header: header && { cells: [header.text.trim()], start: header.start, end: header.end },
    rows,
    next: from + rows.length + (headless ? 0 : 1),
  };
}

export function looseRow(line: Line): Row | undefined {
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
