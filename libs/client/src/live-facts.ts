/** The facts of one run as they are published: an ordered consumer on the stream, made again when it breaks. */
import { DeliverPolicy, jetstream, type ConsumerMessages } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { FACTS_STREAM, isFactOf } from '@waymark/contracts/streams';
import { event, type WaymarkEvent } from '@waymark/contracts/wire';
import { setTimeout as pause } from 'node:timers/promises';
import { isDenied, safeJson } from './caller.js';
import { reasonOf } from './reason-of.js';

/** Facts held for a slow reader; what is over is dropped and read again from the owner's table. */
const MOST_HELD = 5_000;
const RETRY_MS = 500;

export class LiveFacts {
  private readonly held: WaymarkEvent[] = [];
  private wake: () => void = () => undefined;
  private readonly stopping = new AbortController();
  private messages: ConsumerMessages | undefined;
  private readonly done: Promise<void>;
  private told = false;

  /** `onDenied` is told, once, that NATS lets this user make no consumer: its facts come from the tables alone, later. */
  constructor(
    private readonly nc: NatsConnection,
    private readonly run: string,
    private readonly onDenied: (reason: string) => void = () => undefined,
  ) {
    this.done = this.loop();
  }

  /** The next fact; null after `waitMs` of silence, or when told by `signal`. */
  async next(waitMs: number, signal?: AbortSignal): Promise<WaymarkEvent | null> {
    if (this.held.length === 0 && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', finish); // one signal lives through many waits
          resolve();
        };
        const timer = setTimeout(finish, waitMs);
        this.wake = finish;
        signal?.addEventListener('abort', finish, { once: true });
      });
    }
    return this.held.shift() ?? null;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.messages?.close().catch(() => undefined);
    await this.done;
  }

  private async loop(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted && !this.nc.isClosed()) {
      try {
        await this.consume(signal);
      } catch (error) {
        // what was missed meanwhile is read from the owners' tables
        if (isDenied(error) && !this.told) {
          this.told = true;
          this.onDenied(reasonOf(error));
        }
      }
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async consume(signal: AbortSignal): Promise<void> {
    const consumer = await jetstream(this.nc).consumers.get(FACTS_STREAM.name, {
      filter_subjects: `waymark.facts.v1.*.${this.run}.>`,
      deliver_policy: DeliverPolicy.New,
    });
    // Only a reader that began to read ends by `close`.
    if (signal.aborted) return void (await consumer.delete());
    this.messages = await consumer.consume();
    if (signal.aborted) return this.messages.stop();
    for await (const message of this.messages) {
      const fact = event.safeParse(safeJson(message.data));
      if (!fact.success || fact.data.run !== this.run || !isFactOf(message.subject, fact.data)) continue;
      if (this.held.length < MOST_HELD) this.held.push(fact.data);
      this.wake();
    }
  }
}
