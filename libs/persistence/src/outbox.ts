/**
 * Facts and work leave through the outbox: a row is written in the transaction of the fact that it tells, and the relay
 * publishes it. So nothing is told that was not committed, and nothing committed is left untold.
 */
import { Buffer } from 'node:buffer';
import { factSubject, factType } from '@waymark/contracts/streams';
import { MAX_BODY_BYTES, type WaymarkEvent } from '@waymark/contracts/wire';
import type { Queryable } from './queryable.js';

/** For your migration. The table is small and busy: it is vacuumed by count, not by share. */
export const OUTBOX_DDL = `CREATE TABLE outbox (
  id bigserial PRIMARY KEY,
  subject text NOT NULL,
  msg_id text NOT NULL,
  body bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`;

export const OUTBOX_COLUMNS = 'subject, msg_id, body';

export interface OutboxRow {
  subject: string;
  /** The broker drops a repeated one within its window. */
  msgId: string;
  body: Buffer;
}

/** A body that is no bytes yet is written as JSON. Throws when it is larger than a message may be: that is a defect. */
export function outboxRow(row: { subject: string; msgId: string; body: unknown }): OutboxRow {
  const body = Buffer.isBuffer(row.body) ? row.body : Buffer.from(JSON.stringify(row.body));
  if (body.length > MAX_BODY_BYTES) throw new RangeError(`${row.subject}: ${body.length} bytes do not fit a message`);
  return { subject: row.subject, msgId: row.msgId, body };
}

/** A fact as an event of its owner. `seq` counts per run and owner from 1 without a gap; `at` is by the owner's clock. */
export function factRow(fact: {
  owner: string;
  run: string;
  seq: number;
  at: Date | string;
  name: string;
  data: Record<string, unknown>;
}): OutboxRow {
  const { owner, run, seq, name, data } = fact;
  const at = typeof fact.at === 'string' ? fact.at : fact.at.toISOString();
  const body: WaymarkEvent = { owner, run, seq, at, type: factType(owner, name), data };
  return outboxRow({ subject: factSubject(owner, run, name), msgId: `${owner}/${run}/${seq}`, body });
}

/** For one-statement commits, with {@link outboxParams} at `$first`, `$first+1`, `$first+2`. Keeps the rows' order. */
export function outboxInsertSql(first: number): string {
  const [subjects, ids, bodies] = [first, first + 1, first + 2];
  return `INSERT INTO outbox (${OUTBOX_COLUMNS}) SELECT * FROM unnest($${subjects}::text[], $${ids}::text[], $${bodies}::bytea[])`;
}

export function outboxParams(rows: readonly OutboxRow[]): [string[], string[], Buffer[]] {
  return [rows.map((r) => r.subject), rows.map((r) => r.msgId), rows.map((r) => r.body)];
}

/** Within a transaction, beside the facts. */
export async function insertOutbox(tx: Queryable, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length > 0) await tx.prepared('outbox-insert', outboxInsertSql(1), outboxParams(rows));
}
