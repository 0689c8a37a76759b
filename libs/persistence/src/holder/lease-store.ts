import type { HeldTables } from './held-tables.js';
import type { Queryable } from '../queryable.js';

/** A claim that is committed: this owner may act under `epoch` until its lease ends (L2). */
export interface Claim {
  readonly id: string;
  readonly epoch: number;
  /** State before the claim. */
  readonly was: string;
  readonly state: string;
  readonly seq: number;
  readonly head: Buffer | null;
  /** Claims without a new record, this one included (L15). */
  readonly claims: number;
  readonly cancelled: boolean;
  readonly inboxSeq: number;
  /** Ages in ms by the database's clock, for budget (B6); null when there was no owner before. */
  readonly heartbeatAgeMs: number | null;
  readonly leaseEndAgeMs: number | null;
  /** Age of the row in ms: wall time counts from here. */
  readonly ageMs: number;
}

export interface Held {
  readonly id: string;
  readonly epoch: number;
}
export interface HeldNews extends Held {
  readonly inboxSeq: number;
  readonly cancelled: boolean;
}

/**
 * Who may act, by compare-and-set on the owned row.
 *
 * 1. A claim takes only rows that are due: not ended, not parked into the future, without a lease in force.
 * 2. Every claim grows the epoch by one; the database's clock decides what is due (T3).
 * 3. Sweep and message claim by the same statement; rows that another claimer holds locked are skipped.
 */
export class LeaseStore {
  readonly #claimSql: string;
  readonly #heartbeatSql: string;
  readonly #releaseSql: string;
  readonly #giveUpSql: string;

  constructor(
    private readonly db: Queryable,
    private readonly t: HeldTables,
  ) {
    this.#claimSql = `
WITH due AS (
  SELECT id, state, heartbeat_at, lease_until FROM ${t.owned}
  WHERE state <> 'ended' AND ($4::text IS NULL OR id::text = $4)
    AND (state <> 'parked' OR wake_at <= clock_timestamp() OR cancelled_at IS NOT NULL)
    AND (lease_until IS NULL OR lease_until <= clock_timestamp())
  ORDER BY created_at LIMIT $3 FOR UPDATE SKIP LOCKED)
UPDATE ${t.owned} r SET owner = $1, epoch = r.epoch + 1, claims = r.claims + 1, wake_at = NULL,
  lease_until = clock_timestamp() + $2 * interval '1 millisecond', heartbeat_at = clock_timestamp(),
  state = CASE WHEN r.state IN ('queued','parked') THEN 'running' ELSE r.state END
FROM due WHERE r.id = due.id
RETURNING r.id, r.epoch, due.state AS was, r.state, r.seq, r.head, r.claims, r.cancelled_at IS NOT NULL AS cancelled,
  r.inbox_seq AS "inboxSeq",
  (extract(epoch FROM clock_timestamp() - due.heartbeat_at) * 1000)::float8 AS "heartbeatAgeMs",
  (extract(epoch FROM clock_timestamp() - due.lease_until) * 1000)::float8 AS "leaseEndAgeMs",
  (extract(epoch FROM clock_timestamp() - r.created_at) * 1000)::float8 AS "ageMs"`;
    this.#heartbeatSql = `
UPDATE ${t.owned} r SET heartbeat_at = clock_timestamp(), lease_until = clock_timestamp() + $2 * interval '1 millisecond'
FROM unnest($3::text[], $4::int[]) AS x(id, epoch)
WHERE r.id::text = x.id AND r.epoch = x.epoch AND r.owner = $1 AND r.state NOT IN ('ended','parked')
RETURNING r.id, r.epoch, r.inbox_seq AS "inboxSeq", r.cancelled_at IS NOT NULL AS cancelled`;
    this.#giveUpSql = `
UPDATE ${t.owned} SET owner = NULL, lease_until = NULL, heartbeat_at = NULL
WHERE id::text = $1 AND epoch = $2 AND state <> 'ended' RETURNING id`;
    this.#releaseSql = `
UPDATE ${t.owned} SET owner = NULL, lease_until = NULL, heartbeat_at = NULL, claims = GREATEST(claims - 1, 0)
WHERE id::text = $1 AND epoch = $2 AND state <> 'ended' RETURNING id`;
  }

  /** Claims up to `limit` due rows, or the one named. */
  async claim(owner: string, leaseMs: number, limit: number, id: string | null = null): Promise<Claim[]> {
    return await this.db.prepared<Claim>(`${this.t.owned}_claim`, this.#claimSql, [owner, leaseMs, limit, id]);
  }

  /** Renews the leases of what is still held; what is missing in the answer is lost. */
  async heartbeat(owner: string, leaseMs: number, held: readonly Held[]): Promise<HeldNews[]> {
    return await this.db.prepared<HeldNews>(`${this.t.owned}_heartbeat`, this.#heartbeatSql, [
      owner,
      leaseMs,
      held.map((h) => h.id),
      held.map((h) => h.epoch),
    ]);
  }

  /** After a defect of its own: anybody may claim at once, and this claim counts as one without a record (L15). */
  async giveUp(held: Held): Promise<void> {
    await this.db.prepared(`${this.t.owned}_give_up`, this.#giveUpSql, [held.id, held.epoch]);
  }

  /** A clean hand-over: anybody may claim at once, and this claim does not count as one without a record. */
  async release(held: Held): Promise<void> {
    await this.db.prepared(`${this.t.owned}_release`, this.#releaseSql, [held.id, held.epoch]);
  }
}
