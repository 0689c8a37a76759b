/** One owner's events of a run, page by page from its own table. */
import { listEvents as budgetEvents } from '@waymark/contracts/budget';
import { listEvents as publicationEvents } from '@waymark/contracts/publication';
import { listEvents as reviewerEvents } from '@waymark/contracts/reviewer';
import { listEvents as runtimeEvents } from '@waymark/contracts/runtime';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import type { Caller } from './caller.js';
import { WaymarkError } from './waymark-error.js';

const CONTRACTS = {
  runtime: runtimeEvents,
  budget: budgetEvents,
  publication: publicationEvents,
  reviewer: reviewerEvents,
} as const;
export type FeedOwner = keyof typeof CONTRACTS;
export const FEED_OWNERS: readonly FeedOwner[] = ['runtime', 'budget', 'publication', 'reviewer'];

const PAGE = 200;

export class OwnerEvents {
  private page: readonly WaymarkEvent[] = [];
  private at = 0;
  private more = true;

  constructor(
    private readonly caller: Caller,
    readonly owner: FeedOwner,
    private readonly run: string,
    private after: number,
  ) {}

  /** The next event, or null when there is none now. Throws a WaymarkError when the owner cannot be read. */
  async next(): Promise<WaymarkEvent | null> {
    if (this.at === this.page.length && this.more) await this.read();
    const event = this.page[this.at];
    if (!event) return null;
    this.at += 1;
    this.after = event.seq;
    return event;
  }

  private async read(): Promise<void> {
    const request = { run: this.run, after: this.after, limit: PAGE };
    try {
      const { events, next } = await this.caller.ask(CONTRACTS[this.owner], request, { patienceMs: 0 });
      this.page = events;
      this.at = 0;
      this.more = next !== null && events.length > 0;
    } catch (error) {
      // Only the runtime knows which runs there are; the others hear of a run when it begins.
      if (this.owner === 'runtime' || !(error instanceof WaymarkError) || error.code !== 'unknown_run') throw error;
      this.more = false;
    }
  }
}
