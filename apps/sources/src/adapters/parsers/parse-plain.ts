import { decodeBytes } from '../../core/decode-bytes.js';
import { unreadable } from '../../core/unreadable.js';
import type { ParseResult } from './parsed.js';

/** Text and Markdown stay as they are, decoded. */
export function parsePlain(bytes: Uint8Array, kind: 'md' | 'txt'): ParseResult {
  const text = decodeBytes(bytes);
  if (text.trim() === '') return { ok: false, unreadable: unreadable('no_text', 'The file holds blanks only.') };
  const title = kind === 'md' ? (/^#{1,3}[ \t]+(.+?)[ \t#]*$/m.exec(text)?.[1] ?? '') : '';
  return { ok: true, parsed: { title, text, pages: null } };
}
