import { tableRows } from '../../core/table-rows.js';

/** What is no text of the page. */
const DROPPED = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT EMBED SVG CANVAS HEAD NAV BUTTON SELECT INPUT TEXTAREA'.split(' '),
);
const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM ' +
    'H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL'
  ).split(' '),
);
const ELEMENT = 1;
const TEXT = 3;

/** The little of a DOM node that is needed here. */
export interface HtmlNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly firstChild: HtmlNode | null;
  readonly nextSibling: HtmlNode | null;
  readonly parentNode: HtmlNode | null;
}

/**
 * The text under `root`: blocks on lines of their own, headings with `#`, list items with `-`, tables as Markdown rows,
 * `pre` as it stands. Walks without recursion: depth is the file's to choose.
 */
export function htmlText(root: HtmlNode): string {
  const out = new Lines();
  let preformatted: HtmlNode | null = null;
  walk(root, {
    enter(node) {
      const name = node.nodeName.toUpperCase();
      if (node.nodeType === TEXT) out.write(node.textContent ?? '', preformatted !== null);
      if (node.nodeType !== ELEMENT) return node === root;
      if (DROPPED.has(name)) return false;
      if (name === 'TABLE' && !holdsTable(node)) {
        out.block(rowsOf(node));
        return false;
      }
      if (name === 'BR') out.write('\n', true);
      if (BLOCKS.has(name)) out.breakLine(/^(LI|DT|DD|TR)$/.test(name) ? 1 : 2);
      if (/^H[1-6]$/.test(name)) out.write(`${'#'.repeat(Number(name[1]))} `, true);
      if (name === 'LI') out.write('- ', true);
      if (name === 'PRE') preformatted ??= node;
      return true;
    },
    leave(node) {
      const name = node.nodeName.toUpperCase();
      if (node === preformatted) preformatted = null;
      if (BLOCKS.has(name)) out.breakLine(/^(LI|DT|DD|TR)$/.test(name) ? 1 : 2);
      if (name === 'TD' || name === 'TH') out.write(' ', false); // a layout table: cells must not run together
    },
  });
  return out.text();
}

/** Rows of every table that holds no other table, as they stand in {@link htmlText}. */
export function tablesOf(root: HtmlNode): string[] {
  const tables: string[] = [];
  walk(root, {
    enter(node) {
      if (DROPPED.has(node.nodeName.toUpperCase())) return false;
      if (node.nodeName.toUpperCase() !== 'TABLE' || holdsTable(node)) return true;
      tables.push(rowsOf(node));
      return false;
    },
    leave: () => undefined,
  });
  return tables;
}

/** How many elements deep the nodes under `root` stand at most. */
export function depthOf(root: HtmlNode): number {
  let depth = 0;
  let deepest = 0;
  walk(root, {
    enter() {
      depth += 1;
      deepest = Math.max(deepest, depth);
      return true;
    },
    leave: () => void (depth -= 1),
  });
  return deepest;
}

function holdsTable(table: HtmlNode): boolean {
  let found = false;
  walk(table, {
    enter(node) {
      if (node !== table && node.nodeName.toUpperCase() === 'TABLE') found = true;
      return !found;
    },
    leave: () => undefined,
  });
  return found;
}

function rowsOf(table: HtmlNode): string {
  const captions: string[] = [];
  const rows: string[][] = [];
  walk(table, {
    enter(node) {
      const name = node.nodeName.toUpperCase();
      if (DROPPED.has(name)) return false;
      if (name === 'CAPTION') captions.push(flat(node));
      if (name === 'TR') rows.push([]);
      if (name === 'TD' || name === 'TH') {
        if (rows.length === 0) rows.push([]); // cells without a row
        rows.at(-1)?.push(flat(node));
        return false;
      }
      return name !== 'CAPTION';
    },
    leave: () => undefined,
  });
  return [...captions, tableRows(rows.filter((row) => row.length > 0))].filter((part) => part !== '').join('\n');
}

/** Text of a cell on one line. */
function flat(cell: HtmlNode): string {
  const parts: string[] = [];
  walk(cell, {
    enter(node) {
      const name = node.nodeName.toUpperCase();
      if (node.nodeType === TEXT) parts.push(node.textContent ?? '');
      if (name === 'BR' || BLOCKS.has(name)) parts.push(' ');
      return !DROPPED.has(name);
    },
    leave: () => undefined,
  });
  return parts
    .join('')
    .replace(/[\s\u00a0]+/g, ' ')
    .trim();
}

interface Visitor {
  /** Whether to go into its children. */
  enter(node: HtmlNode): boolean;
  leave(node: HtmlNode): void;
}

function walk(root: HtmlNode, visitor: Visitor): void {
  let node: HtmlNode = root;
  for (;;) {
    if (visitor.enter(node) && node.firstChild) {
      node = node.firstChild;
      continue;
    }
    for (;;) {
      visitor.leave(node);
      if (node === root) return;
      if (node.nextSibling) break;
      node = node.parentNode ?? root;
    }
    node = node.nextSibling;
  }
}

/** Collects text; blanks run together as in a browser, line breaks are asked for and never doubled beyond two. */
class Lines {
  private readonly parts: string[] = [];
  private breaks = 0;
  private atStart = true;

  write(text: string, verbatim: boolean): void {
    let piece = verbatim ? text : text.replace(/[ \t\r\n\f\u00a0]+/g, ' ');
    if (!verbatim && (this.atStart || this.breaks > 0)) piece = piece.replace(/^ /, '');
    if (piece === '') return;
    if (this.breaks > 0 && !this.atStart) this.parts.push('\n'.repeat(this.breaks));
    this.breaks = 0;
    this.parts.push(piece);
    this.atStart = piece.endsWith('\n') || (this.atStart && piece === '');
  }

  block(text: string): void {
    if (text === '') return;
    this.breakLine(2);
    this.write(text, true);
    this.breakLine(2);
  }

  breakLine(lines: number): void {
    if (this.parts.length > 0) this.breaks = Math.max(this.breaks, lines);
  }

  text(): string {
    return this.parts
      .join('')
      .replace(/[ \t]+\n/g, '\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }
}
