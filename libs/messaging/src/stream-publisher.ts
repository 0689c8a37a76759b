/**
 * Publishing to a stream with acknowledgement, as the JetStream client does it, for many messages at once.
 *
 * 1. The client makes a request of each message, with a timer, an error with a stack and a table of its own: 63 µs of CPU a
 *    message; one inbox and one timer for all take 30 µs (measured side by side, bursts of ten). Eight facts leave a turn.
 * 2. One try: messages go out in the order of the calls, and a second try of our own would break it.
 */
import {
  headers,
  PermissionViolationError,
  type Msg,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node';
import { newInbox } from './connect-nats.js';

export type StreamPublisher = (message: { subject: string; msgId: string; body: Uint8Array }) => Promise<void>;

interface Waiting {
  readonly subject: string;
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** Resolves when the broker has stored the message or knows its id already; rejects when it says no or nothing. */
export function streamPublisher(nc: NatsConnection, ackTimeoutMs = 5_000): StreamPublisher {
  const inbox = newInbox(nc);
  const waiting = new Map<string, Waiting>();
  let acks: Subscription | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last = 0;

  const take = (msg: Msg): void => {
    const id = msg.subject.slice(inbox.length + 1);
    const one = waiting.get(id);
    if (one === undefined) return;
    waiting.delete(id);
    const refusal = refusalIn(msg);
    if (refusal === null) one.resolve();
    else one.reject(new Error(`${one.subject}: ${refusal}`));
  };

  /** Calls wait equally long, so the oldest stands first. */
  const giveUp = (): void => {
    timer = undefined;
    const now = performance.now();
    for (const [id, one] of waiting) {
      if (one.until > now) {
        timer = setTimeout(giveUp, one.until - now);
        return;
      }
      waiting.delete(id);
      one.reject(new Error(`${one.subject}: the broker did not acknowledge within ${ackTimeoutMs} ms`));
    }
  };

  /** No acknowledgement can be heard. */
  const refuseAll = (reason: Error): void => {
    acks = undefined;
    for (const one of waiting.values()) one.reject(reason);
    waiting.clear();
  };

  /** A denied message is told of on the connection, not to whoever sent it; it would be waited for in vain. */
  const refuseDenied = async (): Promise<void> => {
    for await (const status of nc.status()) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      if (operation !== 'publish') continue;
      for (const [id, one] of waiting) {
        if (one.subject !== subject) continue;
        waiting.delete(id);
        one.reject(new Error(`NATS denies publishing on ${subject}: this user's permissions lack it`));
      }
    }
  };
  void refuseDenied();

  return async ({ subject, msgId, body }) => {
    acks ??= nc.subscribe(`${inbox}.*`, {
      callback: (error, msg) => {
        if (error === null) take(msg);
        else refuseAll(error);
      },
    });
    const id = String((last += 1));
    const head = headers();
    head.set('Nats-Msg-Id', msgId);
    nc.publish(subject, body, { headers: head, reply: `${inbox}.${id}` });
    await new Promise<void>((resolve, reject) => {
      waiting.set(id, { subject, until: performance.now() + ackTimeoutMs, resolve, reject });
      timer ??= setTimeout(giveUp, ackTimeoutMs);
    });
  };
}

/** What the broker says against it, or null. No stream for a subject is an answer without a body, status 503. */
function refusalIn(msg: Msg): string | null {
  if (msg.data.length === 0)
    return msg.headers?.code === 503 ? 'no stream takes this subject' : 'an empty acknowledgement';
  const { error, stream } = msg.json<{ error?: { description?: string }; stream?: string }>();
  if (error) return error.description ?? 'refused';
  return stream ? null : 'not an acknowledgement';
}
