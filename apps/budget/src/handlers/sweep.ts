import { Injectable } from '@nestjs/common';
import { InjectLogger } from '@waymark/service';
import type { Logger } from '@waymark/telemetry';
import { LedgerStore } from '../adapters/postgres/ledger-store.js';
import { decideSweep } from '../core/decide-sweep.js';
import { Commands } from './commands.js';
import { InjectTiming, type Timing } from './timing.js';

/** Ledgers in one look; more follow at once. */
const BATCH = 100;

/**
 * The budget's durable timers. Every replica sweeps; the compare-and-set makes each fact once. Replicas that stand
 * still cost nothing but delay: what is due stays due in its row.
 */
@Injectable()
export class Sweep {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = true;

  constructor(
    private readonly store: LedgerStore,
    private readonly commands: Commands,
    @InjectTiming() private readonly timing: Timing,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  start(): void {
    this.stopped = false;
    this.wait();
  }

  /** Lets the look in flight end. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** One look at all that is due. */
  async once(): Promise<void> {
    for (;;) {
      const due = await this.store.due(BATCH);
      let moved = 0;
      for (const run of due) {
        if (this.stopped) return;
        moved += (await this.sweep(run)) ? 1 : 0;
      }
      if (due.length < BATCH || moved === 0) return;
    }
  }

  private async sweep(run: string): Promise<boolean> {
    return await this.commands.carryOut(run, ({ ledger }, now) => {
      const { draft } = decideSweep(ledger, now, this.timing.leaseMs);
      return { draft, reply: draft.facts.length > 0 };
    });
  }

  /** Replicas that started together drift apart. */
  private wait(): void {
    if (this.stopped) return;
    const ms = this.timing.sweepMs * (0.8 + 0.4 * Math.random());
    this.timer = setTimeout(() => {
      this.running = this.once()
        .catch((error: unknown) => this.logger.warn({ err: error }, 'the sweep failed; it looks again'))
        .finally(() => this.wait());
    }, ms);
  }
}
