import { unreadable } from '../../core/unreadable.js';
import type { ParseResult } from './parsed.js';

export type ReadableKind = 'pdf' | 'html' | 'md' | 'csv' | 'txt';

export type Parser = (bytes: Uint8Array) => ParseResult | Promise<ParseResult>;

/** Parses a file of a known kind. What a parser throws means that the file is damaged; running out of memory is not caught. */
export async function parseDocument(kind: ReadableKind, bytes: Uint8Array): Promise<ParseResult> {
  return await parseWith(await parserOf(kind), bytes);
}

export async function parseWith(parser: Parser, bytes: Uint8Array): Promise<ParseResult> {
  try {
    return await parser(bytes);
  } catch (cause) {
    const why = cause instanceof RangeError ? 'it is nested too deep or too large' : 'its structure is broken';
    return { ok: false, unreadable: unreadable('damaged', `The file cannot be read: ${why}.`) };
  }
}

/** Loaded when first needed: pdf.js alone takes longer to load than most files to parse. Fails for no reason of a file's. */
export async function parserOf(kind: ReadableKind): Promise<Parser> {
  switch (kind) {
    case 'pdf':
      return (await import('./parse-pdf.js')).parsePdf;
    case 'html':
      return (await import('./parse-html.js')).parseHtml;
    case 'csv':
      return (await import('./parse-csv.js')).parseCsv;
    case 'md':
    case 'txt': {
      const { parsePlain } = await import('./parse-plain.js');
      return (bytes) => parsePlain(bytes, kind);
    }
  }
}
