/**
 * One run's record under one epoch: facts are folded, chained and appended, in that order of truth.
 *
 * 1. A fact that others rest on is durable before they act on it: `append` returns after the commit.
 * 2. `note` folds a fact at once and leaves it for the next append; it can only be lost together with everything after it.
 * 3. A conditional append that meets a stop changes nothing, neither here nor there (L4).
 * 4. Fenced: the lease is lost for good; every later call says so (F-X3).
 * 5. A commit whose answer was lost is recognised by its hash, never made twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isOutage } from '@waymark/messaging';
import { encodeFact, linkHash, toHex, type RecordFact } from '@waymark/record';
import type { NewBody, NewMessage, NewRow, RecordStore, RowPatch } from '@waymark/persistence/holder';
import { evolve } from '../core/evolve.js';
import type { RunState } from '../core/run-state.js';
import { sha256 } from './sha256.js';

/** Another owner has this run, or it has ended: stop, and say so. */
export class LeaseLost extends Error {}

export interface AppendOptions {
  readonly bodies?: readonly NewBody[];
  readonly messages?: readonly NewMessage[];
  readonly patch?: RowPatch;
}

/** Pause between two tries while the database is away, in ms. */
const RETRY_MS = 250;

export class RunLog {
  #pending: NewRow[] = [];
  #pendingBodies: NewBody[] = [];
  #committed: number;
  #lost: string | null = null;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: RecordStore,
    readonly state: RunState,
    readonly epoch: number,
    /** Ms that the lease still lasts, by the owner's own monotonic clock. */
    private readonly leaseLeftMs: () => number,
    private readonly committedHook: () => void,
  ) {
    this.#committed = state.seq;
  }

  get lost(): string | null {
    return this.#lost;
  }

  /** Everything that is folded is committed. */
  get settled(): boolean {
    return this.#pending.length === 0 && this.#committed === this.state.seq;
  }

  /** The heartbeat found another owner. */
  markLost(reason: string): void {
    this.#lost ??= reason;
  }

  note(fact: RecordFact, bodies: readonly NewBody[] = []): void {
    this.#pending.push(this.#fold(fact));
    this.#pendingBodies.push(...bodies);
  }

  /** Appends pending facts and these. Throws {@link LeaseLost}. One append is in flight at a time. */
  async append(facts: readonly RecordFact[], options: AppendOptions = {}): Promise<void> {
    await this.#serially(async () => {
      for (const fact of facts) this.note(fact);
      this.#pendingBodies.push(...(options.bodies ?? []));
      if (this.#pending.length === 0) return;
      const rows = this.#pending;
      const bodies = this.#pendingBodies;
      this.#pending = [];
      this.#pendingBodies = [];
      await this.#commit(rows, bodies, options, false);
    });
  }

  /** Appends pending facts and an intent, unless the run was stopped. */
  async appendUnlessCancelled(fact: RecordFact, options: AppendOptions = {}): Promise<'appended' | 'cancelled'> {
    return await this.#serially(async () => {
      const before = { seq: this.state.seq, head: this.state.head };
      const row = this.#chain(fact, before.seq, before.head);
      const rows = [...this.#pending, row];
      const bodies = [...this.#pendingBodies, ...(options.bodies ?? [])];
      const result = await this.#commit(rows, bodies, options, true);
      if (result === 'cancelled') return 'cancelled';
      this.#pending = [];
      this.#pendingBodies = [];
      evolve(this.state, fact, before.seq + 1, toHex(row.hash));
      return 'appended';
    });
  }

  async #serially<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#tail.then(work, work);
    this.#tail = next.catch(() => undefined);
    return await next;
  }

  #fold(fact: RecordFact): NewRow {
    const row = this.#chain(fact, this.state.seq, this.state.head);
    evolve(this.state, fact, this.state.seq + 1, toHex(row.hash));
    return row;
  }

  #chain(fact: RecordFact, seq: number, head: string): NewRow {
    const body = encodeFact(fact);
    const link = { seq: seq + 1, epoch: this.epoch, kind: fact.type, body };
    return {
      kind: fact.type,
      body,
      hash: linkHash(sha256, Buffer.from(head, 'hex'), link),
      told: true,
    };
  }

  async #commit(
    rows: readonly NewRow[],
    bodies: readonly NewBody[],
    options: AppendOptions,
    unlessCancelled: boolean,
  ): Promise<'appended' | 'cancelled'> {
    for (let tries = 0; ; tries += 1) {
      if (this.#lost !== null) throw new LeaseLost(this.#lost);
      try {
        const result = await this.store.append({
          id: this.state.run,
          run: this.state.run,
          epoch: this.epoch,
          seq: this.#committed,
          rows,
          bodies,
          messages: options.messages ?? [],
          unlessCancelled,
          patch: options.patch ?? null,
        });
        if (result === 'cancelled') return 'cancelled';
        if (result === 'fenced' && !(tries > 0 && (await this.#isOurs(rows)))) {
          this.#lost = 'a higher epoch owns the run';
          throw new LeaseLost(this.#lost);
        }
        this.#committed += rows.length;
        this.committedHook();
        return 'appended';
      } catch (error) {
        if (error instanceof LeaseLost || !isConnectionTrouble(error)) throw error;
        if (this.leaseLeftMs() <= RETRY_MS) {
          this.#lost = 'the database was away until the lease ended';
          throw new LeaseLost(this.#lost);
        }
        await pause(RETRY_MS);
      }
    }
  }

  async #isOurs(rows: readonly NewRow[]): Promise<boolean> {
    const last = rows.at(-1);
    const stored = await this.store.rows(this.state.run, this.#committed, rows.length);
    return (
      last !== undefined &&
      stored.at(-1)?.seq === this.#committed + rows.length &&
      last.hash.every((b, i) => stored.at(-1)?.hash[i] === b)
    );
  }
}

/** An outage, or a conflict with another statement (a lock, a serialization): worth trying again. */
export function isConnectionTrouble(error: unknown): boolean {
  if (isOutage(error)) return true;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return /^(55P03|40)/.test(code);
}
