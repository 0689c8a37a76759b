/**
 * All events of one run, of all its owners, from any cursor (L14).
 *
 * 1. The owners' tables are the truth, the stream is only quick: each event comes once, in its owner's order, without a
 *    gap, whatever the stream lost, repeated or forgot.
 * 2. Reading starts nothing and stops nothing: leaving is only leaving (L6).
 * 3. An owner that is away is waited for; its events come when it is back. One that is still away a while after the run's
 *    end is reported as missing, never passed over. An unknown run is refused at once.
 */
import { get } from '@waymark/contracts/runtime';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { checkFeed } from './arguments.js';
import type { Caller } from './caller.js';
import { isAway } from './caller.js';
import { LiveFacts } from './live-facts.js';
import { FEED_OWNERS, OwnerEvents, type FeedOwner } from './owner-events.js';

/** Last sequence seen, by owner. */
export type Cursors = Partial<Record<FeedOwner, number>>;

export interface FeedOptions {
  /** Where to go on; from the first event on where nothing is said. */
  readonly cursors?: Cursors;
  readonly owners?: readonly FeedOwner[];
  /** False: what there is now, then the end. Default: until the run has ended. */
  readonly follow?: boolean;
  /** How long the runtime may be away before the feed fails, ms; default: for ever. */
  readonly patienceMs?: number;
  /** Ends the feed quietly. */
  readonly signal?: AbortSignal;
  /** Told when somebody cannot be read now, and once when NATS does not let this user hear facts as they come. */
  readonly onWait?: (reason: string) => void;
  /** Told at the end of each owner whose last events could not be read, with the last sequence that came. */
  readonly onMissing?: (owner: FeedOwner, after: number) => void;
}

/** Silence after which the tables are looked at, ms: the last events before a silence may have been lost on the way. */
const SILENCE_MS = 2_000;
const AWAY_MS = 500;
/** After the run's end the other owners' last events are waited for, ms at most. */
const LAST_MS = 5_000;

export class RunFeed implements AsyncIterable<WaymarkEvent> {
  private readonly cursors: Map<string, number>;
  private readonly owners: readonly FeedOwner[];
  private readonly onWait: (reason: string) => void;
  /** Owners that could not be read last time. */
  private readonly behind = new Set<FeedOwner>();
  private endedAt: number | null = null;
  private heardAt = performance.now();

  constructor(
    private readonly caller: Caller,
    private readonly run: string,
    private readonly options: FeedOptions = {},
  ) {
    checkFeed(options);
    this.owners = options.owners ?? FEED_OWNERS;
    this.cursors = new Map([...this.owners].map((owner) => [owner, options.cursors?.[owner] ?? 0]));
    this.onWait = options.onWait ?? (() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WaymarkEvent> {
    const { signal, follow = true } = this.options;
    // Listening begins before the tables are read: nothing can fall between the two.
    const live = follow
      ? new LiveFacts(this.caller.connection.nc, this.run, (reason) =>
          this.onWait(`facts are not heard as they come: ${reason}`),
        )
      : null;
    try {
      while (!signal?.aborted) {
        const over = await this.isOver();
        for await (const event of this.catchUp()) {
          if (signal?.aborted) return;
          yield this.seen(event);
        }
        if (!live || (over && this.isComplete())) return this.tellMissing();
        for await (const event of this.following(live)) {
          if (signal?.aborted) return;
          yield this.seen(event);
        }
      }
    } finally {
      await live?.stop();
    }
  }

  /** Live events that follow on what was seen; ends at silence, at a gap and at the run's end: then the tables are read. */
  private async *following(live: LiveFacts): AsyncGenerator<WaymarkEvent> {
    if (this.endedAt !== null) {
      await live.next(AWAY_MS, this.options.signal);
      return;
    }
    for (;;) {
      const fact = await live.next(this.behind.size > 0 ? AWAY_MS : SILENCE_MS, this.options.signal);
      if (fact === null) return;
      const last = this.cursors.get(fact.owner);
      if (last === undefined || fact.seq <= last || (this.behind as ReadonlySet<string>).has(fact.owner)) continue;
      if (fact.seq > last + 1) return;
      yield fact;
      if (fact.type.endsWith('.RunEnded')) return;
    }
  }

  /** What stands in the tables after the cursors, oldest first by the owners' clocks. */
  private async *catchUp(): AsyncGenerator<WaymarkEvent> {
    this.behind.clear();
    const sources = this.owners.map(
      (owner) => new OwnerEvents(this.caller, owner, this.run, this.cursors.get(owner) ?? 0),
    );
    const heads = await Promise.all(sources.map(async (source) => await this.next(source)));
    for (;;) {
      let first = -1;
      for (const [i, event] of heads.entries()) {
        const best = heads[first];
        if (event && (!best || event.at < best.at)) first = i;
      }
      const event = heads[first];
      const source = sources[first];
      if (!event || !source) return;
      yield event;
      heads[first] = await this.next(source);
    }
  }

  private async next(source: OwnerEvents): Promise<WaymarkEvent | null> {
    try {
      return await source.next();
    } catch (error) {
      if (!isAway(error)) throw error;
      this.behind.add(source.owner);
      this.onWait(`${source.owner} cannot be read now: ${(error as Error).message}`);
      return null;
    }
  }

  /** Whether the run has ended, asked before its last events are read. */
  private async isOver(): Promise<boolean> {
    if (this.endedAt !== null) return true;
    try {
      const { run } = await this.caller.ask(get, { run: this.run }, { patienceMs: 0 });
      this.heardAt = performance.now();
      if (run.state === 'ended') this.endedAt = this.heardAt;
    } catch (error) {
      if (!isAway(error) || performance.now() - this.heardAt > (this.options.patienceMs ?? Infinity)) throw error;
      this.onWait(`runtime cannot be read now: ${(error as Error).message}`);
    }
    return this.endedAt !== null;
  }

  private isComplete(): boolean {
    return this.behind.size === 0 || performance.now() - (this.endedAt ?? 0) > LAST_MS;
  }

  private tellMissing(): void {
    for (const owner of this.behind) this.options.onMissing?.(owner, this.cursors.get(owner) ?? 0);
  }

  private seen(event: WaymarkEvent): WaymarkEvent {
    this.cursors.set(event.owner, event.seq);
    return event;
  }
}
