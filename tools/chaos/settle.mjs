/** After the storm: everybody is back, and what must come to an end is waited for, with progress and a bound. */
import { setTimeout as pause } from 'node:timers/promises';
import { WaymarkError } from '@waymark/client';
import { withClient } from '@waymark/testing';
import { workLeft } from './work-left.mjs';

/** Ms for all runs to end: their wall limit, a park, and the ending, on a slow machine. */
const END_MS = 240_000;
/** Ms for what goes on behind an end: outboxes, work, reviews, budget's own settlements, parsing. */
const DRAIN_MS = 120_000;
const LOOK_MS = 500;
const SAY_MS = 10_000;
/** Of one question, each with the client's own patience. */
const MOST_TRIES = 10;

/**
 * @typedef {import('@waymark/testing/stack').Violation} Violation
 * @typedef {import('@waymark/contracts/runtime').RunView} RunView
 */

/**
 * All runs as they stand once they have ended, or when the time for it is over.
 * @param {import('@waymark/client').WaymarkClient} client
 * @param {(line: string) => void} say @param {AbortSignal} signal
 * @returns {Promise<RunView[]>}
 */
export async function untilEnded(client, say, signal) {
  const views = await waited(END_MS, say, signal, async () => {
    const all = await allRuns(client);
    const open = all.filter(({ state }) => state !== 'ended');
    return { value: all, left: open.map(({ run, state, phase }) => `${run} ${state} (${phase})`) };
  });
  // In a list a question is cut short.
  return await patiently(async () => await Promise.all(views.map(async ({ run }) => await client.get(run))));
}

/**
 * On a busy machine an answer may be late, and late is not wrong.
 * @template T @param {() => Promise<T>} ask @returns {Promise<T>}
 */
export async function patiently(ask) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error) || tries === MOST_TRIES) throw error;
      await pause(LOOK_MS);
    }
  }
}

const isAway = (/** @type {unknown} */ error) =>
  error instanceof WaymarkError && ['unavailable', 'timed_out', 'connection_lost'].includes(error.code);

/** @param {import('@waymark/client').WaymarkClient} client */
async function allRuns(client) {
  /** @type {RunView[]} */
  const runs = [];
  /** @type {string | undefined} */
  let cursor;
  do {
    const page = await client.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    runs.push(...page.runs);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return runs;
}

/**
 * What is still on its way when it should not be.
 * @param {import('./system.mjs').ChaosSystem} system
 * @param {import('@waymark/client').WaymarkClient} client
 * @param {import('@waymark/messaging').Bus} admin
 * @param {readonly string[]} runs
 * @param {(line: string) => void} say @param {AbortSignal} signal
 * @returns {Promise<Violation[]>}
 */
export async function untilDrained(system, client, admin, runs, say, signal) {
  return await waited(DRAIN_MS, say, signal, async () => {
    const { databases } = system.stack;
    // No look sees all at one moment, so each is followed by a look at what it may have led to: runtime's outbox orders a
    // review, the review reserves and settles, and both tell it through outboxes.
    const violations = [
      ...(await fullOutboxes(databases)),
      ...(await workLeft(databases, admin)),
      ...(await openReviews(databases.reviewer)),
      ...(await reserved(client, runs)),
      ...(await unparsed(client)),
    ];
    if (violations.length === 0) violations.push(...(await fullOutboxes(databases)));
    return { value: violations, left: violations.map(({ run, what }) => `${run}: ${what}`) };
  });
}

/** @param {string} url @returns {Promise<Violation[]>} */
async function openReviews(url) {
  const open = await withClient(
    url,
    async (db) => await db.query(`select id, state from review where state <> 'ended'`),
  );
  return open.rows.map(({ id, state }) => ({ invariant: 'every review ends', run: id, what: `it is ${state}` }));
}

/** @param {import('@waymark/testing/stack').Stack['databases']} databases @returns {Promise<Violation[]>} */
async function fullOutboxes(databases) {
  /** @type {Violation[]} */
  const found = [];
  for (const service of /** @type {const} */ (['runtime', 'budget', 'publication', 'reviewer'])) {
    const { rows } = await withClient(
      databases[service],
      async (db) => await db.query('select count(*)::int n from outbox'),
    );
    if (rows[0].n > 0) found.push({ invariant: 'outbox drains', run: service, what: `${rows[0].n} rows left` });
  }
  return found;
}

/** @param {import('@waymark/client').WaymarkClient} client @returns {Promise<Violation[]>} */
async function unparsed(client) {
  /** @type {Violation[]} */
  const found = [];
  for (const corpus of ['plain', 'hostile', 'late']) {
    for await (const { name, status } of client.documents(corpus))
      if (status === 'pending')
        found.push({ invariant: 'every document is judged', run: corpus, what: `${name} is pending` });
  }
  return found;
}

/** A review that outlived its run is settled by budget itself (B15). @param {import('@waymark/client').WaymarkClient} client @param {readonly string[]} runs @returns {Promise<Violation[]>} */
async function reserved(client, runs) {
  /** @type {Violation[]} */
  const found = [];
  for (const run of runs) {
    const n = (await client.budget(run))?.physical.reserved ?? 0;
    if (n > 0) found.push({ invariant: 'nothing reserved at the end', run, what: `${n} physical` });
  }
  return found;
}

/**
 * @template T
 * @param {number} forMs @param {(line: string) => void} say @param {AbortSignal} signal
 * @param {() => Promise<{ value: T, left: string[] }>} look
 * @returns {Promise<T>} as it was when nothing was left, or when the time was over
 */
async function waited(forMs, say, signal, look) {
  const until = performance.now() + forMs;
  let sayAt = performance.now() + SAY_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      const { value, left } = await look();
      if (left.length === 0 || performance.now() > until) return value;
      if (performance.now() > sayAt) {
        say(`waiting for ${left.length}: ${left.slice(0, 4).join('; ')}`);
        sayAt = performance.now() + SAY_MS;
      }
    } catch (error) {
      if (performance.now() > until) throw error; // somebody may still be busy with coming back
    }
    await pause(LOOK_MS, undefined, { signal });
  }
}
