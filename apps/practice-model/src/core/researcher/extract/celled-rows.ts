import type { Piece } from './piece.js';
import { indent, type Line, type Row } from './lines.js';
import { looseRow } from './loose-table.js';
import { findValues } from './values.js';

/** The lines from `from` on that are cut into at least two cells in one and the same way, and how many lines they take. */
export function celled(lines: Line[], from: number): { rows: Row[]; lines: number } | undefined {
  for (const cut of [pipes, tabs, gaps]) {
    const rows: Row[] = [];
    let taken = 0;
    for (const line of lines.slice(from)) {
      const cells = cut(line.text);
      const last = rows.at(-1);
      if (cells) {
        const even = cut === gaps ? evened(cells, rows[0]?.cells.length ?? 0) : cells;
        rows.push({ cells: even, start: line.start + indent(line.text), end: line.end });
      } else if (cut === gaps && last && isRest(line.text)) {
        // A label that was too long for its column goes on in a line of its own.
        last.cells[0] = `${last.cells[0] ?? ''} ${line.text.trim()}`;
        last.end = line.end;
      } else break;
      taken++;
    }
    if (rows.length >= 2) return { rows, lines: taken };
  }
  return undefined;
}

export function tableOf(rows: Row[]): Extract<Piece, { kind: 'table' }> {
  const ruled = (row: Row | undefined): boolean =>
    row !== undefined && row.cells.every((cell) => /^:?-{2,}:?$|^$/u.test(cell));
  const body = rows.filter((row) => !ruled(row));
  const first = body[0];
  // A first line with values beside its label is no header: the table goes on from, or has none.
  const headless =
    first !== undefined && !ruled(rows[1]) && first.cells.slice(1).some((cell) => findValues(` ${cell}`).length > 0);
  return headless || !first
    ? { kind: 'table', header: undefined, rows: body }
    : { kind: 'table', header: first, rows: body.slice(1) };
}

function pipes(text: string): string[] | undefined {
  if (!text.includes('|')) return undefined;
  const inner = text.trim().replace(/^\|/u, '').replace(/\|$/u, '');
  const cells = inner.split('|').map((cell) => cell.trim());
  return cells.length >= 2 || text.trim().startsWith('|') ? cells : undefined;
}

function tabs(text: string): string[] | undefined {
  const cells = text.split('\t').map((cell) => cell.trim());
  return cells.length >= 2 ? cells : undefined;
}

/** Two blanks part cells, but also sentences: a cell is no sentence. */
function gaps(text: string): string[] | undefined {
  const cells = text.trim().split(/\s{2,}/u);
  const sentence = cells.some((cell) => /[.。]$/u.test(cell) && cell.split(' ').length > 5);
  return cells.length >= 2 && !sentence ? cells : undefined;
}

const isRest = (text: string): boolean =>
  text.trim().length <= 40 &&
  /^\s*(?:[\p{Ll}(（]|(?:Fund|Trust|ETF)$)/u.test(text) &&
  !/[.。]$/u.test(text.trim()) &&
  findValues(` ${text}`).length === 0;

/** Where label and first value came without a gap between them, they are parted. */
function evened(cells: string[], width: number): string[] {
  const [first = '', ...rest] = cells;
  const loose = cells.length < width ? looseRow({ text: first, start: 0, end: first.length }) : undefined;
  return loose ? [...loose.cells, ...rest] : cells;
}
