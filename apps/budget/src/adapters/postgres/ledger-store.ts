/**
 * Ledgers in PostgreSQL.
 *
 * 1. A command is two round trips: one SELECT of the ledger, the settled reservations that it names, and the database's
 *    clock (T3); one statement that commits. For a ledger that this process has just seen it is the commit alone, which
 *    then checks what the SELECT would have told: that the version and the clock are as guessed and that the key is new.
 * 2. The commit is a compare-and-set on the ledger's version: facts, reservations and outbox are written only with it,
 *    all or none (B11 under any number of replicas).
 */
import { Injectable } from '@nestjs/common';
import { Db, OutboxRelay, outboxInsertSql, outboxParams, type OutboxRow } from '@waymark/persistence';
import type { Draft } from '../../core/draft.js';
import { isLive, nextDue } from '../../core/decide-sweep.js';
import { fold } from '../../core/evolve.js';
import type { Ledger, SettledReservation } from '../../core/ledger.js';
import { reservationNumber } from '../../core/reservation-id.js';
import { decodeFacts, encodeFacts, type StoredFacts } from './fact-codec.js';
import { decodeLedger, encodeLedger } from './ledger-codec.js';
import { fromRow, RESERVATION_COLUMNS, toRow, type ReservationRow } from './reservation-codec.js';
import { WarmLedgers } from './warm-ledgers.js';

/** Settled reservations that a command needs: by name and by key. */
export interface Wanted {
  readonly reservations: readonly string[];
  readonly key: string | null;
}

export interface Loaded {
  /** Null when the run is not known. */
  readonly ledger: Ledger | null;
  readonly known: readonly SettledReservation[];
  /** Ms since 1970 by the database's clock. */
  readonly now: number;
  /** Not read but remembered: the commit checks it, and a decision without facts must be made again. */
  readonly guessed: boolean;
}

interface LoadRow {
  state: Buffer | null;
  now: number;
  known: ReservationRow[] | null;
}

const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

const LOAD = `
  SELECT state, ${NOW} AS now,
    (SELECT json_agg(json_build_array(${RESERVATION_COLUMNS})) FROM (
       SELECT ${RESERVATION_COLUMNS} FROM reservation WHERE run_id = $1 AND n = ANY ($2::int[])
       UNION ALL
       SELECT ${RESERVATION_COLUMNS} FROM reservation
       WHERE uuid_hash(run_id) # hashtext(key) = uuid_hash($1) # hashtext($3) AND run_id = $1 AND key = $3
     ) AS wanted) AS known
  FROM (SELECT) AS one LEFT JOIN ledger ON run_id = $1::uuid`;

/** How far a remembered clock may be off before the ledger is read again, ms: a process or machine that stood still. */
const CLOCK_MS = 500;

/**
 * $1 run, $2 version before, $3 version after, $4 state, $5 live, $6 next due in ms, $7 facts, $8–$13 reservations,
 * $14–$16 outbox, $17 the guessed clock in ms or null, $18 the new reservation's key if it is guessed to be new.
 */
const commitSql = (hit: string): string => `
  WITH hit AS (${hit} RETURNING run_id),
  facts AS (INSERT INTO fact (run_id, seq, body) SELECT run_id, $3, $7 FROM hit),
  reservations AS (
    INSERT INTO reservation (run_id, ${RESERVATION_COLUMNS})
    SELECT hit.run_id, u.* FROM hit,
      unnest($8::int[], $9::bigint[], $10::"char"[], $11::"char"[], $12::text[], $13::text[]) AS u
    ON CONFLICT (run_id, n) DO UPDATE SET outcome = excluded.outcome, counted = excluded.counted
  ),
  told AS (${outboxInsertSql(14)} WHERE EXISTS (SELECT FROM hit))
  SELECT count(*) AS hits, ${NOW} AS now FROM hit`;
const DUE = 'to_timestamp($6::float8 / 1000)';
const UPDATE = commitSql(
  `UPDATE ledger SET version = $3, state = $4, live = $5, next_due = ${DUE} WHERE run_id = $1 AND version = $2
     AND ($17::bigint IS NULL OR abs(${NOW} - $17) <= ${CLOCK_MS})
     AND ($18::text IS NULL OR NOT EXISTS (SELECT FROM reservation AS r
       WHERE uuid_hash(r.run_id) # hashtext(r.key) = uuid_hash($1) # hashtext($18) AND r.run_id = $1 AND r.key = $18))`,
);
const INSERT = commitSql(
  `INSERT INTO ledger (run_id, version, state, live, next_due)
   SELECT $1, $3::int, $4::bytea, $5::boolean, ${DUE} WHERE $2 = 0 AND $17::bigint IS NULL AND $18::text IS NULL
   ON CONFLICT (run_id) DO NOTHING`,
);

@Injectable()
export class LedgerStore {
  private readonly warm = new WarmLedgers(() => performance.now());

  constructor(
    private readonly db: Db,
    private readonly relay: OutboxRelay,
  ) {}

  /** The ledger as it was last seen here, if that can serve. */
  remember(run: string, { reservations }: Wanted): Loaded | null {
    const warm = this.warm.find(run, reservations);
    return warm && { ...warm, known: [], guessed: true };
  }

  async load(run: string, { reservations, key }: Wanted): Promise<Loaded> {
    const numbers = reservations.map(reservationNumber).filter((n) => n !== undefined);
    const [row] = await this.db.prepared<LoadRow>('ledger-load', LOAD, [run, numbers, key]);
    if (!row) throw new Error('a SELECT of one row gave none');
    const { state, now, known } = row;
    const ledger = state && (decodeLedger(state) ?? (await this.rebuild(run)));
    return { ledger, now, known: (known ?? []).map(fromRow), guessed: false };
  }

  /** False when somebody else was faster, or a guess was wrong: load and decide again. `key`: of a new reservation. */
  async commit(
    { ledger: before, now, guessed }: Loaded,
    draft: Draft,
    key: string | null,
    leaseMs: number,
    told: OutboxRow[],
  ): Promise<boolean> {
    const { ledger, facts, changed } = draft;
    const version = before?.version ?? 0;
    const keep = this.warm.around(ledger.run, version);
    const rows = changed.map(toRow);
    const [name, sql] = version === 0 ? ['ledger-insert', INSERT] : ['ledger-update', UPDATE];
    const [result] = await this.db.prepared<{ hits: number; now: number }>(name, sql, [
      ...[ledger.run, version, ledger.version, encodeLedger(ledger), isLive(ledger), nextDue(ledger, now, leaseMs)],
      encodeFacts(now, version + 1, facts),
      ...[0, 1, 2, 3, 4, 5].map((column) => rows.map((row) => row[column])),
      ...outboxParams(told),
      ...(guessed ? [now, key] : [null, null]),
    ]);
    if (result?.hits !== 1) return false;
    keep(ledger, Math.max(result.now, now)); // time never runs back in a ledger
    this.relay.kick();
    return true;
  }

  /** Rows of facts after a sequence number, `limit` rows at most; the first may begin before it. */
  async readFacts(run: string, after: number, limit: number): Promise<StoredFacts[]> {
    const rows = await this.db.prepared<{ seq: number; body: Buffer }>(
      'facts-read',
      'SELECT seq, body FROM fact WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
      [run, after, limit],
    );
    return rows.map(({ seq, body }) => decodeFacts(body, seq));
  }

  /** Runs that are due by the database's clock. */
  async due(limit: number): Promise<string[]> {
    const rows = await this.db.prepared<{ run_id: string }>(
      'ledgers-due',
      'SELECT run_id FROM ledger WHERE live AND next_due <= clock_timestamp() LIMIT $1',
      [limit],
    );
    return rows.map(({ run_id }) => run_id);
  }

  private async rebuild(run: string): Promise<Ledger> {
    const rows = await this.readFacts(run, 0, 2 ** 31 - 1);
    return fold(
      run,
      rows.flatMap(({ facts }) => facts),
    );
  }
}
