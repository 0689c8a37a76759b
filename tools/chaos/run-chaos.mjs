/**
 * One plan from its begin to its verdict: quiet start → faults and callers by the plan → everything back → every run ends
 * → everything drains → judged. What was started is stopped, at Ctrl-C too.
 */
import { relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Bus } from '@waymark/messaging';
import { checkInvariants } from '@waymark/testing/stack';
import { Evidence } from './evidence.mjs';
import { judgeAll } from './judge-all.mjs';
import { groupOf, planOf } from './plan.mjs';
import { untilDrained, untilEnded } from './settle.mjs';
import { findingLines, summaryOf, summaryTable } from './summary.mjs';
import { ChaosSystem } from './system.mjs';
import { Workload } from './workload.mjs';

/**
 * @typedef {import('@waymark/testing/stack').Violation} Violation
 * @typedef {import('./plan.mjs').Plan} Plan
 */

const INTERRUPTED = 130;
/** Ms for callers that still ask when everything is back and what they started has ended. */
const ANSWERS_MS = 60_000;

/** @param {import('./options.mjs').ChaosOptions} options @returns {Promise<number>} exit code */
export async function runChaos({ minutes, seed, out }) {
  const stopping = new AbortController();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => stopping.abort(new Error('stopped')));
  const { signal } = stopping;
  const plan = planOf({ seed, minutes });
  const evidence = new Evidence(resolve(out, `chaos-${seed}`));
  const { say } = evidence;
  evidence.keep('plan.json', plan);
  say(`seed ${seed}: ${plan.faults.length} faults and ${plan.runs.length} runs in ${minutes} min`);
  /** @type {ChaosSystem | undefined} */
  let system;
  try {
    system = await ChaosSystem.start({ folder: evidence.folder, say, signal });
    const { violations, table, summary } = await suffer(system, plan, say, signal);
    console.log(`\n${table}`);
    evidence.keep('summary.json', summary);
    const kept = relative(process.cwd(), evidence.folder) || '.';
    if (violations.length === 0) {
      evidence.tidy();
      return 0;
    }
    evidence.keep('findings.json', violations);
    evidence.keepLogs(system.replicas);
    const named = new Set(violations.map(({ run }) => run));
    await evidence.keepRecords(
      [...named].filter((run) => /^[0-9a-f-]{36}$/.test(run)),
      system.stack.nats.url,
    );
    console.log(
      `\n${findingLines(violations)}\n\nevidence: ${kept} (plan, timeline, logs, records, provider-log.jsonl)`,
    );
    console.log(`again: npm run chaos -- --minutes ${minutes} --seed ${seed}`);
    return 1;
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    console.error(error instanceof Error ? (error.stack ?? error.message) : error);
    if (system) evidence.keepLogs(system.replicas);
    return 1;
  } finally {
    await system?.stop();
    say(signal.aborted ? 'stopped: everything that was started has ended' : 'everything that was started has ended');
  }
}

/**
 * @param {ChaosSystem} system @param {Plan} plan
 * @param {(line: string) => void} say @param {AbortSignal} signal
 */
async function suffer(system, plan, say, signal) {
  const patience = new AbortController();
  const workload = await Workload.prepare(system, plan.seed, AbortSignal.any([signal, patience.signal]));
  const admin = await Bus.connect({ ...system.stack.nats.access(), name: 'chaos-admin' });
  try {
    say('ready; the bad days begin');
    /** @type {Violation[]} */
    const violations = [];
    const { done, callers } = await storm(system, workload, plan, say, signal, violations);
    say('everything comes back');
    await system.heal();
    await untilEnded(workload.client, say, signal);
    const giveUp = setTimeout(() => patience.abort(new Error('not answered')), ANSWERS_MS);
    await callers;
    clearTimeout(giveUp);
    const views = await untilEnded(workload.client, say, signal); // with those whose start was answered last
    say(`${views.filter(({ state }) => state === 'ended').length} of ${views.length} runs have ended`);
    const runs = views.map(({ run }) => run);
    violations.push(...(await untilDrained(system, workload.client, admin, runs, say, signal)));
    say('drained; the invariants are checked');
    const report = await checkInvariants(system.stack.databases, system.logFile);
    violations.push(...report.violations, ...(await judgeAll(system, workload, admin, views)));
    const documents = [];
    for await (const document of workload.client.documents('late')) documents.push(document);
    const summary = summaryOf({ plan, done, views, report, violations, documents, system });
    return { violations, summary, table: summaryTable(summary) };
  } finally {
    patience.abort();
    await workload.close();
    await admin.close();
  }
}

/**
 * The plan, by the clock. Faults of one group follow each other, also when a machine is late; one whose time has come
 * only when the time is over is left out.
 * @param {ChaosSystem} system @param {Workload} workload @param {Plan} plan
 * @param {(line: string) => void} say @param {AbortSignal} signal @param {Violation[]} violations
 */
async function storm(system, workload, plan, say, signal, violations) {
  const from = performance.now();
  const at = async (/** @type {number} */ ms) =>
    await pause(Math.max(0, from + ms - performance.now()), undefined, { signal });
  /** @type {import('./plan.mjs').Fault[]} */
  const done = [];
  /** @type {Map<string, Promise<void>>} */
  const groups = new Map();
  for (const fault of plan.faults) {
    const group = groupOf(fault.target);
    const before = groups.get(group) ?? Promise.resolve();
    const strike = async () => {
      await before;
      await at(fault.at);
      if (performance.now() - from > plan.windowMs) return;
      say(`${fault.kind} ${fault.target}${fault.forMs > 0 ? ` for ${(fault.forMs / 1000).toFixed(1)} s` : ''}`);
      done.push(fault);
      try {
        await system.strike(fault, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        const what = `${fault.kind}: ${error instanceof Error ? error.message.slice(0, 2_000) : error}`;
        violations.push({ invariant: 'everything comes back', run: fault.target, what });
      }
    };
    groups.set(group, strike());
  }
  const callers = Promise.all([
    ...plan.runs.map(async (planned) => {
      await at(planned.at);
      await workload.tell(planned);
    }),
    ...plan.uploads.map(async (upload) => {
      await at(upload.at);
      await workload.upload(upload.name);
    }),
  ]);
  callers.catch(() => undefined); // awaited when everything is back
  await Promise.all([...groups.values(), at(plan.windowMs)]);
  return { done, callers };
}
