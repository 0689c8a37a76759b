import type { Document } from '../notes/knowledge.js';

export interface Citation {
  locator: string;
  start: number;
  end: number;
}

/** At most this many a block; what comes after stays uncited rather than refused. */
const MOST = 90;

/** Numbers sources in the order in which they are first used. */
export class Citations {
  readonly list: Citation[] = [];

  constructor(private readonly documents: readonly Document[]) {}

  mark({ document, start, end }: { document: number; start: number; end: number }): string {
    const locator = this.documents.find((d) => d.index === document)?.locator;
    if (locator === undefined) return '';
    const at = this.list.findIndex((c) => c.locator === locator && c.start === start && c.end === end);
    if (at >= 0) return `[${at + 1}]`;
    if (this.list.length >= MOST) return '';
    this.list.push({ locator, start, end });
    return `[${this.list.length}]`;
  }
}
