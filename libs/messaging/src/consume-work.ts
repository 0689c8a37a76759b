/**
 * Pull consumer of one kind of work.
 *
 * 1. Fetches only what there is room for; what waits stays on the stream for other replicas.
 * 2. An ack follows the handler's word at once; it says "claimed", never "done" (L2).
 * 3. A server or consumer that is away is waited for, and said.
 * 4. What can never be handled, because it is not JSON or not of the shape, is terminated and said once.
 */
import { AckPolicy, jetstream, jetstreamManager, type Consumer, type JsMsg } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { WORK_STREAM } from '@waymark/contracts/streams';
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from 'zod';

/** `nak`: again after a second, by whoever has room; `term`: never again. */
export type WorkOutcome = 'ack' | 'nak' | 'term';

export interface ConsumeWorkOptions<T> {
  /** What a piece of work looks like; another one never reaches `handle`. */
  schema: z.ZodType<T>;
  /** How many more pieces of work this process can take now. Those being handled are subtracted here. */
  room: () => number;
  handle: (payload: T, msg: JsMsg) => Promise<WorkOutcome>;
  /** Redelivered when not acknowledged for so long; milliseconds. */
  ackWaitMs: number;
  onError: (error: unknown) => void;
}

export interface WorkLoop {
  /** Takes no more work and waits for what is being handled. */
  stop(): Promise<void>;
}

const EXPIRES_MS = 5_000;
const NO_ROOM_MS = 50;
const RETRY_MS = 1_000;
const NAK_DELAY_MS = 1_000;

/** Starts at once; creates the durable consumer if it is missing. `consumer` is one of WORK_CONSUMERS. */
export function consumeWork<T>(
  nc: NatsConnection,
  consumer: { durable: string; subject: string },
  options: ConsumeWorkOptions<T>,
): WorkLoop {
  const stopping = new AbortController();
  const handling = new Set<Promise<void>>();
  const { room, onError } = options;

  const take = (msg: JsMsg): void => {
    const work = handleOne(msg, options);
    handling.add(work);
    void work.finally(() => handling.delete(work));
  };

  const loop = async (): Promise<void> => {
    let pulling: Consumer | undefined;
    while (!stopping.signal.aborted) {
      const free = room() - handling.size;
      if (free <= 0) {
        await pause(NO_ROOM_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
        continue;
      }
      try {
        pulling ??= await openConsumer(nc, consumer, options.ackWaitMs);
        await fetchInto(pulling, free, stopping.signal, take);
      } catch (error) {
        pulling = undefined;
        if (stopping.signal.aborted) break;
        onError(error);
        await pause(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    await Promise.allSettled(handling);
  };
  const ended = loop();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await ended;
    },
  };
}

async function openConsumer(
  nc: NatsConnection,
  { durable, subject }: { durable: string; subject: string },
  ackWaitMs: number,
): Promise<Consumer> {
  const jsm = await jetstreamManager(nc);
  await jsm.consumers.add(WORK_STREAM.name, {
    durable_name: durable,
    filter_subject: subject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1, // past it a message would count nowhere
    max_ack_pending: 10_000,
  });
  return await jetstream(nc).consumers.get(WORK_STREAM.name, durable);
}

async function fetchInto(from: Consumer, free: number, signal: AbortSignal, take: (msg: JsMsg) => void): Promise<void> {
  const messages = await from.fetch({ max_messages: free, expires: EXPIRES_MS });
  const stop = (): void => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const msg of messages) {
      if (signal.aborted) msg.nak();
      else take(msg);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function handleOne<T>(msg: JsMsg, { schema, handle, onError }: ConsumeWorkOptions<T>): Promise<void> {
  const parsed = read(msg, schema);
  if (!parsed.ok) {
    onError(new Error(`message ${msg.seq} on ${msg.subject} can never be handled and was dropped: ${parsed.why}`));
    msg.term();
    return;
  }
  try {
    const outcome = await handle(parsed.payload, msg);
    if (outcome === 'ack') msg.ack();
    else if (outcome === 'nak') msg.nak(NAK_DELAY_MS);
    else msg.term();
  } catch (error) {
    onError(error);
    msg.nak(NAK_DELAY_MS);
  }
}

type Read<T> = { readonly ok: true; readonly payload: T } | { readonly ok: false; readonly why: string };

/** Why it is not of the shape, by its fields; never its contents. */
function read<T>(msg: JsMsg, schema: z.ZodType<T>): Read<T> {
  let value: unknown;
  try {
    value = msg.json();
  } catch {
    return { ok: false, why: 'it is not JSON' };
  }
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, payload: result.data };
  const fields = result.error.issues.map(({ path, code }) => `${path.map(String).join('.') || 'the body'} (${code})`);
  return { ok: false, why: fields.slice(0, 5).join(', ') };
}
