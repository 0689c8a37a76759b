import { Injectable } from '@nestjs/common';
import { FACT_CONSUMERS } from '@waymark/contracts/streams';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { Bus, consumeFacts, type FactLoop } from '@waymark/messaging';
import { InjectLogger } from '@waymark/service';
import type { Logger } from '@waymark/telemetry';
import { readIntended, readSettled } from '../adapters/nats/request-facts.js';
import { NoticeCounts } from '../adapters/postgres/notice-counts.js';

/** Reads what became of reminders from the runtime's facts, on every replica side by side. Off every path of a run. */
@Injectable()
export class ProjectNotices {
  private loops: readonly FactLoop[] = [];

  constructor(
    private readonly bus: Bus,
    private readonly counts: NoticeCounts,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  start(): void {
    this.loops = [
      this.consume(FACT_CONSUMERS.intended, async (facts) => {
        await this.counts.addIntended(this.readable(facts, readIntended));
      }),
      this.consume(FACT_CONSUMERS.settled, async (facts) => {
        await this.counts.addSettled(this.readable(facts, readSettled));
      }),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private consume(
    { durable, subject }: { durable: string; subject: string },
    handle: (facts: readonly WaymarkEvent[]) => Promise<void>,
  ): FactLoop {
    return consumeFacts(this.bus.nc, {
      durable,
      subject,
      handle,
      onError: (error) => this.logger.warn({ err: error, durable }, 'facts were not counted yet'),
    });
  }

  /** A fact that cannot be read would be offered for ever: it is told and passed over. */
  private readable<T>(facts: readonly WaymarkEvent[], read: (fact: WaymarkEvent) => T | null): T[] {
    return facts.flatMap((fact) => {
      const found = read(fact);
      if (found === null) {
        this.logger.warn(
          { run: fact.run, seq: fact.seq, type: fact.type },
          'a fact that cannot be read is not counted',
        );
      }
      return found === null ? [] : [found];
    });
  }
}
