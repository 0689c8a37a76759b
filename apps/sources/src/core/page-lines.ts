/**
 * From the pieces of text of one PDF page to lines.
 *
 * 1. Pieces at the same height are one line, left to right.
 * 2. A gap wider than a letter's height parts columns: two spaces, so that a table's row keeps its cells apart.
 * 3. A page of prose in two columns is read one column after the other.
 * 4. A gap between lines that is clearly wider than usual is an empty line: a paragraph ends.
 */
export interface Piece {
  readonly text: string;
  readonly x: number;
  /** Baseline, growing upwards. */
  readonly y: number;
  readonly width: number;
  /** Height of a letter. */
  readonly height: number;
}

interface Segment {
  readonly text: string;
  readonly left: number;
  readonly right: number;
}

interface Line {
  readonly y: number;
  readonly height: number;
  readonly segments: readonly Segment[];
}

export function pageText(pieces: readonly Piece[]): string {
  const lines = linesOf(pieces.filter((piece) => piece.text !== ''));
  const gutter = gutterOf(lines);
  if (gutter === undefined) return paragraphs(lines);
  return inColumns(lines, gutter);
}

function linesOf(pieces: readonly Piece[]): Line[] {
  const rows: Piece[][] = [];
  for (const piece of [...pieces].sort((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row && first && first.y - piece.y <= 0.4 * Math.min(first.height, piece.height)) row.push(piece);
    else rows.push([piece]);
  }
  return rows
    .map((row) => ({
      y: row[0]?.y ?? 0,
      height: row.reduce((highest, piece) => Math.max(highest, piece.height), 0),
      segments: segmentsOf([...row].sort((a, b) => a.x - b.x)),
    }))
    .filter((line) => line.segments.length > 0);
}

function segmentsOf(row: readonly Piece[]): Segment[] {
  const segments: { text: string; left: number; right: number }[] = [];
  for (const piece of row) {
    if (piece.text.trim() === '') continue; // gaps are measured, blanks are not trusted
    const last = segments.at(-1);
    const gap = last === undefined ? Infinity : piece.x - last.right;
    const right = piece.x + piece.width;
    if (last === undefined || gap > piece.height) segments.push({ text: piece.text, left: piece.x, right });
    else {
      const blank = gap > 0.15 * piece.height && !/\s$/.test(last.text) && !/^\s/.test(piece.text) ? ' ' : '';
      last.text += blank + piece.text;
      last.right = Math.max(last.right, right);
    }
  }
  return segments.map((segment) => ({ ...segment, text: segment.text.trim() }));
}

/** Where the right column starts, if most lines are two long pieces of prose that begin there. */
function gutterOf(lines: readonly Line[]): number | undefined {
  const prose = lines.filter(
    ({ segments: [a, b, c] }) => a && b && !c && a.text.length >= 20 && b.text.length >= 20 && /\p{L}{3}/u.test(b.text),
  );
  if (prose.length < 8 || prose.length < 0.6 * lines.length) return undefined;
  const starts = prose.map(({ segments }) => segments[1]?.left ?? 0).sort((a, b) => a - b);
  const middle = starts[Math.floor(starts.length / 2)] ?? 0;
  const near = starts.filter((start) => Math.abs(start - middle) < 12).length;
  return near >= 0.8 * starts.length ? middle - 6 : undefined;
}

/** Lines across both columns part the page; between them left comes before right. */
function inColumns(lines: readonly Line[], gutter: number): string {
  const parts: string[] = [];
  let left: Line[] = [];
  let right: Line[] = [];
  const flush = (): void => {
    parts.push(paragraphs(left), paragraphs(right));
    left = [];
    right = [];
  };
  for (const line of lines) {
    if (line.segments.some((segment) => segment.left < gutter && segment.right > gutter + 6)) {
      flush();
      parts.push(paragraphs([line]));
      continue;
    }
    const before = line.segments.filter((segment) => segment.left < gutter);
    const after = line.segments.filter((segment) => segment.left >= gutter);
    if (before.length > 0) left.push({ ...line, segments: before });
    if (after.length > 0) right.push({ ...line, segments: after });
  }
  flush();
  return parts.filter((part) => part !== '').join('\n\n');
}

function paragraphs(lines: readonly Line[]): string {
  const gaps = lines
    .slice(1)
    .map((line, i) => (lines[i]?.y ?? 0) - line.y)
    .sort((a, b) => a - b);
  const usual = gaps[Math.floor((gaps.length - 1) / 2)] ?? 0;
  return lines
    .map((line, i) => {
      const gap = i === 0 ? 0 : (lines[i - 1]?.y ?? 0) - line.y;
      const text = line.segments.map((segment) => segment.text).join('  ');
      return `${i > 0 ? (gap > 1.4 * usual ? '\n\n' : '\n') : ''}${text}`;
    })
    .join('');
}
