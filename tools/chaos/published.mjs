/** The stream of facts as it stands: what was told to everybody. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { FACTS_STREAM } from '@waymark/contracts/streams';

const BATCH = 500;
/** Enough for any storm, and an end for a stream that stands still. */
const MOST_FETCHES = 20_000;

/**
 * @param {import('@waymark/messaging').Bus} admin
 * @returns {Promise<Map<string, string>>} `owner/run/seq` → type
 */
export async function publishedFacts(admin) {
  const { state } = await (await jetstreamManager(admin.nc)).streams.info(FACTS_STREAM.name);
  /** @type {Map<string, string>} */
  const facts = new Map();
  if (state.messages === 0) return facts;
  const consumer = await jetstream(admin.nc).consumers.get(FACTS_STREAM.name);
  for (let fetches = 0; fetches < MOST_FETCHES; fetches += 1) {
    const messages = await consumer.fetch({ max_messages: BATCH, expires: 2_000 });
    for await (const message of messages) {
      const { owner, run, seq, type } = /** @type {import('@waymark/contracts/wire').WaymarkEvent} */ (message.json());
      facts.set(`${owner}/${run}/${seq}`, type);
      if (message.info.pending === 0) return facts;
    }
  }
  throw new Error(`the stream of facts could not be read to its end: ${facts.size} of ${state.messages}`);
}
