import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, type Consumer, type JsMsg } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { FACTS_STREAM, isFactOf } from '@waymark/contracts/streams';
import { event, type WaymarkEvent } from '@waymark/contracts/wire';
import { setTimeout as pause } from 'node:timers/promises';

export interface ConsumeFactsOptions {
  /** Shared by all replicas; its place in the stream outlives them. */
  durable: string;
  /** Which facts, e.g. `waymark.facts.v1.runtime.*.RequestSettled`. */
  subject: string;
  /**
   * Takes up to 200 facts, or what came within a second: one commit for all of them. It must be idempotent by (owner, run,
   * seq): delivery is at least once. A rejection is reported and the same facts are tried again.
   */
  handle: (facts: readonly WaymarkEvent[]) => Promise<void>;
  onError: (error: unknown) => void;
}

export interface FactLoop {
  /** Ends after the batch that is being taken. */
  stop(): Promise<void>;
}

const ACK_WAIT_MS = 30_000;
const RETRY_MS = 1_000;
/** How long a fact may wait for others. */
const EXPIRES_MS = 1_000;
const BATCH = 200;

/**
 * Reads facts from the first on for a projection that need not be up to the moment. Several replicas read side by side, so a
 * run's facts can arrive in another order than they were made. Waits for a stream or server that is away.
 */
export function consumeFacts(nc: NatsConnection, options: ConsumeFactsOptions): FactLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wait = (): Promise<void> => pause(RETRY_MS, undefined, { signal }).catch(() => undefined);

  const takeBatch = async (messages: readonly JsMsg[]): Promise<void> => {
    const facts = messages.flatMap((msg) => {
      const fact = event.safeParse(safeJson(msg));
      if (fact.success && isFactOf(msg.subject, fact.data)) return [fact.data];
      options.onError(new Error(`not a fact of its owner on ${msg.subject}`, { cause: fact.error }));
      return [];
    });
    while (!signal.aborted) {
      try {
        if (facts.length > 0) await options.handle(facts);
        for (const msg of messages) msg.ack();
        return;
      } catch (error) {
        options.onError(error);
        for (const msg of messages) msg.working();
        await wait();
      }
    }
    for (const msg of messages) msg.nak();
  };

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const consumer = await durable(nc, options);
        while (!signal.aborted) await takeBatch(await collect(consumer, signal));
      } catch (error) {
        if (signal.aborted) return;
        options.onError(error);
        await wait();
      }
    }
  };
  const ended = loop();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await ended;
    },
  };
}

async function durable(nc: NatsConnection, options: ConsumeFactsOptions): Promise<Consumer> {
  const jsm = await jetstreamManager(nc);
  await jsm.consumers.add(FACTS_STREAM.name, {
    durable_name: options.durable,
    filter_subject: options.subject,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_deliver: -1,
  });
  return await jetstream(nc).consumers.get(FACTS_STREAM.name, options.durable);
}

async function collect(consumer: Consumer, signal: AbortSignal): Promise<JsMsg[]> {
  const collected: JsMsg[] = [];
  const messages = await consumer.fetch({ max_messages: BATCH, expires: EXPIRES_MS });
  const stop = (): void => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const msg of messages) collected.push(msg);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return collected;
}

function safeJson(msg: JsMsg): unknown {
  try {
    return msg.json();
  } catch {
    return undefined;
  }
}
