/**
 * One replica of the runtime: what it claims, keeps alive and lets go (L2, L15).
 *
 * 1. A message says "look at run X"; the claim in the database decides. The ack follows the claim's commit at once.
 * 2. Sweep and message claim by the same statement. Heartbeats are per replica.
 * 3. The owner fences itself by its own monotonic clock: past its lease it sends nothing more (T3).
 * 4. A replica whose event loop lags past a third of the lease claims nothing.
 */
import { hostname } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { WORK, WORK_CONSUMERS } from '@waymark/contracts/streams';
import { inboxDelivery, runOrder, type InboxDelivery } from '@waymark/contracts/runtime';
import { consumeWork, type WorkLoop, type WorkOutcome } from '@waymark/messaging';
import type { Claim, LeaseStore } from '@waymark/persistence/holder';
import type { RunAdmitted } from '@waymark/record';
import type { RunState } from '../core/run-state.js';
import { BodyCache } from './body-cache.js';
import { driveRun } from './drive-run.js';
import { BrokenRecord, loadRun } from './load-run.js';
import { RequestContent } from './request-content.js';
import { RunContext, type Platform } from './run-context.js';
import { isConnectionTrouble, LeaseLost, RunLog } from './run-log.js';
import { setAsideBroken } from './set-aside-broken.js';

type AdmittedState = RunState & { admitted: RunAdmitted };

interface Running {
  readonly run: string;
  readonly epoch: number;
  /** Aborted when the lease is lost or the replica must go. */
  readonly life: AbortController;
  /** Aborted when the run is stopped. */
  readonly stop: AbortController;
  /** By this process's monotonic clock. */
  leaseUntil: number;
  context: RunContext | null;
  done: Promise<void>;
}

/** Core subject, heard by every replica: something for this run arrived. Speed only; the heartbeat reads it anyway. */
export const NUDGE = 'waymark.runtime.nudge';
const ACK_WAIT_MS = 30_000;
/** Runs claimed by one sweep at most, so that replicas share them. */
const MOST_CLAIMS = 20;
const WATCH_MS = 500;

export class Replica {
  readonly owner = `${hostname()}/${process.pid}/${Math.trunc(performance.timeOrigin)}`;
  readonly #running = new Map<string, Running>();
  readonly #lag = monitorEventLoopDelay({ resolution: 20 });
  /** Room kept for claims that the database has not answered yet: sweep and message may claim at once. */
  #claiming = 0;
  #stopping = false;
  #loops: WorkLoop[] = [];
  #timers: NodeJS.Timeout[] = [];
  #beating = false;

  constructor(
    private readonly platform: Platform,
    private readonly leases: LeaseStore,
  ) {}

  start(): void {
    const { bus, config } = this.platform;
    this.#lag.enable();
    const onError = (error: unknown) => this.platform.logger.warn({ err: error }, 'work consumer');
    this.#loops = [
      consumeWork(bus.nc, WORK_CONSUMERS.run, {
        schema: runOrder,
        room: () => this.#room(),
        handle: async ({ run }) => await this.#claimFor(run),
        ackWaitMs: ACK_WAIT_MS,
        onError,
      }),
      consumeWork(bus.nc, WORK_CONSUMERS.inbox, {
        schema: inboxDelivery,
        room: () => 50,
        handle: async (delivery, { subject }) => await this.#deliver(delivery, subject),
        ackWaitMs: ACK_WAIT_MS,
        onError,
      }),
    ];
    const nudges = bus.nc.subscribe(NUDGE, { callback: (_error, msg) => this.#nudged(msg.string()) });
    this.#loops.push({ stop: async () => Promise.resolve(nudges.unsubscribe()) });
    const jitter = () => 0.75 + Math.random() / 2;
    this.#every(
      () => config.SWEEP_MS * jitter(),
      async () => await this.sweep(),
    );
    this.#every(
      () => config.HEARTBEAT_MS,
      async () => await this.heartbeat(),
    );
    this.#every(
      () => WATCH_MS,
      async () => await Promise.resolve(this.#fence()),
    );
  }

  /** Takes no more, hands every run over at its next turn's border, and what does not come to one in time at once. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers.slice(0, 1)) clearTimeout(timer);
    await Promise.all(this.#loops.map(async (loop) => await loop.stop()));
    const all = [...this.#running.values()];
    for (const running of all) if (running.context) running.context.draining = true;
    const late = setTimeout(() => {
      for (const running of this.#running.values()) running.life.abort(new Error('the replica must go'));
    }, graceMs);
    await Promise.allSettled(all.map(async (running) => await running.done));
    clearTimeout(late);
    for (const timer of this.#timers) clearTimeout(timer);
    this.#lag.disable();
  }

  get runs(): number {
    return this.#running.size;
  }

  /** Due runs that nobody leads: claimed directly, nothing is republished. */
  async sweep(): Promise<void> {
    const room = this.#room();
    if (room > 0) await this.#claim(Math.min(room, MOST_CLAIMS));
  }

  async #claim(limit: number, run?: string): Promise<void> {
    const { LEASE_MS } = this.platform.config;
    const leaseUntil = performance.now() + LEASE_MS;
    this.#claiming += limit;
    try {
      for (const claim of await this.leases.claim(this.owner, LEASE_MS, limit, run)) this.#take(claim, leaseUntil);
    } finally {
      this.#claiming -= limit;
    }
  }

  async heartbeat(): Promise<void> {
    if (this.#beating) return;
    this.#beating = true;
    try {
      const held = [...this.#running.values()].map(({ run, epoch }) => ({ id: run, epoch }));
      const startedAt = performance.now();
      if (held.length === 0) return;
      const { LEASE_MS } = this.platform.config;
      const news = new Map((await this.leases.heartbeat(this.owner, LEASE_MS, held)).map((n) => [n.id, n]));
      for (const { id, epoch } of held) {
        const running = this.#running.get(id);
        if (!running || running.epoch !== epoch) continue;
        const n = news.get(id);
        if (!n) {
          if (running.context && running.context.state.phase !== 'ended' && !running.context.state.parked)
            this.#lose(running, 'a higher epoch owns the run');
          continue;
        }
        running.leaseUntil = startedAt + LEASE_MS;
        this.#tell(running, n.inboxSeq, n.cancelled);
      }
    } finally {
      this.#beating = false;
    }
  }

  #tell(running: Running, inboxSeq: number, cancelled: boolean): void {
    const c = running.context;
    if (!c) return;
    c.inboxSeq = Math.max(c.inboxSeq, inboxSeq);
    if (cancelled && !c.cancelled) {
      c.cancelled = true;
      running.stop.abort(new Error('the run was stopped'));
    }
  }

  /** Past its lease an owner sends nothing more, whatever it could still do. */
  #fence(): void {
    const now = performance.now();
    for (const running of this.#running.values()) {
      if (now >= running.leaseUntil) this.#lose(running, 'the lease ended by this owner’s own clock');
    }
  }

  #lose(running: Running, reason: string): void {
    running.context?.log.markLost(reason);
    running.life.abort(new Error(reason));
  }

  #room(): number {
    if (this.#stopping) return 0;
    const lagMs = this.#lag.percentile(99) / 1e6;
    this.#lag.reset();
    if (lagMs > this.platform.config.LEASE_MS / 3) return 0;
    return this.#free();
  }

  #free(): number {
    return this.platform.config.MAX_RUNS - this.#running.size - this.#claiming;
  }

  async #claimFor(run: string): Promise<WorkOutcome> {
    // The message may have been asked for while there was room.
    if (this.#stopping || this.#free() <= 0) return 'nak';
    await this.#claim(1, run);
    return 'ack';
  }

  async #deliver(delivery: InboxDelivery, subject: string): Promise<WorkOutcome> {
    const { run, key, kind } = delivery;
    if (subject !== WORK.inbox[kind]) {
      this.platform.logger.error(
        { run, key, kind, subject },
        'an inbox message came from somebody who may not send it',
      );
      return 'term';
    }
    const result = await this.platform.inbox.deliver(run, key, kind, JSON.stringify(delivery, storable));
    if (result === 'delivered') this.platform.bus.nc.publish(NUDGE, run);
    return 'ack';
  }

  #nudged(run: string): void {
    if (this.#running.has(run)) void this.heartbeat().catch(() => undefined);
  }

  #take(claim: Claim, leaseUntil: number): void {
    const before = this.#running.get(claim.id);
    if (before) this.#lose(before, 'a later claim of this replica took over');
    const running: Running = {
      run: claim.id,
      epoch: claim.epoch,
      life: new AbortController(),
      stop: new AbortController(),
      leaseUntil,
      context: null,
      done: Promise.resolve(),
    };
    if (claim.cancelled) running.stop.abort(new Error('the run was stopped'));
    this.#running.set(claim.id, running);
    running.done = this.#drive(running, claim).finally(() => {
      if (this.#running.get(claim.id) === running) this.#running.delete(claim.id);
    });
  }

  async #drive(running: Running, claim: Claim): Promise<void> {
    const { logger, records, hot, kick } = this.platform;
    const leaseLeftMs = () => running.leaseUntil - performance.now();
    try {
      const state = await this.#load(claim, running.life.signal);
      if (state === null) return;
      const log = new RunLog(records, state, claim.epoch, leaseLeftMs, kick);
      const bodies = new BodyCache(records, claim.id, hot, async () => await log.append([]));
      const content = new RequestContent(state.admitted, bodies);
      const c = new RunContext(
        claim.id,
        claim.epoch,
        this.platform,
        log,
        bodies,
        content,
        state.admitted,
        running.life.signal,
        running.stop.signal,
        leaseLeftMs,
      );
      c.ageAtClaimMs = claim.ageMs;
      c.inboxSeq = claim.inboxSeq;
      c.cancelled = claim.cancelled;
      c.snapshotSeq = state.seq;
      c.draining = this.#stopping;
      running.context = c;
      const how = await driveRun(c, claim);
      logger.info({ run: claim.id, epoch: claim.epoch, how, seq: state.seq }, 'run left this replica');
      if (how === 'handed-over') await this.leases.release({ id: claim.id, epoch: claim.epoch });
    } catch (error) {
      if (error instanceof LeaseLost)
        logger.warn({ run: claim.id, epoch: claim.epoch, reason: error.message }, 'lease lost: stopped');
      else {
        logger.error({ run: claim.id, epoch: claim.epoch, err: error }, 'run failed on this replica');
        await this.#giveUp(claim);
      }
    }
  }

  /** Null when the record cannot be read and the run was set aside for it (L15). */
  async #load(claim: Claim, signal: AbortSignal): Promise<AdmittedState | null> {
    const { records, config, bus, logger, kick } = this.platform;
    try {
      const state = await loadRun(records, claim.id);
      if (isAdmitted(state)) return state;
      throw new BrokenRecord(`run ${claim.id} has no admission in its record`);
    } catch (error) {
      if (isConnectionTrouble(error) || claim.claims <= config.CLAIMS_WITHOUT_RECORD) throw error;
      await setAsideBroken({ bus, records, logger, signal }, claim, error);
      kick();
      return null;
    }
  }

  /**
   * Any replica may try at once; claims without a record are counted. A run past that count is tried again when its lease
   * runs out, and so is one whose lease could not be given up.
   */
  async #giveUp({ id, epoch, claims }: Claim): Promise<void> {
    if (claims > this.platform.config.CLAIMS_WITHOUT_RECORD) return;
    await this.leases
      .giveUp({ id, epoch })
      .catch((error: unknown) => this.platform.logger.warn({ run: id, err: error }, 'lease kept'));
  }

  #every(ms: () => number, work: () => Promise<void>): void {
    const at = this.#timers.length;
    const again = () => {
      this.#timers[at] = setTimeout(() => {
        void work()
          .catch((error: unknown) => this.platform.logger.warn({ err: error }, 'replica loop'))
          .finally(again);
      }, ms());
    };
    again();
  }
}

const isAdmitted = (state: RunState): state is AdmittedState => state.admitted !== null;

/** A verdict's words come from a model: jsonb takes no NUL and no lone surrogate. */
const storable = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\u0000', '\ufffd') : value;
