/** The peers' workload through the real services: documents in, runs started and followed to their end, and what they left. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { get, start } from '@waymark/contracts/runtime';
import { addDocument, describeCorpus } from '@waymark/contracts/sources';
import { BUCKETS, factSubject } from '@waymark/contracts/streams';
import { ObjectStore } from '@waymark/messaging';
import { until, withClient } from '@waymark/testing';
import { benchCorpus } from './corpus.mjs';
import { countBy, isMain } from './figures.mjs';
import { inDatabase } from './servers.mjs';

/**
 * @typedef {import('@waymark/messaging').Bus} Bus
 * @typedef {import('@waymark/testing/stack').Stack} Stack
 */

export const POLICY = 'bench';
export const MODEL = 'practice-bench';
const CORPUS = 'bench';
const CALL = { timeoutMs: 15_000 };

/** Puts the documents in and waits until they can be read. @param {Bus} bus @param {number} turns */
export async function upload(bus, turns) {
  const objects = await ObjectStore.open(bus.nc, BUCKETS.uploads);
  for (const { name, bytes } of benchCorpus(turns)) {
    const object = await objects.put(`bench/${name}`, bytes);
    ok(await bus.call(addDocument, { corpus: CORPUS, name, object }, CALL));
  }
  const described = await until(
    async () => {
      const corpus = ok(await bus.call(describeCorpus, { corpus: CORPUS }, CALL));
      return corpus.pending === 0 ? corpus : undefined;
    },
    { what: 'the documents to be readable', timeoutMs: 180_000, everyMs: 200 },
  );
  if (described.ready !== 2) throw new Error(`the documents cannot be read: ${JSON.stringify(described)}`);
}

/**
 * Starts the runs at once and waits for the end of each, as its owner announces it: nobody polls. The clock runs from the
 * first message sent to the last end heard.
 * @param {Bus} bus @param {{ turns: number, runs: number, latencyMs: number }} order
 */
export async function carryOut(bus, { turns, runs, latencyMs }) {
  const ended = new Set();
  const waitMs = 60_000 + runs * turns * 100 + turns * latencyMs;
  /** @type {PromiseWithResolvers<void>} */
  const { promise: enough, resolve } = Promise.withResolvers();
  bus.nc.subscribe(factSubject('runtime', '*', 'RunEnded'), {
    callback: (_, { subject }) => {
      ended.add(subject.split('.')[4]);
      if (ended.size === runs) resolve();
    },
  });
  await bus.nc.flush();
  const question = `Research the topic and report. turns=${turns};`;
  const from = performance.now();
  const started = await Promise.all(
    Array.from({ length: runs }, async (_, i) => {
      const request = { key: `bench-${i}`, question, corpus: CORPUS, policy: POLICY, model: MODEL };
      return ok(await bus.call(start, request, CALL));
    }),
  );
  const late = new AbortController();
  const inTime = await Promise.race([
    enough.then(() => true),
    pause(waitMs, false, { signal: late.signal }).catch(() => false),
  ]);
  const wallMs = performance.now() - from;
  late.abort();
  if (!inTime) {
    const open = started.find(({ run }) => !ended.has(run));
    const state = open && (await bus.call(get, { run: open.run }, CALL));
    throw new Error(
      `${ended.size} of ${runs} runs ended within ${waitMs / 1000} s; the first open one: ${JSON.stringify(state)}`,
    );
  }
  return { runs: started.map(({ run }) => run), policy: started[0]?.policy, wallMs };
}

/** What the records of the runs hold, and how they ended. @param {Stack} stack @param {string[]} runs */
export async function readRecords(stack, runs) {
  return await withClient(inDatabase(stack, 'runtime'), async (db) => {
    const { rows: facts } = await db.query(
      `select kind, count(*)::int as n, sum(length(body))::float8 as bytes from execution_record
       where id = any($1::uuid[]) group by kind order by n desc, kind`,
      [runs],
    );
    const { rows: ends } = await db.query(
      `select id::text as run, convert_from(body, 'UTF8') as body from execution_record
       where id = any($1::uuid[]) and kind = 'RunEnded'`,
      [runs],
    );
    return { facts, ends: ends.map(({ run, body }) => ({ run, ...JSON.parse(body) })) };
  });
}

/**
 * @typedef {{ id: string, purpose: string, size: number, at: number, answeredWith: string | undefined }} LoggedRequest
 */

/** The practice model's log, with the time of arrival to the microsecond from the observer.
 * @param {string} logFile @param {[string, number][]} arrivals @returns {LoggedRequest[]}
 */
export function readRequests(logFile, arrivals) {
  const lines = readFileSync(logFile, 'utf8').split('\n').filter(Boolean);
  const entries = lines.map((line) => JSON.parse(line));
  const answers = new Map(entries.filter(({ kind }) => kind === 'answered').map((entry) => [entry.n, entry]));
  const times = new Map(arrivals);
  const timeOf = (/** @type {string} */ id) => {
    const at = times.get(id);
    if (at === undefined) throw new Error(`the observer did not see request ${id} arrive`);
    return at;
  };
  return entries
    .filter(({ kind }) => kind === 'arrived')
    .map(({ n, id, purpose, size }) => ({
      ...{ id: id ?? '', purpose: purpose ?? 'unknown', size },
      at: timeOf(id),
      answeredWith: answers.get(n)?.answeredWith,
    }))
    .sort((a, b) => a.at - b.at);
}

/** Why a measurement is not the workload that it should be; empty when it is.
 * @param {LoggedRequest[]} requests @param {{ ends: { run: string, outcome: string, code: string | null }[] }} record
 * @param {string[]} runs @param {number} turns
 */
export function problemsOf(requests, record, runs, turns) {
  const problems = record.ends
    .filter(({ outcome }) => outcome !== 'completed')
    .map(({ run, outcome, code }) => `run ${run} ended ${outcome} (${code})`);
  if (record.ends.length !== runs.length) problems.push(`${record.ends.length} ends of ${runs.length} runs`);
  for (const run of runs) {
    const main = requests.filter(({ id, purpose }) => id.startsWith(`${run}/`) && isMain(purpose)).length;
    // One lists the sources, one a turn, one writes the report.
    if (main !== turns + 2) problems.push(`run ${run} took ${main} main requests instead of ${turns + 2}`);
  }
  const other = countBy(
    requests.filter(({ answeredWith }) => answeredWith !== 'completed'),
    ({ answeredWith }) => answeredWith ?? 'not at all',
  );
  for (const [how, n] of Object.entries(other)) problems.push(`${n} requests answered ${how}`);
  return problems;
}

/** @template T @param {{ ok: true, value: T } | { ok: false, error: { code: string, message: string } }} result @returns {T} */
function ok(result) {
  if (result.ok) return result.value;
  throw new Error(`${result.error.code}: ${result.error.message}`);
}
