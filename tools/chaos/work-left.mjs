/**
 * Work that nobody has taken in. The broker's own counters cannot say so: one that was killed can keep a message that was
 * acknowledged, or wait for the acknowledgement of one that it no longer has. The owners' rows can.
 */
import { jetstreamManager } from '@nats-io/jetstream';
import { WORK, WORK_STREAM } from '@waymark/contracts/streams';
import { withClient } from '@waymark/testing';

/**
 * @typedef {import('@waymark/testing/stack').Violation} Violation
 * @typedef {{ readonly subject: string, readonly body: { run: string, review?: string, key?: string } }} Kept
 * @typedef {object} TakenIn what the owners' rows say
 * @property {ReadonlySet<string>} reviews `run/review`
 * @property {ReadonlySet<string>} ended runs
 */

/**
 * @param {import('@waymark/testing/stack').Stack['databases']} databases
 * @param {import('@waymark/messaging').Bus} admin
 * @returns {Promise<Violation[]>}
 */
export async function workLeft(databases, admin) {
  const kept = await keptWork(admin);
  if (kept.length === 0) return [];
  const reviews = await withClient(databases.reviewer, async (db) => await db.query('select id from review'));
  const runs = await withClient(
    databases.runtime,
    async (db) => await db.query(`select id from run where state = 'ended'`),
  );
  const ids = (/** @type {{ id: string }[]} */ rows) => new Set(rows.map(({ id }) => id));
  return lostWork(kept, { reviews: ids(reviews.rows), ended: ids(runs.rows) });
}

/** @param {import('@waymark/messaging').Bus} admin */
async function keptWork(admin) {
  const { streams } = await jetstreamManager(admin.nc);
  /** @type {Kept[]} */
  const kept = [];
  const { state } = await streams.info(WORK_STREAM.name);
  for (let seq = state.first_seq; kept.length < state.messages;) {
    const message = await streams.getMessage(WORK_STREAM.name, { seq, next_by_subj: '>' });
    if (!message) break;
    kept.push({ subject: message.subject, body: message.json() });
    seq = message.seq + 1;
  }
  return kept;
}

/**
 * A review was ordered once it has its row. For a run that has ended there is nothing to look at and nothing to hear: what
 * came too late for it is dropped (V2, L2).
 * @param {readonly Kept[]} kept @param {TakenIn} takenIn @returns {Violation[]}
 */
export function lostWork(kept, { reviews, ended }) {
  return kept.flatMap(({ subject, body: { run, review, key } }) => {
    const there = subject === WORK.review ? reviews.has(`${run}/${review}`) : ended.has(run);
    if (there) return [];
    return [{ invariant: 'no work is lost', run, what: `${subject} ${review ?? key ?? ''} was never taken in` }];
  });
}
