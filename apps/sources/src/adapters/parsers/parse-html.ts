import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { decodeBytes } from '../../core/decode-bytes.js';
import { unreadable } from '../../core/unreadable.js';
import { depthOf, htmlText, tablesOf, type HtmlNode } from './html-text.js';
import type { ParseResult } from './parsed.js';

/** Less of the page than this is not its main content but a part of it. */
const MIN_SHARE = 0.5;
/** Readability's time grows with a page's size and with the cube of its depth; beyond these the whole body is taken. */
const MAX_READABILITY_BYTES = 2 * 1024 * 1024;
const MAX_READABILITY_DEPTH = 100;

/**
 * The main content of a page, or its whole body when the main content would lose a table or more than half of the text.
 * Scripts never run and leave no text.
 */
export function parseHtml(bytes: Uint8Array): ParseResult {
  const html = decodeBytes(bytes, charsetOf(bytes));
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`);
  const body = (document.body ?? document.documentElement) as unknown as HtmlNode | null;
  const whole = body === null ? '' : htmlText(body);
  if (body === null || whole.trim() === '') {
    return { ok: false, unreadable: unreadable('no_text', 'The page holds no text.') };
  }
  const tables = tablesOf(body);
  const heading = oneLine(document.querySelector('h1')?.textContent);
  const title = oneLine(document.querySelector('title')?.textContent) || heading;
  const readable = bytes.length <= MAX_READABILITY_BYTES && depthOf(body) <= MAX_READABILITY_DEPTH;
  const main = readable ? mainContent(html) : undefined;
  const enough =
    main !== undefined && main.length >= MIN_SHARE * whole.length && tables.every((table) => main.includes(table));
  return { ok: true, parsed: { title, text: `${enough ? withHeading(main, heading) : whole}\n`, pages: null } };
}

/** Readability changes the document, so it gets one of its own. */
function mainContent(html: string): string | undefined {
  try {
    const { document } = parseHTML(html);
    const article = new Readability<HtmlNode>(document as never, { serializer: (node) => node as never }).parse();
    return article?.content ? htmlText(article.content) : undefined;
  } catch {
    return undefined; // it is a choice of parts; without it the whole body stands
  }
}

/** Readability leaves out a heading that repeats the title. */
function withHeading(main: string, heading: string): string {
  return heading === '' || main.includes(heading) ? main : `# ${heading}\n\n${main}`;
}

const oneLine = (text: string | null | undefined): string => (text ?? '').replace(/\s+/g, ' ').trim();

/** The charset that the file names in its first KiB; a label, tried only when the bytes are not UTF-8. */
function charsetOf(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 1024));
  return /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1] ?? /encoding\s*=\s*["']([\w-]+)/i.exec(head)?.[1];
}
