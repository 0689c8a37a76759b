import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

export type StreamPublisher = (message: { subject: string; msgId: string; body: Uint8Array }) => Promise<void>;

/**
 * Publishes to a stream; resolves when the broker has stored the message or knows its id already. One try: calls go out
 * in their order, and a second try of our own would break it.
 */
export function streamPublisher(nc: NatsConnection, ackTimeoutMs = 5_000): StreamPublisher {
  const js = jetstream(nc, { timeout: ackTimeoutMs });
  return async ({ subject, msgId, body }) => {
    await js.publish(subject, body, { msgID: msgId });
  };
}
