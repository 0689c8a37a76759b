import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { getDocument, VerbosityLevel, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { pageText, type Piece } from '../../core/page-lines.js';
import { unreadable, type Unreadable } from '../../core/unreadable.js';
import type { ParseResult } from './parsed.js';

/** A report of this length is no report; the time limit would end it anyway, but later and with a worse reason. */
const MAX_PAGES = 5_000;
const PDFJS = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** Text of a PDF by lines and pages. A page that cannot be read is left empty; if none can be, the file is damaged. */
export async function parsePdf(bytes: Uint8Array): Promise<ParseResult> {
  const task = getDocument({
    data: new Uint8Array(bytes), // pdf.js takes its array over
    verbosity: VerbosityLevel.ERRORS,
    cMapUrl: `${join(PDFJS, 'cmaps')}/`, // Chinese text without a map of its own is unreadable without these
    standardFontDataUrl: `${join(PDFJS, 'standard_fonts')}/`,
    useSystemFonts: false,
    disableFontFace: true,
    useWasm: false,
    enableXfa: false,
  });
  let document: PDFDocumentProxy;
  try {
    document = await task.promise;
  } catch (cause) {
    return { ok: false, unreadable: whyClosed(cause) };
  }
  if (document.numPages > MAX_PAGES) {
    const message = `The PDF has ${document.numPages} pages; at most ${MAX_PAGES} are read.`;
    return { ok: false, unreadable: unreadable('too_large', message) };
  }
  return await readPages(document);
}

async function readPages(document: PDFDocumentProxy): Promise<ParseResult> {
  const pages: string[] = [];
  let failed = 0;
  for (let number = 1; number <= document.numPages; number += 1) {
    try {
      pages.push(await readPage(document, number));
    } catch {
      failed += 1;
      pages.push('');
    }
  }
  if (failed === document.numPages) {
    return { ok: false, unreadable: unreadable('damaged', 'None of the pages of this PDF can be read.') };
  }
  if (pages.every((page) => page === '')) {
    const message = 'The PDF has pages but no text; it may hold scanned pictures.';
    return { ok: false, unreadable: unreadable('no_text', message) };
  }
  const parts = pages.map((page, i) => (i < pages.length - 1 ? `${page}\n\n` : page));
  return { ok: true, parsed: { title: await titleOf(document), text: parts.join(''), pages: parts } };
}

async function readPage(document: PDFDocumentProxy, number: number): Promise<string> {
  const page = await document.getPage(number);
  try {
    const { items } = await page.getTextContent({ includeMarkedContent: false });
    return pageText(items.flatMap((item) => ('str' in item ? [pieceOf(item)] : [])));
  } finally {
    page.cleanup();
  }
}

function pieceOf(item: { str: string; transform: unknown[]; width: number; height: number }): Piece {
  const [a, b, , d, x, y] = item.transform as number[];
  return {
    text: item.str,
    x: x ?? 0,
    y: y ?? 0,
    width: item.width,
    height: item.height || Math.abs(d ?? 0) || Math.hypot(a ?? 0, b ?? 0) || 10,
  };
}

async function titleOf(document: PDFDocumentProxy): Promise<string> {
  try {
    const { info } = await document.getMetadata();
    const title = (info as { Title?: unknown }).Title;
    return typeof title === 'string' ? title : '';
  } catch {
    return '';
  }
}

/** pdf.js tells its errors apart by their names only. */
function whyClosed(cause: unknown): Unreadable {
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'PasswordException') return unreadable('encrypted', 'The PDF asks for a password.');
  return unreadable('damaged', 'The file is not a PDF that can be opened.');
}
