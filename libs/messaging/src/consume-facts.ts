import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, type JsMsg } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { FACTS_STREAM } from '@waymark/contracts/streams';
import { event, type WaymarkEvent } from '@waymark/contracts/wire';
import { setTimeout as pause } from 'node:timers/promises';

export interface ConsumeFactsOptions {
  /** Shared by all replicas; its place in the stream outlives them. */
  durable: string;
  /** Which facts, e.g. `waymark.facts.v1.budget.>`. */
  subject: string;
  /**
   * Takes one fact. It must be idempotent by (owner, run, seq): delivery is at least once. A rejection is reported and
   * tried again; later facts wait, so within a replica order is kept.
   */
  handle: (fact: WaymarkEvent, msg: JsMsg) => Promise<void>;
  onError: (error: unknown) => void;
}

export interface FactLoop {
  stop(): Promise<void>;
}

const ACK_WAIT_MS = 30_000;
const RETRY_MS = 1_000;
const EXPIRES_MS = 5_000;
const BATCH = 100;

/** Reads facts from the first on, in order, one at a time. Waits for a stream or server that is away. */
export function consumeFacts(nc: NatsConnection, options: ConsumeFactsOptions): FactLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wait = (): Promise<void> => pause(RETRY_MS, undefined, { signal }).catch(() => undefined);

  const takeAll = async (): Promise<void> => {
    const jsm = await jetstreamManager(nc);
    await jsm.consumers.add(FACTS_STREAM.name, {
      durable_name: options.durable,
      filter_subject: options.subject,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(ACK_WAIT_MS),
      max_deliver: -1,
    });
    const consumer = await jetstream(nc).consumers.get(FACTS_STREAM.name, options.durable);
    while (!signal.aborted) {
      const messages = await consumer.fetch({ max_messages: BATCH, expires: EXPIRES_MS });
      const stop = (): void => messages.stop();
      signal.addEventListener('abort', stop, { once: true });
      try {
        for await (const msg of messages) {
          if (signal.aborted) msg.nak();
          else await takeOne(msg);
        }
      } finally {
        signal.removeEventListener('abort', stop);
      }
    }
  };

  const takeOne = async (msg: JsMsg): Promise<void> => {
    const fact = event.safeParse(safeJson(msg));
    if (!fact.success) {
      options.onError(new Error(`not a fact on ${msg.subject}`, { cause: fact.error }));
      msg.term();
      return;
    }
    while (!signal.aborted) {
      try {
        await options.handle(fact.data, msg);
        msg.ack();
        return;
      } catch (error) {
        options.onError(error);
        msg.working();
        await wait();
      }
    }
    msg.nak();
  };

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await takeAll();
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

function safeJson(msg: JsMsg): unknown {
  try {
    return msg.json();
  } catch {
    return undefined;
  }
}
