import type { IndexedPassage } from '../../core/document-text.js';
import type { Unreadable } from '../../core/unreadable.js';
import type { ReadableKind } from '../parsers/parse-document.js';

/**
 * Between the service and its parse process, over the channel that `fork` opens. The service sends one order and the file
 * behind it on standard input (`bytes` of it), and sends the next only after `done` or `failed`. The text and the passages
 * come in pieces, so that no message keeps the service's event loop.
 */
export interface ParseOrder {
  readonly name: string;
  readonly kind: ReadableKind;
  readonly bytes: number;
  /** Largest text that is taken. */
  readonly maxTextBytes: number;
}

export type ParseNews =
  /** It has its reader and the whole file: what happens from here on is the file's doing. */
  | { readonly type: 'begun' }
  | { readonly type: 'text'; readonly piece: Uint8Array }
  | { readonly type: 'passages'; readonly passages: readonly IndexedPassage[] }
  | {
      readonly type: 'done';
      readonly title: string;
      readonly pages: number | null;
      readonly pageStarts: readonly number[] | null;
      readonly blockLines: readonly number[];
    }
  | { readonly type: 'failed'; readonly unreadable: Unreadable };
