/** The stream of facts as it stands: what was told to everybody. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { FACTS_STREAM } from '@waymark/contracts/streams';

const BATCH = 500;

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
  for (let last = 0; last < state.last_seq;) {
    const messages = await consumer.fetch({ max_messages: BATCH, expires: 2_000 });
    for await (const message of messages) {
      last = message.seq;
      const { owner, run, seq, type } = /** @type {import('@waymark/contracts/wire').WaymarkEvent} */ (message.json());
      facts.set(`${owner}/${run}/${seq}`, type);
      if (last >= state.last_seq) break;
    }
  }
  return facts;
}
