/** One measurement: a fresh system on private servers, the runs, the counters before and after, and its orderly end. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Bus } from '@waymark/messaging';
import { until, withClient } from '@waymark/testing';
import { startStack } from '@waymark/testing/stack';
import {
  countBy,
  difference,
  isMain,
  median,
  newContent,
  subjectShape,
  sum,
  turnFigures,
  turnsOf,
} from './figures.mjs';
import { cpuMs, peakMemoryMb } from './processes.mjs';
import {
  prepareStatements,
  readNats,
  readRedisCommands,
  readStatements,
  readTableBytes,
  readTransactions,
  readVersions,
  readWal,
  resetStatements,
  vacuumAll,
  vacuumOutboxes,
} from './servers.mjs';
import { carryOut, problemsOf, readRecords, readRequests, upload } from './workload.mjs';

/**
 * @typedef {import('@waymark/testing/stack').Stack} Stack
 * @typedef {object} Order
 * @property {number} turns
 * @property {number} runs at once
 * @property {number} latencyMs of the model
 * @property {boolean} counting also statements, transactions, messages by subject and event-loop delays; what that
 *   costs makes its times worthless
 * @property {{ service: string, file: string } | undefined} profile
 * @property {(what: string) => void} say
 * @property {(stack: Stack) => void} onStack told as soon as there is something to stop
 */

/** PostgreSQL's backends report their transactions within ten idle seconds; without counting only start-up calms down. */
const SETTLE_MS = { counting: 11_000, timing: 2_000 };
const observer = new URL('./observe.mjs', import.meta.url).href;

/** Many runs at once have no first and last turns together. */
const NO_ORDER = {
  first50: { median: null, p99: null },
  last50: { median: null, p99: null },
  growth: null,
};

/** @param {Order} order */
export async function measure(order) {
  const { turns, runs, latencyMs, counting, profile, say } = order;
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
  const logFile = join(folder, 'requests.jsonl');
  const observed = {
    NODE_OPTIONS: `--import=${observer}`,
    WAYMARK_BENCH_FOLDER: folder,
    ...(counting && { WAYMARK_BENCH_DELAY: '1' }),
  };
  const profiled = profile && {
    [profile.service]: { NODE_OPTIONS: `${observed.NODE_OPTIONS} --cpu-prof --cpu-prof-dir=${folder}` },
  };
  const practice = { ...observed, ...profiled?.['practice-model'], LOG_BODIES: 'false', LATENCY_MS: String(latencyMs) };
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder); // also when we are told to end in the middle
  /** @type {Stack | undefined} */
  let stack;
  /** @type {Bus[]} */
  const connections = [];
  try {
    say('starts the system');
    stack = await startStack({
      logFile,
      monitor: true,
      postgresSettings: counting
        ? { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'top' }
        : {},
      env: { all: observed, ...profiled, 'practice-model': practice },
    });
    order.onStack(stack);
    const bus = await Bus.connect({ ...stack.nats.access(), name: 'bench' });
    connections.push(bus);
    say('uploads the documents');
    await upload(bus, turns);

    const versions = await readVersions(stack);
    await vacuumAll(stack);
    const tablesBefore = await readTableBytes(stack);
    if (counting) await prepareStatements(stack);
    await withClient(stack.postgres.url, async (db) => await db.query('checkpoint'));
    say(`waits ${(counting ? SETTLE_MS.counting : SETTLE_MS.timing) / 1000} s until it is quiet`);
    await pause(counting ? SETTLE_MS.counting : SETTLE_MS.timing);
    const load = loadavg()[0] ?? 0;

    const subjects = counting ? await countSubjects(stack, connections) : undefined;
    const watch = new Observers(stack, folder);
    await watch.read(); // what start-up did is not asked for
    const transactionsBefore = await readTransactions(stack);
    if (counting) await resetStatements(stack);
    const before = await readCounters(stack);

    say(`runs ${runs > 1 ? `${runs} × ` : ''}${turns} turns`);
    const went = await carryOut(bus, order);
    await untilConsumed(stack);

    const after = await readCounters(stack);
    const statements = counting ? await readStatements(stack) : undefined;
    const seen = await watch.read();
    const memoryMb = mapValues(pidsOf(stack), peakMemoryMb);
    const subjectCounts = subjects?.();
    for (const connection of connections.splice(0)) await connection.close();
    await Promise.all([...stack.processes.values()].map(async (child) => await child.stop('SIGTERM', 25_000)));
    if (profile) keepProfile(folder, stack, profile);

    // The services are gone: their backends have reported, and nothing writes any more.
    const transactions = difference(await readTransactions(stack), transactionsBefore);
    const outboxLeft = await vacuumOutboxes(stack);
    const stored = difference(await readTableBytes(stack), tablesBefore);
    const record = await readRecords(stack, went.runs);
    const requests = readRequests(logFile, seen['practice-model']?.arrivals ?? []);
    const perRun = went.runs.map((run) => turnsOf(requests.filter(({ id }) => id.startsWith(`${run}/`))));
    const warnings = warningsOf(stack);
    const all = runs * turns;
    const counters = {
      cpuMs: difference(after.cpu, before.cpu),
      writes: after.wal.writes - before.wal.writes,
      walBytes: after.wal.walBytes - before.wal.walBytes,
      nats: difference(after.nats, before.nats),
      redisCommands: after.redis - before.redis,
    };
    return {
      ...{ turns, runs, latencyMs, counting, load, versions, policy: went.policy },
      problems: [
        ...problemsOf(requests, record, went.runs, turns),
        ...(outboxLeft > 0 ? [`${outboxLeft} rows left in outboxes`] : []),
        ...Object.entries(warnings).flatMap(([name, lines]) =>
          lines.filter((line) => !line.includes('"level":"warn"')).map((line) => `${name}: ${line.slice(0, 400)}`),
        ),
      ],
      wallMs: went.wallMs,
      wallPerTurn: went.wallMs / all,
      runsPerSecond: runs / (went.wallMs / 1000),
      times: runs === 1 ? turnFigures(perRun.flat()) : { ...turnFigures(perRun.flat()), ...NO_ORDER },
      requests: countBy(requests, ({ purpose }) => purpose),
      requestBytes: {
        median: median(requests.filter(({ purpose }) => isMain(purpose)).map(({ size }) => size)),
        most: Math.max(0, ...requests.map(({ size }) => size)),
      },
      ...counters,
      memoryMb,
      warnings,
      delayMaxMs: counting ? mapValues(seen, ({ delayMaxMs }) => delayMaxMs ?? 0) : undefined,
      transactions: counting ? transactions : undefined,
      statements,
      subjects: subjectCounts,
      stored,
      storedBytes: sum(stored),
      storedRatio: sum(stored) / (runs * newContent(turns)),
      facts: record.facts,
    };
  } finally {
    for (const connection of connections) await connection.close();
    await stack?.stop();
    process.off('exit', removeFolder);
    removeFolder();
  }
}

/** Until every consumer has taken and acknowledged all facts, and no new one comes: what follows the end belongs to it.
 * @param {Stack} stack
 */
async function untilConsumed(stack) {
  let quiet = 0;
  let lastSeq = -1;
  await until(
    async () => {
      const nats = await readNats(stack);
      quiet = nats.waiting === 0 && nats.lastSeq === lastSeq ? quiet + 1 : 0;
      lastSeq = nats.lastSeq;
      return quiet >= 5;
    },
    { what: 'all facts to be consumed', timeoutMs: 60_000, everyMs: 50 },
  );
}

/** Warnings and errors that the services logged, by process.
 * @param {Stack} stack @returns {Record<string, string[]>}
 */
function warningsOf(stack) {
  const lines = [...stack.processes].map(([name, child]) => [
    name,
    child
      .output()
      .split('\n')
      .filter((line) => /"level":"(warn|error|fatal)"/.test(line)),
  ]);
  return Object.fromEntries(lines.filter(([, found]) => (found?.length ?? 0) > 0));
}

/** @param {Stack} stack */
async function readCounters(stack) {
  const [wal, nats, redis] = await Promise.all([readWal(stack), readNats(stack), readRedisCommands(stack)]);
  const cpu = { ...mapValues(pidsOf(stack), cpuMs), 'this driver': cpuMsOfDriver() };
  return { wal, nats: /** @type {Record<string, number>} */ ({ ...nats }), redis, cpu };
}

/** Without its children, which are the system. */
function cpuMsOfDriver() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** By process: services and the practice model by their name, servers by theirs.
 * @param {Stack} stack @returns {Record<string, number>}
 */
function pidsOf(stack) {
  const servers = { postgres: stack.postgres.pid, nats: stack.nats.pid, redis: stack.redis.pid };
  return { ...mapValues(Object.fromEntries(stack.processes), ({ pid }) => pid), ...servers };
}

/** Asks every Node process what it saw since it was asked last. */
class Observers {
  /** @param {Stack} stack @param {string} folder */
  constructor(stack, folder) {
    this.stack = stack;
    this.folder = folder;
    this.asked = 0;
  }

  /** @returns {Promise<Record<string, { delayMaxMs: number | null, arrivals: [string, number][] }>>} */
  async read() {
    this.asked += 1;
    const children = [...this.stack.processes];
    for (const [, child] of children) child.kill('SIGUSR2');
    const answers = children.map(async ([name, { pid }]) => {
      const path = join(this.folder, `${pid}-${this.asked}.json`);
      const text = await until(() => readFileSync(path, 'utf8'), { what: `what ${name} saw`, everyMs: 10 });
      return [name, JSON.parse(text)];
    });
    return Object.fromEntries(await Promise.all(answers));
  }
}

/** Counts all messages by subject from a connection of its own; a fact counts when it is sent and at each delivery.
 * @param {Stack} stack @param {Bus[]} connections
 */
async function countSubjects(stack, connections) {
  const listener = await Bus.connect({ ...stack.nats.access(), name: 'bench-listener' });
  connections.push(listener);
  /** @type {Record<string, number>} */
  const counts = {};
  listener.nc.subscribe('>', {
    callback: (_, { subject }) => {
      const shape = subjectShape(subject);
      counts[shape] = (counts[shape] ?? 0) + 1;
    },
  });
  await listener.nc.flush();
  return () => counts;
}

/** @param {string} folder @param {Stack} stack @param {{ service: string, file: string }} profile */
function keepProfile(folder, stack, { service, file }) {
  const pid = (stack.processes.get(`${service}-1`) ?? stack.processes.get(service))?.pid;
  const name = readdirSync(folder).find((entry) => entry.endsWith('.cpuprofile') && entry.includes(`.${pid}.`));
  if (name === undefined) throw new Error(`${service} left no profile`);
  copyFileSync(join(folder, name), file); // the folders may lie on different file systems
}

/** @template T, U @param {Record<string, T>} values @param {(value: T) => U} change @returns {Record<string, U>} */
function mapValues(values, change) {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
