/** Asks everybody who may be asked, as callers outside are answered, and lets it be judged. */
import { WaymarkError } from '@waymark/client';
import {
  judgeBudget,
  judgeCallers,
  judgeEnd,
  judgeEvents,
  judgeExits,
  judgeFollower,
  judgeLog,
  judgePublished,
  judgeStop,
} from './judge.mjs';
import { hostileDocuments } from './documents.mjs';
import { publishedFacts } from './published.mjs';
import { patiently } from './settle.mjs';

/**
 * @typedef {import('@waymark/testing/stack').Violation} Violation
 *
 * @param {import('./system.mjs').ChaosSystem} system
 * @param {import('./workload.mjs').Workload} workload
 * @param {import('@waymark/messaging').Bus} admin
 * @param {readonly import('@waymark/contracts/runtime').RunView[]} views
 * @returns {Promise<Violation[]>}
 */
export async function judgeAll(system, workload, admin, views) {
  const { client, stories } = workload;
  const published = await publishedFacts(admin);
  /** @type {Violation[]} */
  const violations = stories.flatMap(judgeCallers);
  const mine = new Map(stories.map((story) => [story.run, story]));
  for (const view of views) {
    const { run } = view;
    const story = mine.get(run);
    if (!story) violations.push({ invariant: 'one key, one run', run, what: 'no start was answered with it' });
    const { report, rendered } = await reportOf(client, run);
    const events = await patiently(async () => await allEvents(client, run));
    const budget = await patiently(async () => await client.budget(run));
    violations.push(
      ...judgeEnd(view, report, rendered),
      ...judgeEvents(view, events),
      ...judgePublished(run, events, published),
      ...judgeBudget(run, budget),
      ...(story ? [...judgeFollower(story, events), ...judgeStop(story, view, events)] : []),
    );
  }
  for (const { name, incarnations } of system.replicas.values()) {
    const lives = [];
    for (const { process, told } of incarnations) {
      lives.push({ told, exit: process.alive() ? null : await process.exited });
      violations.push(...judgeLog(name, process.output()).violations);
    }
    violations.push(...judgeExits(name, lives));
  }
  return [...violations, ...(await judgeUploads(workload))];
}

/** From the owners' tables. @param {import('@waymark/client').WaymarkClient} client @param {string} run */
async function allEvents(client, run) {
  const events = [];
  const silent = [];
  const onWait = (/** @type {string} */ reason) => void silent.push(reason);
  for await (const event of client.events(run, { follow: false, onWait })) events.push(event);
  if (silent.length > 0)
    throw new WaymarkError({ code: 'unavailable', message: silent.join('; '), remedy: 'ask again' });
  return events;
}

/** @param {import('@waymark/client').WaymarkClient} client @param {string} run */
async function reportOf(client, run) {
  try {
    return await patiently(async () => ({
      report: await client.report(run),
      rendered: await client.renderedReport(run, 'markdown'),
    }));
  } catch (error) {
    if (error instanceof WaymarkError) return { report: null, rendered: null };
    throw error;
  }
}

/** Each hostile document was refused by its name, or stands in its corpus, once.
 * @param {import('./workload.mjs').Workload} workload @returns {Promise<Violation[]>} */
async function judgeUploads({ client, taken, wrongUploads }) {
  const wrong = [...wrongUploads].map(([name, what]) => ({ invariant: 'every document is judged', run: name, what }));
  /** @type {string[]} */
  const listed = [];
  for await (const { name } of client.documents('late')) listed.push(name);
  for (const { name, refused } of hostileDocuments()) {
    const n = listed.filter((one) => one === name).length;
    const wanted = !refused && taken.has(name) ? 1 : 0;
    if (n !== wanted)
      wrong.push({
        invariant: 'every document is judged',
        run: JSON.stringify(name).slice(0, 60),
        what: `listed ${n} times`,
      });
  }
  return wrong;
}
