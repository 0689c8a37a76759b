/**
 * Publishes the outbox to JetStream.
 *
 * 1. One replica at a time: it holds an advisory lock on a connection of its own and reads and deletes only through that
 *    connection, so one that has lost it can do nothing.
 * 2. A row is deleted after the broker has acknowledged it, never before, and with the next look, so that both are one
 *    round trip. Dying in between publishes it again under the same message id, which the broker drops.
 * 3. Rows go out in the order of their ids. Writers of one run follow each other, so a run's facts keep their order.
 * 4. A replica that holds the lock and does nothing (frozen) is put aside by another after {@link STALLED_MS}.
 */
import { silent, streamPublisher, type Bus, type Log, type StreamPublisher } from '@waymark/messaging';
import type pg from 'pg';
import type { Db } from './db.js';

export interface OutboxRelayOptions {
  db: Db;
  bus: Bus;
  log?: Log;
  /** Rows published at once; default 200. */
  batch?: number;
  /** Milliseconds between two looks without a kick; default 1,000. */
  pollMs?: number;
  /** Milliseconds that a kick waits for others, so that facts of many commits go out together; default 100. */
  lingerMs?: number;
  /** For tests of a death between publishing and deleting. */
  afterPublish?: () => Promise<void>;
}

interface Row {
  id: number;
  subject: string;
  msg_id: string;
  body: Buffer;
}

/** Deletes what the broker has, and reads what it has not: one round trip for both. */
const TURN_SQL = `WITH gone AS (DELETE FROM outbox WHERE id = ANY($1::bigint[]))
SELECT id, subject, msg_id, body FROM outbox WHERE id <> ALL($1::bigint[]) ORDER BY id LIMIT $2`;
const RELAY_LOCK = 0x57_41_59_02;
const CHANNEL = 'waymark_outbox';
/** The oldest row has not moved for so long while another replica holds the lock: it is not alive. Milliseconds. */
const STALLED_MS = 5_000;
/** Without another look for so long, one is made for the deleting alone. Milliseconds. */
const TIDY_MS = 500;

export class OutboxRelay {
  private readonly publish: StreamPublisher;
  private readonly log: Log;
  private readonly batch: number;
  private readonly pollMs: number;
  private readonly lingerMs: number;
  private holder: pg.PoolClient | undefined;
  /** Ids that the broker has acknowledged: deleted with the next look. */
  private acked: number[] = [];
  private stopped = true;
  private kicked = false;
  private urgent = false;
  private wake: (() => void) | undefined;
  private ended: Promise<void> = Promise.resolve();
  private told = '';
  private notifying = false;
  private stuck: { id: number; since: number } | undefined;

  constructor(private readonly options: OutboxRelayOptions) {
    this.publish = streamPublisher(options.bus.nc);
    this.log = options.log ?? silent;
    this.batch = options.batch ?? 200;
    this.pollMs = options.pollMs ?? 1_000;
    this.lingerMs = options.lingerMs ?? 100;
  }

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    this.ended = this.run();
  }

  /** Right after a commit that wrote rows. Any number of kicks at once is one look. */
  kick(): void {
    if (this.holder === undefined) {
      this.notify();
      return;
    }
    this.kicked = true;
    this.wake?.();
  }

  /** As {@link kick}, and without waiting for others: somebody waits for what was written. */
  kickNow(): void {
    this.urgent = true;
    this.kick();
  }

  /** Publishes what is there if the broker takes it, and gives the lock back. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake?.();
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      let more = false;
      this.kicked = false; // what comes from here on may have missed this look
      try {
        this.holder ??= await this.acquire();
        if (this.holder !== undefined) more = await this.relay(this.holder);
      } catch (error) {
        this.tell(error);
        this.release();
      }
      if (!more) await this.pause();
    }
    await this.lastLook();
    this.release();
  }

  /** What the last commits wrote still goes out, if it goes at once; then the next replica may have the lock. */
  private async lastLook(): Promise<void> {
    try {
      while (this.holder !== undefined && (await this.relay(this.holder)));
      await this.holder?.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [this.acked]);
      await this.holder?.query('SELECT pg_advisory_unlock($1)', [RELAY_LOCK]);
    } catch (error) {
      this.tell(error);
    }
  }

  /** The lock's connection, or `undefined` while another replica has it. */
  private async acquire(): Promise<pg.PoolClient | undefined> {
    const client = await this.options.db.connection();
    let done: 'broken' | 'free' | 'kept' = 'broken';
    try {
      const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [RELAY_LOCK]);
      if (rows[0]?.held !== true) {
        await this.watchHolder(client);
        done = 'free';
        return undefined;
      }
      client.on('error', () => this.lost(client));
      client.on('notification', () => this.kick());
      await client.query(`LISTEN ${CHANNEL}`);
      // A delete that a crash of the server undoes costs a duplicate, which the message id covers.
      await client.query('SET synchronous_commit = off');
      done = 'kept';
      this.stuck = undefined;
      return client;
    } finally {
      if (done !== 'kept') client.release(done === 'broken'); // a session that may hold the lock never goes back
    }
  }

  /** Publishes one batch. True when there may be more at once. */
  private async relay(client: pg.PoolClient): Promise<boolean> {
    const state = this.options.bus.state();
    if (state !== true) return false; // rows are safe where they are
    const { rows } = await client.query<Row>({
      name: 'outbox-turn',
      text: TURN_SQL,
      values: [this.acked, this.batch],
    });
    this.acked = [];
    if (rows.length === 0) return false;
    const results = await Promise.allSettled(
      rows.map(({ subject, msg_id: msgId, body }) => this.publish({ subject, msgId, body })),
    );
    await this.options.afterPublish?.();
    this.acked = rows.filter((_, i) => results[i]?.status === 'fulfilled').map(({ id }) => id);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) {
      this.tell(failure.reason);
      return false;
    }
    this.told = '';
    return rows.length === this.batch;
  }

  /** Ends the session of a holder under which the oldest row does not move. The role is ours, so the server lets us. */
  private async watchHolder(client: pg.PoolClient): Promise<void> {
    const { rows } = await client.query<{ id: number | null }>('SELECT min(id) AS id FROM outbox');
    const id = rows[0]?.id ?? null;
    if (id === null || this.options.bus.state() !== true) {
      this.stuck = undefined;
      return;
    }
    const now = performance.now();
    if (this.stuck?.id !== id) this.stuck = { id, since: now };
    if (now - this.stuck.since < STALLED_MS) return;
    this.stuck = undefined;
    this.log.warn({ oldest: id }, 'the outbox does not move under its relay: taking over');
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1 AND pid <> pg_backend_pid()
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [RELAY_LOCK],
    );
    this.kicked = true; // try the lock at once
  }

  /** Another replica relays: tell it that there is something. One notice in flight is enough. */
  private notify(): void {
    if (this.notifying || this.stopped) return;
    this.notifying = true;
    void this.options.db
      .query('SELECT pg_notify($1, $2)', [CHANNEL, ''])
      .catch((error: unknown) => this.tell(error))
      .finally(() => (this.notifying = false));
  }

  private async pause(): Promise<void> {
    if (this.stopped) return;
    if (!this.kicked) await this.wakened(this.acked.length > 0 ? Math.min(TIDY_MS, this.pollMs) : this.pollMs);
    if (this.kicked && !this.urgent && !this.stopped) await this.wakened(this.lingerMs, () => this.urgent);
    this.urgent = false;
  }

  /** Until the time is over, or a kick for which `enough` says yes. */
  private async wakened(ms: number, enough: () => boolean = () => true): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        if (!this.stopped && !enough()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }

  private lost(client: pg.PoolClient): void {
    if (this.holder !== client) return;
    this.log.warn({}, 'the outbox relay lost its database connection');
    this.release();
  }

  private release(): void {
    const client = this.holder;
    this.holder = undefined;
    client?.release(true); // ends the session, and with it the lock
  }

  /** Each reason once, until it works again. */
  private tell(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== this.told) this.log.warn({ reason }, 'the outbox waits');
    this.told = reason;
  }
}
