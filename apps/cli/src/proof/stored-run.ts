/** A run as it is stored: what a proof needs, and nothing that only a service could say. */
import { createHash } from 'node:crypto';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { decodeFact, type RecordFact, type StoredRow } from '@waymark/record';

export interface StoredRun {
  readonly run: string;
  /** The run's state and the sequence of its last fact, as its view says; the rows must reach it. */
  readonly state: string;
  readonly head: number;
  readonly rows: readonly StoredRow[];
  /** By lower-case hex SHA-256. */
  readonly bodies: ReadonlyMap<string, Uint8Array>;
  /** Events of the reviews' requests; null when the reviewer could not be asked. */
  readonly reviews: readonly WaymarkEvent[] | null;
}

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
export const sha256Hex = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Digests of all bodies that the rows name, each once. A row that cannot be read names none: the proof says so. */
export function bodiesNamed(rows: readonly StoredRow[]): string[] {
  const found = new Set<string>();
  for (const row of rows) {
    try {
      collect(JSON.parse(new TextDecoder().decode(row.body)), found);
    } catch {
      // a finding of the proof
    }
  }
  return [...found];
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  // An intent bears a digest too: of the request as sent, which is not stored but rebuilt.
  if ('digest' in value && 'bytes' in value && !('request' in value) && typeof value.digest === 'string') {
    found.add(value.digest);
  }
  for (const inner of Object.values(value)) collect(inner, found);
}

/** The facts that can be read, with their sequence. */
export function readableFacts(rows: readonly StoredRow[]): { readonly seq: number; readonly fact: RecordFact }[] {
  return rows.flatMap(({ seq, body }) => {
    try {
      return [{ seq, fact: decodeFact<RecordFact>(body) }];
    } catch {
      return [];
    }
  });
}
