/**
 * What is still on the stream of work. A broker that was killed can keep a message that was acknowledged, and count it for
 * nobody: that is no loss when the work was taken in, which the owner's rows say.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import { WORK, WORK_CONSUMERS, WORK_STREAM } from '@waymark/contracts/streams';
import { withClient } from '@waymark/testing';

/**
 * @typedef {import('@waymark/testing/stack').Violation} Violation
 * @typedef {{ readonly subject: string, readonly body: { run: string, review?: string, key?: string } }} Kept
 * @typedef {object} TakenIn what the owners' rows say
 * @property {ReadonlySet<string>} reviews `run/review`
 * @property {ReadonlySet<string>} inbox `run/key`
 */

/**
 * @param {import('@waymark/testing/stack').Stack['databases']} databases
 * @param {import('@waymark/messaging').Bus} admin
 * @returns {Promise<Violation[]>}
 */
export async function workLeft(databases, admin) {
  const jsm = await jetstreamManager(admin.nc);
  /** @type {Violation[]} */
  const waiting = [];
  for (const { durable } of Object.values(WORK_CONSUMERS)) {
    const { num_pending: pending, num_ack_pending: taken } = await jsm.consumers.info(WORK_STREAM.name, durable);
    if (pending + taken > 0) {
      const what = `${pending} messages wait, ${taken} are not acknowledged`;
      waiting.push({ invariant: 'work drains', run: durable, what });
    }
  }
  if (waiting.length > 0) return waiting;
  /** @type {Kept[]} */
  const kept = [];
  const { state } = await jsm.streams.info(WORK_STREAM.name);
  for (let seq = state.first_seq; state.messages > 0 && seq <= state.last_seq; seq += 1) {
    const message = await jsm.streams.getMessage(WORK_STREAM.name, { seq }).catch(() => null);
    if (message) kept.push({ subject: message.subject, body: message.json() });
  }
  return kept.length === 0 ? [] : lostWork(kept, await takenIn(databases));
}

/** @param {readonly Kept[]} kept @param {TakenIn} takenIn @returns {Violation[]} */
export function lostWork(kept, { reviews, inbox }) {
  return kept.flatMap(({ subject, body: { run, review, key } }) => {
    // An order to look at a run only makes its claim quicker: leases and sweep find it (L2).
    const there = subject === WORK.run || reviews.has(`${run}/${review}`) || inbox.has(`${run}/${key}`);
    return there ? [] : [{ invariant: 'no work is lost', run, what: `${subject} ${review ?? key} was never taken in` }];
  });
}

/** @param {import('@waymark/testing/stack').Stack['databases']} databases @returns {Promise<TakenIn>} */
async function takenIn(databases) {
  const reviews = await withClient(databases.reviewer, async (db) => await db.query('select id from review'));
  const inbox = await withClient(
    databases.runtime,
    async (db) => await db.query(`select id || '/' || key as id from inbox`),
  );
  const ids = (/** @type {{ id: string }[]} */ rows) => new Set(rows.map(({ id }) => id));
  return { reviews: ids(reviews.rows), inbox: ids(inbox.rows) };
}
