import { indent, type Line } from './lines.js';
import { celled, tableOf } from './celled-rows.js';
import { looseRow, looseTable } from './loose-table.js';
import type { Piece } from './piece.js';
import { findValues } from './values.js';

const HEADING = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*$/u;
const RULE = /^\s*(?:=+|-{3,}|\*{3,})\s*$/u;
const BULLET = /^\s*(?:[-*•·]|\d{1,2}[.)])\s+/u;
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
    if (run) {
      flush();
      out.push(tableOf(run.rows));
      i += run.lines - 1;
      continue;
    }
    if (!RULE.test(line.text)) prose.push(line);
  }
  flush();
}

function paragraphPieces(lines: Line[], out: Piece[]): void {
  const pairs = lines.map(pairOf);
  const mostlyPairs = pairs.filter(Boolean).length * 2 >= lines.length;
  let prose: Line[] = [];
  const flush = (): void => {
    if (prose.length > 0) out.push(proseOf(prose));
    prose = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as Line;
    const pair = pairs[i];
    const loose = pair ? undefined : looseTable(lines, i);
    if (loose) {
      flush();
      out.push({ kind: 'table', header: loose.header, rows: loose.rows });
      i = loose.next - 1;
    } else if (pair && (mostlyPairs || (prose.length === 0 && isMeasured(pair)))) {
      flush();
      out.push(pair);
    } else if (isTitle(line.text) && standsApart(line, prose.at(-1), lines[i + 1], pairs[i + 1] !== undefined)) {
      flush();
      out.push({ kind: 'heading', level: 3, text: line.text.trim() });
    } else {
      if (BULLET.test(line.text)) flush();
      prose.push(line);
    }
  }
  flush();
}

/** A title is not the tail of a sentence before it, nor the head of one that goes on: wrapped lines are of like length. */
function standsApart(line: Line, before: Line | undefined, after: Line | undefined, beforePair: boolean): boolean {
  if (before && !/[.。:：!?！？]$/u.test(before.text.trim())) return false;
  if (!after || beforePair || looseRow(after)) return true;
  const [length, next] = [line.text.trim().length, after.text.trim()];
  return /^[\p{Lu}\p{Script=Han}•*-]/u.test(next) && (length < next.length * 0.6 || isTitle(next));
}

/** Line ends become spaces, one for one, so that offsets stay. */
function proseOf(lines: Line[]): Piece {
  const first = lines[0] as Line;
  let text = '';
  for (const line of lines) text = text.padEnd(line.start - first.start, ' ') + line.text;
  return { kind: 'prose', text, start: first.start };
}

function pairOf(line: Line): Extract<Piece, { kind: 'pair' }> | undefined {
  const m = PAIR.exec(line.text);
  const label = m?.[1]?.trim() ?? '';
  const value = m?.[2]?.replace(/\*\*|__/gu, '').trim() ?? '';
  if (!m || label.split(/\s+/u).length > 8 || value.length > 70) return undefined;
  if (/[.。]$/u.test(value) && value.split(/\s+/u).length > 6) return undefined;
  return { kind: 'pair', label, value, start: line.start + indent(line.text), end: line.end };
}

const isMeasured = (pair: Extract<Piece, { kind: 'pair' }>): boolean => findValues(` ${pair.value}`)[0]?.start === 1;

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
