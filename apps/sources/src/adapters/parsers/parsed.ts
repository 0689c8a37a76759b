import type { Unreadable } from '../../core/unreadable.js';

/** What every parser makes of a file. */
export interface Parsed {
  readonly title: string;
  readonly text: string;
  /** Texts of the pages in order, when the format has pages; joined they are `text`. */
  readonly pages: readonly string[] | null;
}

export type ParseResult = { ok: true; parsed: Parsed } | { ok: false; unreadable: Unreadable };
