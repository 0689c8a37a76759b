/**
 * One review's record under one epoch.
 *
 * 1. Facts, bodies, events and messages of one append are one commit, or nothing.
 * 2. A conditional append that meets a stop changes nothing (L4).
 * 3. Fenced: the lease is lost for good (L2, F-X3).
 * 4. While the database is away an append is tried again until the lease ends; a commit whose answer was lost is
 *    recognised by its hash, never made twice.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { insertOutbox, type Db, type OutboxRow } from '@waymark/persistence';
import { RecordStore, type RowPatch } from '@waymark/persistence/holder';
import { decodeFact, encodeFact, genesisHash, linkHash } from '@waymark/record';
import type { Logger } from '@waymark/telemetry';
import { addEvents } from '../adapters/postgres/run-events.js';
import { REVIEW_TABLES } from '../adapters/postgres/review-tables.js';
import { eventData } from '../core/event-data.js';
import { evolve, newReview, type ReviewState } from '../core/evolve.js';
import type { ReviewFact } from '../core/facts.js';
import { sha256 } from './sha256.js';

/** Another owner has this review, or the lease is over: stop, and write nothing. */
export class LeaseLost extends Error {}

export interface AppendOptions {
  readonly bodies?: readonly Uint8Array[];
  readonly messages?: readonly OutboxRow[];
  readonly patch?: RowPatch;
  /** Only when nobody stopped the review. */
  readonly unlessStopped?: boolean;
}

export interface LogOptions {
  readonly db: Db;
  readonly id: string;
  readonly run: string;
  readonly review: string;
  readonly epoch: number;
  /** By the owner's own monotonic clock. */
  readonly leaseLeftMs: () => number;
  /** After a commit that wrote to the outbox. */
  readonly kick: () => void;
  readonly logger: Logger;
}

const RETRY_MS = 200;
const MOST_FACTS = 1_000;

export class ReviewLog {
  state: ReviewState = newReview;
  #seq = 0;
  #head: Uint8Array;

  private constructor(private readonly options: LogOptions) {
    this.#head = genesisHash(sha256, options.id);
  }

  /** Folds the stored record. */
  static async open(options: LogOptions): Promise<ReviewLog> {
    const log = new ReviewLog(options);
    const rows = await new RecordStore(options.db, REVIEW_TABLES).rows(options.id, 0, MOST_FACTS);
    for (const row of rows) {
      log.state = evolve(log.state, decodeFact<ReviewFact>(row.body));
      log.#seq = row.seq;
      log.#head = row.hash;
    }
    return log;
  }

  /** False when a stop came before it. */
  async append(facts: readonly ReviewFact[], options: AppendOptions = {}): Promise<boolean> {
    const rows: { kind: string; body: Uint8Array; hash: Uint8Array; told: false }[] = [];
    let head = this.#head;
    for (const fact of facts) {
      const body = encodeFact(fact);
      const link = { seq: this.#seq + rows.length + 1, epoch: this.options.epoch, kind: fact.type, body };
      head = linkHash(sha256, head, link);
      rows.push({ kind: fact.type, body, hash: head, told: false });
    }
    const appended = await this.#commit(facts, rows, options);
    if (!appended) return false;
    this.#seq += rows.length;
    this.#head = head;
    this.state = facts.reduce(evolve, this.state);
    this.options.kick();
    return true;
  }

  async #commit(
    facts: readonly ReviewFact[],
    rows: readonly { kind: string; body: Uint8Array; hash: Uint8Array; told: false }[],
    { bodies = [], messages = [], patch, unlessStopped = false }: AppendOptions,
  ): Promise<boolean> {
    const { db, id, run, review, epoch, leaseLeftMs } = this.options;
    const append = {
      ...{ id, run, epoch, seq: this.#seq, rows, messages: [], patch: patch ?? null, unlessCancelled: unlessStopped },
      bodies: bodies.map((body) => ({ digest: sha256(body), body })),
    };
    for (;;) {
      if (leaseLeftMs() <= 0) throw new LeaseLost('the lease ended by this owner’s own clock');
      try {
        return await db.transaction(async (tx) => {
          const result = await new RecordStore(tx, REVIEW_TABLES).append(append);
          if (result === 'cancelled') return false;
          if (result === 'fenced') {
            if (await this.#isCommitted(rows)) return true;
            throw new LeaseLost('a higher epoch owns the review');
          }
          await addEvents(
            tx,
            run,
            facts.map((fact) => ({ name: fact.type, data: eventData(review, fact) })),
          );
          await insertOutbox(tx, messages);
          return true;
        });
      } catch (error) {
        if (error instanceof LeaseLost) throw error;
        this.options.logger.warn({ review: id, err: error }, 'an append waits for the database');
        await pause(RETRY_MS);
      }
    }
  }

  async #isCommitted(rows: readonly { hash: Uint8Array }[]): Promise<boolean> {
    const { db, id } = this.options;
    const [stored] = await new RecordStore(db, REVIEW_TABLES).rows(id, this.#seq + rows.length - 1, 1);
    const last = rows.at(-1);
    return stored !== undefined && last !== undefined && stored.hash.equals(last.hash);
  }
}
