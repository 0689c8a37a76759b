/** The stored record of a run, byte for byte: rows and bodies, for proof by anybody. */
import { Buffer } from 'node:buffer';
import { readBody, readRecord } from '@waymark/contracts/runtime';
import type { Caller } from './caller.js';

export interface RecordRow {
  readonly seq: number;
  readonly epoch: number;
  readonly kind: string;
  readonly body: Uint8Array;
  readonly hash: Uint8Array;
  /** RFC 3339, by the runtime's database clock; outside the chain. */
  readonly at: string;
}

const PAGE = 200;

export async function* recordRows(caller: Caller, run: string, after = 0): AsyncGenerator<RecordRow> {
  let cursor: number | null = after;
  while (cursor !== null) {
    const page: {
      rows: { seq: number; epoch: number; kind: string; body: string; hash: string; at: string }[];
      next: number | null;
    } = await caller.ask(readRecord, { run, after: cursor, limit: PAGE });
    for (const row of page.rows) {
      yield { ...row, body: Buffer.from(row.body, 'base64'), hash: Buffer.from(row.hash, 'hex') };
    }
    cursor = page.next;
  }
}

/** A stored body by its digest (lower-case hex SHA-256). Refuses `unknown_body`. */
export async function storedBody(caller: Caller, run: string, digest: string): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let offset: number | null = 0;
  while (offset !== null) {
    const page: { body: string; next: number | null } = await caller.ask(readBody, { run, digest, offset });
    parts.push(Buffer.from(page.body, 'base64'));
    offset = page.next;
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}
