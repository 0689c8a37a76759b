import type { Row } from './lines.js';

/** Rows of separated values; the separator is the one that the first line has most of. Lines without it are left out. */
export function csvRows(text: string): { rows: Row[]; decimalComma: boolean } {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
  const counts = [',', ';', '\t', '|'].map((sep) => [sep, first.split(sep).length] as const);
  const separator = counts.reduce((a, b) => (b[1] > a[1] ? b : a))[0];
  const rows: Row[] = [];
  let start = 0;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\r$/u, '');
    if (line.includes(separator) && !line.startsWith('#')) {
      rows.push({ cells: cellsOf(line, separator), start, end: start + line.length });
    }
    start += raw.length + 1;
  }
  return { rows, decimalComma: separator === ';' };
}

/** Quotes guard separators; a doubled quote inside them is one quote. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i] ?? '';
    if (quoted) {
      if (c !== '"') cell += c;
      else if (line[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === separator) {
      cells.push(cell.trim());
      cell = '';
    } else cell += c;
  }
  cells.push(cell.trim());
  return cells;
}
