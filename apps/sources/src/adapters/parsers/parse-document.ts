import { unreadable } from '../../core/unreadable.js';
import type { ParseResult } from './parsed.js';

export type ReadableKind = 'pdf' | 'html' | 'md' | 'csv' | 'txt';

/** Parses a file of a known kind. What a parser throws means that the file is damaged; running out of memory is not caught. */
export async function parseDocument(kind: ReadableKind, bytes: Uint8Array): Promise<ParseResult> {
  try {
    return await parserOf(kind)(bytes);
  } catch (cause) {
    const why = cause instanceof RangeError ? 'it is nested too deep or too large' : 'its structure is broken';
    return { ok: false, unreadable: unreadable('damaged', `The file cannot be read: ${why}.`) };
  }
}

/** Loaded when first needed: pdf.js alone takes longer to load than most files to parse. */
function parserOf(kind: ReadableKind): (bytes: Uint8Array) => Promise<ParseResult> {
  switch (kind) {
    case 'pdf':
      return async (bytes) => (await import('./parse-pdf.js')).parsePdf(bytes);
    case 'html':
      return async (bytes) => (await import('./parse-html.js')).parseHtml(bytes);
    case 'csv':
      return async (bytes) => (await import('./parse-csv.js')).parseCsv(bytes);
    case 'md':
    case 'txt':
      return async (bytes) => (await import('./parse-plain.js')).parsePlain(bytes, kind);
  }
}
