import { indent, type Line, type Row } from './lines.js';
import { looseTable } from './loose-table.js';
import { findValues } from './values.js';

/** A text cut into what it looks like. Offsets are character indexes in the text. */
export type Piece =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'table'; rows: Row[]; header: Row | undefined }
  | { kind: 'pair'; label: string; value: string; start: number; end: number }
  | { kind: 'prose'; text: string; start: number };

const HEADING = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*$/u;
const RULE = /^\s*(?:=+|-{3,}|\*{3,})\s*$/u;
const PAIR =
  /^\s*(?:[-*•·]\s+|\d{1,2}[.)]\s+)?(?:\*\*|__)?([^:：=|]{2,70}?)(?:\*\*|__)?\s*(?:[:：]|\s=|\.{3,}|…+|·{3,})\s*(?:\*\*|__)?\s*(\S.*?)\s*$/u;

export function cutIntoPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const paragraph of paragraphs(text)) piecesOf(paragraph, pieces);
  return pieces;
}

function paragraphs(text: string): Line[][] {
  const out: Line[][] = [];
  let current: Line[] = [];
  let start = 0;
  for (const raw of text.split('\n')) {
    const line = { text: raw.replace(/\r$/u, ''), start, end: start + raw.replace(/\s+$/u, '').length };
    start += raw.length + 1;
    if (line.text.trim() !== '') current.push(line);
    else if (current.length > 0) {
      out.push(current);
      current = [];
    }
  }
  if (current.length > 0) out.push(current);
  return out;
}

function piecesOf(lines: Line[], out: Piece[]): void {
  let prose: Line[] = [];
  const flush = (): void => {
    if (prose.length > 0) paragraphPieces(prose, out);
    prose = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line;
    const heading = HEADING.exec(line.text);
    if (heading) {
      flush();
      out.push({ kind: 'heading', level: (heading[1] ?? '#').length, text: heading[2] ?? '' });
      continue;
    }
    const under = lines[i + 1];
    if (prose.length === 0 && under && RULE.test(under.text) && !line.text.includes('|')) {
      out.push({ kind: 'heading', level: under.text.includes('=') ? 1 : 2, text: line.text.trim() });
      i++;
      continue;
    }
    const run = celled(lines, i);
    if (run.length >= 2) {
      flush();
      out.push(tableOf(run));
      i += run.length - 1;
      continue;
    }
    if (!RULE.test(line.text)) prose.push(line);
  }
  flush();
}

/** The lines from `from` on that are cut into at least two cells in one and the same way. */
function celled(lines: Line[], from: number): Row[] {
  for (const cut of [pipes, tabs, gaps]) {
    const rows: Row[] = [];
    for (const line of lines.slice(from)) {
      const cells = cut(line.text);
      if (!cells) break;
      rows.push({ cells, start: line.start + indent(line.text), end: line.end });
    }
    if (rows.length >= 2) return rows;
  }
  return [];
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
function gaps(text: string): string[] | undefined {
  const cells = text.trim().split(/\s{2,}/u);
  return cells.length >= 2 ? cells : undefined;
}

function tableOf(rows: Row[]): Piece {
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

function paragraphPieces(lines: Line[], out: Piece[]): void {
  const first = lines[0] as Line;
  const loose = looseTable(lines);
  if (loose) {
    if (loose.before.length > 0) paragraphPieces(loose.before, out);
    out.push({ kind: 'table', header: loose.header, rows: loose.rows });
    return;
  }
  const pairs = lines.map(pairOf);
  if (pairs.filter(Boolean).length * 2 >= lines.length) {
    lines.forEach((line, i) => out.push(pairs[i] ?? proseOf([line])));
    return;
  }
  if (lines.length === 1 && isTitle(first.text)) out.push({ kind: 'heading', level: 3, text: first.text.trim() });
  else if (
    lines.length > 1 &&
    isTitle(first.text) &&
    !isTitle(lines[1]?.text ?? '') &&
    /^\p{Lu}|^\p{Script=Han}|^[-*•]/u.test(lines[1]?.text.trim() ?? '')
  ) {
    out.push({ kind: 'heading', level: 3, text: first.text.trim() });
    paragraphPieces(lines.slice(1), out);
  } else bulletsOf(lines, out);
}

/** Each bullet is prose of its own; other lines are one wrapped paragraph. */
function bulletsOf(lines: Line[], out: Piece[]): void {
  let current: Line[] = [];
  for (const line of lines) {
    if (/^\s*(?:[-*•·]|\d{1,2}[.)])\s+/u.test(line.text) && current.length > 0) {
      out.push(proseOf(current));
      current = [];
    }
    current.push(line);
  }
  if (current.length > 0) out.push(proseOf(current));
}

/** Line ends become spaces, one for one, so that offsets stay. */
function proseOf(lines: Line[]): Piece {
  const first = lines[0] as Line;
  let text = '';
  for (const line of lines) text = text.padEnd(line.start - first.start, ' ') + line.text;
  return { kind: 'prose', text, start: first.start };
}

function pairOf(line: Line): Piece | undefined {
  const m = PAIR.exec(line.text);
  const label = m?.[1]?.trim() ?? '';
  const value = m?.[2]?.replace(/\*\*|__/gu, '').trim() ?? '';
  if (!m || label.split(/\s+/u).length > 8 || value.length > 70) return undefined;
  if (/[.。]$/u.test(value) && value.split(/\s+/u).length > 6) return undefined;
  return { kind: 'pair', label, value, start: line.start + indent(line.text), end: line.end };
}

function isTitle(raw: string): boolean {
  const text = raw.trim();
  return (
    text.length <= 80 &&
    !/[.。;；,，:：!?]$/u.test(text) &&
    !/^[-*•|]/u.test(text) &&
    text.split(/\s+/u).length <= 10 &&
    /^[\p{Lu}\p{Script=Han}\d]/u.test(text) &&
    findValues(` ${text}`).length === 0
  );
}
