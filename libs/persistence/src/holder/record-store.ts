import type { HeldTables } from './held-tables.js';
import type { Queryable } from '../queryable.js';

export interface NewRow {
  readonly kind: string;
  readonly body: Uint8Array;
  readonly hash: Uint8Array;
  /** The body, which is JSON, is also told as a public event of its kind. */
  readonly told: boolean;
}
export interface NewBody {
  /** SHA-256, 32 bytes. */
  readonly digest: Uint8Array;
  readonly body: Uint8Array;
}
export interface NewMessage {
  readonly subject: string;
  readonly msgId: string;
  readonly body: Uint8Array;
}

export interface Append {
  readonly id: string;
  /** Run in events and subjects. */
  readonly run: string;
  readonly epoch: number;
  /** Head before this append. */
  readonly seq: number;
  readonly rows: readonly NewRow[];
  readonly bodies: readonly NewBody[];
  readonly messages: readonly NewMessage[];
  /** Only when the row is not cancelled: an intent's condition (L4). */
  readonly unlessCancelled: boolean;
  readonly patch: RowPatch | null;
}

/** Changes of the owned row in the same commit. */
export interface RowPatch {
  readonly state?: 'running' | 'parked' | 'ending' | 'ended';
  /** Wake-up of a parked row, ms from now by the database's clock. */
  readonly wakeInMs?: number;
  /** Gives the lease up: parked or ended. */
  readonly release?: boolean;
  /** JSON merged over the row's view. */
  readonly view?: string;
}

export type AppendResult = 'appended' | 'fenced' | 'cancelled';

export interface StoredRecordRow {
  readonly seq: number;
  readonly epoch: number;
  readonly kind: string;
  readonly body: Buffer;
  readonly hash: Buffer;
  readonly at: Date;
}

/**
 * The append-only record (L3).
 *
 * 1. One statement, one commit: head, rows, bodies, events and messages, or nothing. The head moves by compare-and-set on
 *    (epoch, seq), so a stale owner changes nothing and no sequence is given twice (F-X3).
 * 2. Every fact that has an event gets its outbox row in the same statement; `at` is the statement's time by the database's
 *    clock, so that a fact heard and a fact read back are equal.
 * 3. Bytes travel joined, as one binary parameter with places and lengths: an array of bytea would go as escaped hex text.
 */
export class RecordStore {
  readonly #appendSql: string;

  constructor(
    private readonly db: Queryable,
    private readonly t: HeldTables,
  ) {
    this.#appendSql = `
WITH own AS (
  UPDATE ${t.owned} SET seq = seq + cardinality($4::text[]), head = $5, appended_at = clock_timestamp(), claims = 0,
    state = COALESCE($6, state),
    wake_at = CASE WHEN $7::float8 IS NULL THEN wake_at ELSE clock_timestamp() + $7 * interval '1 millisecond' END,
    owner = CASE WHEN $8 THEN NULL ELSE owner END, lease_until = CASE WHEN $8 THEN NULL ELSE lease_until END,
    heartbeat_at = CASE WHEN $8 THEN NULL ELSE heartbeat_at END,
    view = CASE WHEN $9::jsonb IS NULL THEN view ELSE view || $9::jsonb END
  WHERE id = $1 AND epoch = $2 AND seq = $3 AND state <> 'ended' AND ($10 IS FALSE OR cancelled_at IS NULL)
  RETURNING id),
rec AS (
  INSERT INTO ${t.record} (id, seq, epoch, kind, body, hash, at)
  SELECT own.id, $3 + x.n, $2, x.kind, substring($11::bytea FROM x.at FOR x.len),
    substring($12::bytea FROM x.n::int * 32 - 31 FOR 32), statement_timestamp()
  FROM own, unnest($4::text[], $13::int[], $14::int[]) WITH ORDINALITY AS x(kind, at, len, n)),
bod AS (
  INSERT INTO ${t.body} (id, digest, body)
  SELECT own.id, substring($15::bytea FROM x.n::int * 32 - 31 FOR 32), substring($16::bytea FROM x.at FOR x.len)
  FROM own, unnest($17::int[], $18::int[]) WITH ORDINALITY AS x(at, len, n) ON CONFLICT DO NOTHING),
evt AS (
  INSERT INTO outbox (subject, msg_id, body)
  SELECT 'waymark.facts.v1.${t.owner}.' || $19 || '.' || x.kind, '${t.owner}/' || own.id || '/' || ($3 + x.n),
    convert_to('{"owner":"${t.owner}","run":"' || $19 || '","seq":' || ($3 + x.n) || ',"at":"' ||
      to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ||
      '","type":"waymark.${t.owner}.fact.v1.' || x.kind || '","data":', 'UTF8') ||
      substring($11::bytea FROM x.at FOR x.len) || '}'::bytea
  FROM own, unnest($4::text[], $13::int[], $14::int[], $20::boolean[]) WITH ORDINALITY AS x(kind, at, len, told, n)
  WHERE x.told ORDER BY x.n),
msg AS (
  INSERT INTO outbox (subject, msg_id, body) SELECT x.subject, x.msg_id, x.body
  FROM own, unnest($21::text[], $22::text[], $23::bytea[]) AS x(subject, msg_id, body))
SELECT count(*)::int AS n FROM own`;
  }

  async append(a: Append): Promise<AppendResult> {
    const last = a.rows.at(-1);
    if (!last) throw new Error('an append has at least one row');
    const bodies = joined(a.rows.map((r) => r.body));
    const stored = joined(a.bodies.map((b) => b.body));
    const [row] = await this.db.prepared<{ n: number }>(`${this.t.owned}_append`, this.#appendSql, [
      a.id,
      a.epoch,
      a.seq,
      a.rows.map((r) => r.kind),
      last.hash,
      a.patch?.state ?? null,
      a.patch?.wakeInMs ?? null,
      a.patch?.release ?? false,
      a.patch?.view ?? null,
      a.unlessCancelled,
      bodies.bytes,
      Buffer.concat(a.rows.map((r) => r.hash)),
      bodies.at,
      bodies.length,
      Buffer.concat(a.bodies.map((b) => b.digest)),
      stored.bytes,
      stored.at,
      stored.length,
      a.run,
      a.rows.map((r) => r.told),
      a.messages.map((m) => m.subject),
      a.messages.map((m) => m.msgId),
      a.messages.map((m) => m.body),
    ]);
    if (row?.n === 1) return 'appended';
    const [now] = await this.db.prepared<{ epoch: number; seq: number; cancelled: boolean; state: string }>(
      `${this.t.owned}_why`,
      `SELECT epoch, seq, cancelled_at IS NOT NULL AS cancelled, state FROM ${this.t.owned} WHERE id = $1`,
      [a.id],
    );
    return now && now.epoch === a.epoch && now.seq === a.seq && now.cancelled && now.state !== 'ended'
      ? 'cancelled'
      : 'fenced';
  }

  async rows(id: string, after: number, limit: number): Promise<StoredRecordRow[]> {
    return await this.db.prepared<StoredRecordRow>(
      `${this.t.record}_rows`,
      `SELECT seq, epoch, kind, body, hash, at FROM ${this.t.record} WHERE id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      [id, after, limit],
    );
  }

  async bodies(id: string, digests: readonly Uint8Array[]): Promise<{ digest: Buffer; body: Buffer }[]> {
    return await this.db.prepared<{ digest: Buffer; body: Buffer }>(
      `${this.t.body}_get`,
      `SELECT digest, body FROM ${this.t.body} WHERE id = $1 AND digest = ANY($2::bytea[])`,
      [id, digests],
    );
  }

  async snapshot(id: string): Promise<{ seq: number; head: Buffer; version: number; body: Buffer } | null> {
    const [row] = await this.db.prepared<{ seq: number; head: Buffer; version: number; body: Buffer }>(
      `${this.t.snapshot}_get`,
      `SELECT seq, head, version, body FROM ${this.t.snapshot} WHERE id = $1`,
      [id],
    );
    return row ?? null;
  }

  /** Keeps only the newest: a cache outside the chain (L3). */
  async saveSnapshot(id: string, seq: number, head: Uint8Array, version: number, body: Uint8Array): Promise<void> {
    await this.db.prepared(
      `${this.t.snapshot}_put`,
      `INSERT INTO ${this.t.snapshot} (id, seq, head, version, body) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO UPDATE SET seq = EXCLUDED.seq, head = EXCLUDED.head, version = EXCLUDED.version, body = EXCLUDED.body
       WHERE ${this.t.snapshot}.seq < EXCLUDED.seq`,
      [id, seq, head, version, body],
    );
  }
}

/** Bytes one after another, with the place (from 1) and length of each. */
function joined(parts: readonly Uint8Array[]): { bytes: Buffer; at: number[]; length: number[] } {
  let next = 1;
  const at = parts.map((part) => (next += part.length) - part.length);
  return { bytes: Buffer.concat(parts), at, length: parts.map((part) => part.length) };
}
