/** Plays the examples against a private system. */
import { connect } from '@nats-io/transport-node';
import { startStack } from '@waymark/testing/stack';
import { playExamples } from './play-examples.mjs';

/** @returns {Promise<string>} what was asked and answered, as JSON */
export async function recordExamples() {
  const stack = await startStack({ fast: true, onProgress: console.error });
  try {
    const nc = await connect({ servers: stack.nats.url });
    try {
      return `${JSON.stringify(await playExamples(nc, stack.practiceUrl ?? ''), null, 1)}\n`;
    } finally {
      await nc.close();
    }
  } finally {
    await stack.stop();
  }
}
