/** A run as it goes: events in lines, limits as bars from their owners' own numbers, until it has ended. */
import type { Cursors, WaymarkClient } from '@waymark/client';
import type { BudgetSnapshot } from '@waymark/contracts/budget';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import { barLines, limitBars, withoutStepBack, type LimitBar } from '../core/bars.js';
import { EventTeller } from '../core/event-teller.js';
import { evolveProgress, newProgress, type Progress } from '../core/progress.js';
import { many } from '../core/words.js';
import type { Screen } from './screen.js';

export interface FollowOptions {
  readonly cursors?: Cursors;
  readonly signal?: AbortSignal;
  /** Events as JSON lines and nothing else. */
  readonly json?: boolean;
}

const PANEL_MS = 400;
/** Between two sets of bars where there is no terminal: at least so long, and only when something but the clock has changed. */
const PLAIN_MS = 10_000;
const BAR_CELLS = 28;
/** Without a word from the runtime for so long a follower gives up, ms. */
const PATIENCE_MS = 60_000;

export async function followRun(
  client: WaymarkClient,
  run: string,
  screen: Screen,
  options: FollowOptions = {},
): Promise<Progress> {
  const { cursors, signal, json = false } = options;
  const teller = new EventTeller();
  const limits = new LimitsView(client, run);
  let progress = newProgress();
  // Who goes on from a place has not seen what came before it.
  const head = (): string =>
    `${Object.keys(cursors ?? {}).length > 0 ? 'seen from here on: ' : ''}${headLine(progress)}`;
  const show = (): void => screen.panel(['', head(), ...limits.lines('unicode')]);
  const timer = json
    ? undefined
    : setInterval(
        () =>
          void limits.refresh().then(() => {
            if (screen.live) show();
            else screen.lines(limits.changed('ascii'));
          }),
        screen.live ? PANEL_MS : PLAIN_MS,
      );
  try {
    const feed = client.events(run, {
      patienceMs: PATIENCE_MS,
      ...(cursors ? { cursors } : {}),
      ...(signal ? { signal } : {}),
      onWait: (reason) => void (json || screen.line(`waiting: ${reason}`)),
      onMissing: (owner, after) =>
        void (
          json || screen.line(`missing: what ${owner} recorded after ${after}; follow again --from ${owner}=${after}`)
        ),
    });
    for await (const event of feed) {
      progress = evolveProgress(progress, event);
      if (json) screen.line(JSON.stringify(event));
      else screen.lines(teller.tell(event));
      if (screen.live) show();
    }
    if (!json && signal?.aborted !== true) {
      await limits.refresh();
      screen.panel([]);
      screen.lines([head(), ...limits.last(screen.live ? 'unicode' : 'ascii')]);
    }
    return progress;
  } finally {
    clearInterval(timer);
    screen.end();
  }
}

function headLine(p: Progress): string {
  const parts = [
    p.state === 'ended' ? `ended, ${p.outcome ?? '?'}` : `${p.state}, ${p.phase}`,
    many(p.turns, 'turn'),
    many(p.requests, 'request'),
    many(p.blocks, 'block'),
    ...(p.corrections > 0 ? [`${many(p.corrections, 'block')} revised`] : []),
    ...(p.reviews > 0 ? [many(p.reviews, 'review')] : []),
  ];
  return parts.join(' · ');
}

/** The owners' last numbers; what cannot be had stays as it was. */
class LimitsView {
  private budget: BudgetSnapshot | null = null;
  private publication: PublicationSnapshot | null = null;
  private asking: Promise<void> | undefined;
  private shown = '';
  private mostActiveMs = 0;

  constructor(
    private readonly client: WaymarkClient,
    private readonly run: string,
  ) {}

  async refresh(): Promise<void> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined));
    await this.asking;
  }

  lines(style: 'unicode' | 'ascii'): string[] {
    return barLines(this.bars(), BAR_CELLS, style);
  }

  /** The lines when something but the clock is other than last time. */
  changed(style: 'unicode' | 'ascii'): string[] {
    const seen = this.bars()
      .filter(({ clock }) => clock !== true)
      .map(({ text }) => text)
      .join();
    if (seen === this.shown) return [];
    this.shown = seen;
    return this.lines(style);
  }

  /** The owners' numbers as they stand. */
  last(style: 'unicode' | 'ascii'): string[] {
    return barLines(limitBars(this.budget, this.publication), BAR_CELLS, style);
  }

  private bars(): LimitBar[] {
    this.mostActiveMs = Math.max(this.mostActiveMs, this.budget?.active.usedMs ?? 0);
    return withoutStepBack(limitBars(this.budget, this.publication), this.mostActiveMs);
  }

  private async ask(): Promise<void> {
    const [budget, publication] = await Promise.allSettled([
      this.client.budget(this.run),
      this.client.publication(this.run),
    ]);
    if (budget.status === 'fulfilled' && budget.value) this.budget = budget.value;
    if (publication.status === 'fulfilled' && publication.value) this.publication = publication.value;
  }
}
