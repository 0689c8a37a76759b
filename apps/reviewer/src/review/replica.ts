/**
 * One replica of the reviewer: what it claims, keeps alive and lets go (L2).
 *
 * 1. An order is taken into the database and claimed there; the ack follows the claim's commit at once.
 * 2. The sweep claims by the same statement what nobody holds: orders of replicas that died, and what they had begun.
 * 3. An owner fences itself by its own monotonic clock (T3).
 */
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { reviewOrder, type ReviewOrder } from '@waymark/contracts/reviewer';
import { WORK_CONSUMERS } from '@waymark/contracts/streams';
import { consumeWork, type WorkLoop, type WorkOutcome } from '@waymark/messaging';
import type { Db, OutboxRelay } from '@waymark/persistence';
import { LeaseStore, type Claim } from '@waymark/persistence/holder';
import { REVIEW_TABLES } from '../adapters/postgres/review-tables.js';
import type { ReviewRows } from '../adapters/postgres/review-rows.js';
import { driveReview } from './drive-review.js';
import { ReviewContext, type Platform } from './review-context.js';
import { LeaseLost, ReviewLog } from './review-log.js';

export interface ReplicaOptions {
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly sweepMs: number;
  /** Reviews at once. */
  readonly room: number;
}

interface Held {
  readonly id: string;
  readonly epoch: number;
  leaseUntil: number;
  context: ReviewContext | null;
  lost: boolean;
  readonly done: Promise<void>;
}

const ACK_WAIT_MS = 30_000;
const WATCH_MS = 250;

export class Replica {
  readonly #owner = `${hostname()}/${process.pid}/${Math.trunc(performance.timeOrigin)}`;
  readonly #held = new Map<string, Held>();
  readonly #leases: LeaseStore;
  readonly #stopping = new AbortController();
  #draining = false;
  #consumer: WorkLoop | undefined;
  #loops: Promise<void>[] = [];

  constructor(
    private readonly platform: Platform,
    private readonly db: Db,
    private readonly rows: ReviewRows,
    private readonly relay: OutboxRelay,
    private readonly options: ReplicaOptions,
  ) {
    this.#leases = new LeaseStore(db, REVIEW_TABLES);
  }

  start(): void {
    const { heartbeatMs, sweepMs } = this.options;
    this.#consumer = consumeWork(this.platform.bus.nc, WORK_CONSUMERS.review, {
      schema: reviewOrder,
      room: () => this.#room(),
      handle: async (order, { time }) => await this.#takeOrder(order, Math.max(0, Date.now() - time.getTime())),
      ackWaitMs: ACK_WAIT_MS,
      onError: (error) => this.platform.logger.warn({ err: error }, 'orders'),
    });
    this.#loops = [
      this.#every(sweepMs, async () => await this.#sweep()),
      this.#every(heartbeatMs, async () => await this.#heartbeat()),
      this.#every(WATCH_MS, async () => await Promise.resolve(this.#fence())),
    ];
  }

  /** Takes no more; what does not end within `graceMs` is cut, told and left to others. */
  async stop(graceMs: number): Promise<void> {
    this.#draining = true;
    await this.#consumer?.stop();
    const all = [...this.#held.values()];
    const ended = Promise.allSettled(all.map(async ({ done }) => await done));
    await Promise.race([ended, pause(graceMs)]);
    for (const { context } of all) context?.handOver();
    await ended;
    this.#stopping.abort();
    await Promise.allSettled(this.#loops);
    this.platform.provider.close();
  }

  /** Reviews that a stop was just committed for: cut at once where they are held here; others learn by heartbeat. */
  stopNow(ids: readonly string[]): void {
    for (const id of ids) this.#held.get(id)?.context?.stop();
  }

  async #takeOrder(order: ReviewOrder, ageMs: number): Promise<WorkOutcome> {
    const id = await this.rows.takeIn(order, ageMs);
    await this.#claim(1, id);
    return 'ack'; // also when another replica holds it: lease and sweep keep it alive
  }

  async #sweep(): Promise<void> {
    const room = this.#room();
    if (room > 0) await this.#claim(room, null);
  }

  async #claim(limit: number, id: string | null): Promise<void> {
    const { leaseMs } = this.options;
    const leaseUntil = performance.now() + leaseMs;
    for (const claim of await this.#leases.claim(this.#owner, leaseMs, limit, id)) this.#take(claim, leaseUntil);
  }

  #take(claim: Claim, leaseUntil: number): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const held: Held = { id: claim.id, epoch: claim.epoch, leaseUntil, context: null, lost: false, done: promise };
    const before = this.#held.get(claim.id);
    if (before) this.#lose(before);
    this.#held.set(claim.id, held);
    void this.#drive(held, claim).finally(() => {
      if (this.#held.get(claim.id) === held) this.#held.delete(claim.id);
      resolve();
    });
  }

  async #drive(held: Held, claim: Claim): Promise<void> {
    const { id, epoch } = held;
    const { logger } = this.platform;
    try {
      const { run, review, order, orderBody, deadlineLeftMs } = await this.rows.load(id);
      const deadlineAt = performance.now() + deadlineLeftMs;
      const leaseLeftMs = (): number => (held.lost ? 0 : held.leaseUntil - performance.now());
      const kick = (): void => this.relay.kick();
      const log = await ReviewLog.open({ db: this.db, id, run, review, epoch, leaseLeftMs, kick, logger });
      held.context = new ReviewContext(this.platform, claim, order, log, deadlineAt, leaseLeftMs);
      if (held.lost) return;
      const how = await driveReview(held.context, orderBody);
      if (how === 'handed_over') await this.#leases.release({ id, epoch });
      logger.info({ review: id, epoch, how }, 'review left this replica');
    } catch (error) {
      if (error instanceof LeaseLost) logger.warn({ review: id, epoch, reason: error.message }, 'lease lost: stopped');
      else logger.error({ review: id, epoch, err: error }, 'review failed on this replica');
      // The lease runs out and a sweep takes it up again; claims without a record are counted (L15).
    }
  }

  async #heartbeat(): Promise<void> {
    const all = [...this.#held.values()];
    if (all.length === 0) return;
    const startedAt = performance.now();
    const news = await this.#leases.heartbeat(this.#owner, this.options.leaseMs, all);
    const known = new Map(news.map((one) => [`${one.id} ${one.epoch}`, one]));
    for (const held of all) {
      const one = known.get(`${held.id} ${held.epoch}`);
      if (one) {
        held.leaseUntil = startedAt + this.options.leaseMs;
        if (one.cancelled && held.context && !held.context.stopped) held.context.stop();
      } else if (held.context && !held.context.log.state.closed) this.#lose(held);
    }
  }

  #fence(): void {
    for (const held of this.#held.values()) if (performance.now() >= held.leaseUntil) this.#lose(held);
  }

  #lose(held: Held): void {
    held.lost = true;
    held.context?.lose();
  }

  #room(): number {
    return this.#draining ? 0 : this.options.room - this.#held.size;
  }

  async #every(ms: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pause(ms * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await work().catch((error: unknown) => this.platform.logger.warn({ err: error }, 'replica loop'));
    }
  }
}
