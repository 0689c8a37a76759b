/**
 * Stored texts, read in blocks of BLOCK_BYTES and kept in memory: reads are on the path of every turn.
 *
 * 1. A read costs one round trip at most, and none when its blocks are kept. A ready document never changes, so what is kept
 *    is never stale; what is not ready is never kept.
 * 2. No more than `limitBytes` are kept; what was used longest ago goes first.
 */
import type { DocumentView } from '@waymark/contracts/sources';
import type { Db } from '@waymark/persistence';
import { BLOCK_BYTES, type Marks } from '../../core/labels.js';

export interface TextInfo {
  readonly name: string;
  readonly status: DocumentView['status'];
  readonly reason: { code: string; message: string } | null;
  readonly total: number;
  readonly marks: Marks;
}

export interface TextPart {
  readonly info: TextInfo;
  /** The text from `base` on; it holds all of the blocks that were asked for, as far as the text goes. */
  readonly bytes: Buffer;
  readonly base: number;
}

interface TextRow {
  name: string;
  status: DocumentView['status'];
  reason_code: string | null;
  reason_message: string | null;
  bytes: number;
  page_starts: number[] | null;
  block_lines: number[] | null;
  part: Buffer | null;
}

/** Offsets beyond any text that is kept; PostgreSQL counts in 32 bits. */
const FAR_BLOCK = 2 ** 30 / BLOCK_BYTES;

export class TextReader {
  private readonly blocks = new Map<string, { info: TextInfo; bytes: Buffer }>();
  private kept = 0;

  constructor(
    private readonly db: Db,
    private readonly limitBytes: number,
  ) {}

  /** The blocks that hold `[start, end)`; `undefined` when the locator is unknown. */
  async read(corpus: string, locator: string, start: number, end: number): Promise<TextPart | undefined> {
    const first = Math.min(Math.floor(Math.max(start, 0) / BLOCK_BYTES), FAR_BLOCK);
    const last = Math.min(Math.floor(Math.max(end - 1, start, 0) / BLOCK_BYTES), FAR_BLOCK);
    return this.fromMemory(corpus, locator, first, last) ?? (await this.fromDatabase(corpus, locator, first, last));
  }

  private fromMemory(corpus: string, locator: string, first: number, last: number): TextPart | undefined {
    const found: Buffer[] = [];
    let info: TextInfo | undefined;
    for (let block = first; block <= last && (info === undefined || block * BLOCK_BYTES < info.total); block += 1) {
      const key = keyOf(corpus, locator, block);
      const entry = this.blocks.get(key);
      if (entry === undefined) return undefined;
      this.blocks.delete(key); // to the young end
      this.blocks.set(key, entry);
      found.push(entry.bytes);
      info = entry.info;
    }
    if (info === undefined) return undefined;
    return { info, base: first * BLOCK_BYTES, bytes: found.length === 1 ? found[0]! : Buffer.concat(found) };
  }

  private async fromDatabase(
    corpus: string,
    locator: string,
    first: number,
    last: number,
  ): Promise<TextPart | undefined> {
    const base = first * BLOCK_BYTES;
    const [row] = await this.db.prepared<TextRow>(
      'read-text',
      `SELECT name, status, reason_code, reason_message, bytes, page_starts, block_lines,
              substring(text FROM $3 FOR $4) AS part FROM document WHERE corpus = $1 AND locator = $2`,
      [corpus, locator, base + 1, (last - first + 1) * BLOCK_BYTES],
    );
    if (row === undefined) return undefined;
    const info: TextInfo = {
      name: row.name,
      status: row.status,
      reason: row.reason_code === null ? null : { code: row.reason_code, message: row.reason_message ?? '' },
      total: row.bytes,
      marks: { pageStarts: row.page_starts, blockLines: row.block_lines ?? [] },
    };
    const bytes = row.part ?? Buffer.alloc(0);
    if (info.status === 'ready') this.keep(corpus, locator, first, info, bytes);
    return { info, bytes, base };
  }

  private keep(corpus: string, locator: string, first: number, info: TextInfo, bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const key = keyOf(corpus, locator, first + at / BLOCK_BYTES);
      const block = bytes.subarray(at, at + BLOCK_BYTES);
      this.kept += block.length - (this.blocks.get(key)?.bytes.length ?? 0);
      this.blocks.delete(key);
      this.blocks.set(key, { info, bytes: block });
    }
    for (const [key, { bytes: block }] of this.blocks) {
      if (this.kept <= this.limitBytes) return;
      this.blocks.delete(key);
      this.kept -= block.length;
    }
  }
}

/** No part holds a blank. */
const keyOf = (corpus: string, locator: string, block: number): string => `${corpus} ${locator} ${block}`;
