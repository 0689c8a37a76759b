/**
 * The crash table of the turn with real processes: two runtime replicas, one of which kills itself at a named step. The run
 * ends with a right report on the other, and the invariants hold by the databases and the provider's log alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getReport, type Report } from '@waymark/contracts/publication';
import { get, readRecord, start, type RunView } from '@waymark/contracts/runtime';
import { addDocument, describeCorpus } from '@waymark/contracts/sources';
import { Bus, ObjectStore } from '@waymark/messaging';
import { until } from '@waymark/testing';
import { generateCorpus, type Corpus } from '@waymark/testing/corpus';
import { checkInvariants, readProviderLog, startStack, type Stack } from '@waymark/testing/stack';

const SEED = 11;
const CALL = { timeoutMs: 700 };
const FAST = { LEASE_MS: '2000', HEARTBEAT_MS: '400', SWEEP_MS: '300', NODE_ENV: 'test' };
const RUN_MS = 60_000;

let folder: string;
let log: string;
let stack: Stack;
let bus: Bus;
let corpus: Corpus;
let runs = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-crash-'));
  log = join(folder, 'provider.log');
  stack = await startStack({
    logFile: log,
    replicas: { runtime: 0 },
    env: {
      runtime: FAST,
      budget: { SWEEP_MS: '500', LEASE_MS: '2000' },
      reviewer: { LEASE_MS: '2000', HEARTBEAT_MS: '400', SWEEP_MS: '300' },
    },
  });
  bus = await Bus.connect({ servers: stack.nats.url, name: 'crash-table' });
  corpus = await generateCorpus(SEED, { documents: 4 });
  const objects = await ObjectStore.open(bus.nc);
  for (const file of corpus.files) {
    const object = await objects.put(`upload/${file.name}`, file.bytes);
    await bus.call(addDocument, { corpus: 'c', name: file.name, object }, CALL);
  }
  await until(async () => (await ask(describeCorpus, { corpus: 'c' })).pending === 0, {
    what: 'the corpus to be parsed',
    timeoutMs: 60_000,
  });
  await stack.start('runtime', 'survivor');
}, 180_000);

afterAll(async () => {
  await bus?.close();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

async function ask<C extends Parameters<Bus['call']>[0]>(contract: C, request: Parameters<typeof bus.call<C>>[1]) {
  // A frozen replica still stands in the queue group: what it does not answer is asked again, by the same key.
  for (let tries = 0; ; tries += 1) {
    const reply = await bus.call(contract, request, CALL);
    if (reply.ok) return reply.value;
    if (reply.kind === 'error' || tries > 20)
      throw new Error(`${contract.subject}: ${reply.error.code} ${reply.error.message}`);
  }
}

const viewOf = async (run: string): Promise<RunView> => (await ask(get, { run })).run;

async function startRun(overrides: object = {}): Promise<string> {
  runs += 1;
  return (
    await ask(start, { key: `crash-${runs}`, question: corpus.question, corpus: 'c', policy: 'teaching', overrides })
  ).run;
}

/** Ms before every answer of the model, so that a run can be met at work. */
async function modelLatency(ms: number): Promise<void> {
  await control('latency', { ms });
}

async function control(what: string, body: object): Promise<void> {
  const reply = await fetch(`${stack.practiceUrl ?? ''}/control/${what}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${what}: ${reply.status}`);
}

async function ended(run: string): Promise<RunView> {
  await until(async () => (await viewOf(run)).state === 'ended', {
    what: `run ${run} to end`,
    timeoutMs: RUN_MS,
    everyMs: 50,
  });
  return await viewOf(run);
}

async function rightReport(run: string): Promise<Report> {
  const { report, rendered } = await ask(getReport, { run, format: 'markdown' });
  if (!report) throw new Error('the report is not there');
  const missing = corpus.answers.figures.filter((f) => !(rendered ?? '').includes(String(f.value)));
  expect(missing).toEqual([]);
  return report;
}

/** Everything that the invariants say, for all runs so far. */
async function invariantsHold(): Promise<void> {
  let last: Awaited<ReturnType<typeof checkInvariants>> | undefined;
  await until(
    async () => {
      last = await checkInvariants(stack.databases, log);
      return last.violations.every((v) => v.invariant !== 'outbox drains');
    },
    { what: 'the outboxes to drain', timeoutMs: 15_000, everyMs: 200 },
  );
  expect(last?.violations).toEqual([]);
}

/**
 * Starts a run that the doomed replica owns while the survivor is alive too (`alone`: stays frozen), and waits for the
 * doomed one's death.
 */
async function killAt(
  failpoint: string,
  { overrides = {}, alone = false }: { readonly overrides?: object; readonly alone?: boolean } = {},
): Promise<{ readonly run: string; readonly epoch: number }> {
  const survivor = stack.processes.get('survivor');
  if (!survivor) throw new Error('no survivor');
  survivor.kill('SIGSTOP');
  let resumed = false;
  const resume = () => {
    if (!resumed && !alone) survivor.kill('SIGCONT');
    resumed = true;
  };
  try {
    const doomed = await stack.start('runtime', 'doomed', { ...FAST, FAILPOINT: failpoint });
    const run = await startRun(overrides);
    await until(async () => !doomed.alive() || (await viewOf(run)).epoch > 0, {
      what: 'the doomed replica to claim',
      timeoutMs: 30_000,
    });
    resume();
    const exit = await doomed.exited;
    stack.processes.delete('doomed');
    expect(exit.signal).toBe('SIGKILL');
    return { run, epoch: 1 };
  } finally {
    resume();
  }
}

const POINTS = [
  'after:claim',
  'after:open',
  'after:take-over',
  'before:reserve@2',
  'after:reserve@2',
  'before:intent@3',
  'after:intent@3',
  'mid:request@3',
  'before:outcome@4',
  'after:outcome@4',
  'before:action@5',
  'after:receipts@2',
  'before:receipt@1',
  'after:receipt@2',
  'before:ending',
  'after:ending',
  'before:budget_closed',
  'after:budget_closed',
  'before:settled',
  'after:settled',
  'before:reviews_stopped',
  'after:reviews_stopped',
  'before:report_closed',
  'after:report_closed',
  'before:ended',
] as const;

describe('L2, L3, L4, L5, L13: a death at every step of the turn', () => {
  it.each(POINTS)(
    'L13: killed %s, the other replica ends the run with a right report and the invariants hold',
    async (point) => {
      const { run } = await killAt(point);
      const view = await ended(run);
      expect(view).toMatchObject({ outcome: 'completed', code: 'finished' });
      expect(view.epoch).toBeGreaterThanOrEqual(2);
      await rightReport(run);
      await invariantsHold();
    },
    120_000,
  );

  it.each(['before:dispatch', 'after:dispatch'])(
    'V1, L13: killed %s of a review, there is one review, and the run ends right',
    async (point) => {
      const { run } = await killAt(point, { overrides: { reviewEveryExploreRequests: 2 } });
      expect(await ended(run)).toMatchObject({ outcome: 'completed' });
      const reviews = (await factsOf(run)).filter((f) => f.type === 'ReviewDispatched').map((f) => f.review);
      expect(reviews.length).toBeGreaterThan(0);
      expect(new Set(reviews).size).toBe(reviews.length);
      await rightReport(run);
      await invariantsHold();
    },
    120_000,
  );

  it.each(['before:park', 'after:park'])(
    'B14, L13: killed %s, the run wakes on the other replica and ends right',
    async (point) => {
      await control('faults', { rules: [{ fault: 'status', status: 500, times: 3 }] });
      try {
        const { run } = await killAt(point, { overrides: { backoffMs: [20, 20], parkMs: [500] } });
        expect(await ended(run)).toMatchObject({ outcome: 'completed' });
        expect((await factsOf(run)).filter((f) => f.type === 'RunParked').length).toBe(point === 'after:park' ? 1 : 0);
        await rightReport(run);
        await invariantsHold();
      } finally {
        await control('faults', { rules: [] });
      }
    },
    120_000,
  );

  it('L4, B3: what was in flight at the death is unknown and charged, and nothing finished is redone', async () => {
    const { run } = await killAt('mid:request@4');
    await ended(run);
    const facts = await factsOf(run);
    const unknown = facts.filter((f) => f.type === 'RequestSettled' && f.outcome === 'unknown');
    expect(unknown).toEqual([expect.objectContaining({ request: 4, code: 'owner_died', delivery: 'uncertain' })]);
    const calls = readProviderLog(log).filter((call) => call.id?.startsWith(`${run}/`));
    const intents = facts.filter((f) => f.type === 'RequestIntended');
    expect(calls.length).toBe(intents.length);
    const turns = intents.filter((f) => f.request !== 4).map((f) => f.turn);
    expect(new Set(turns).size).toBe(turns.length);
    await invariantsHold();
  }, 120_000);
});

describe('F-X3, L2: a frozen owner', () => {
  it('F-X3: wakes after its lease, writes nothing, and the run ends once', async () => {
    const survivor = stack.processes.get('survivor');
    survivor?.kill('SIGSTOP');
    await modelLatency(300);
    const frozen = await stack.start('runtime', 'frozen', FAST);
    const run = await startRun();
    await until(async () => (await viewOf(run)).requests >= 3, {
      what: 'the frozen owner to work',
      timeoutMs: 30_000,
      everyMs: 2,
    });
    frozen.kill('SIGSTOP');
    survivor?.kill('SIGCONT');
    await until(async () => (await viewOf(run)).epoch >= 2, { what: 'the survivor to take over', timeoutMs: 30_000 });
    frozen.kill('SIGCONT');
    await modelLatency(0);
    const view = await ended(run);
    expect(view.outcome).toBe('completed');
    const rows = await recordOf(run);
    const first = rows.findIndex((r) => r.epoch >= 2);
    expect(rows.slice(first).every((r) => r.epoch >= 2)).toBe(true);
    await rightReport(run);
    await invariantsHold();
    await frozen.stop('SIGTERM');
    stack.processes.delete('frozen');
  }, 120_000);
});

describe('L15: a run that takes its owner down', () => {
  it('L15: is set aside after three claims without a new record, closed from what is published, and reported', async () => {
    const { run } = await killAt('after:claim', { alone: true });
    for (let claim = 2; claim <= 3; claim += 1) {
      const doomed = await stack.start('runtime', 'doomed', { ...FAST, FAILPOINT: 'after:claim' }).catch(() => null);
      if (doomed) await doomed.exited; // it may die before it ever was ready
      stack.processes.delete('doomed');
    }
    const survivor = stack.processes.get('survivor');
    survivor?.kill('SIGCONT');
    const view = await ended(run);
    expect(view).toMatchObject({ outcome: 'failed', code: 'set_aside' });
    const { report } = await ask(getReport, { run });
    expect(report).toMatchObject({ state: 'closed', outcome: 'failed', code: 'set_aside' });
    await invariantsHold();
  }, 120_000);
});

describe('SIGTERM', () => {
  it('L2: hands the lease over in mid-run at once, without an unknown request', async () => {
    const survivor = stack.processes.get('survivor');
    survivor?.kill('SIGSTOP');
    await modelLatency(300);
    const leaving = await stack.start('runtime', 'leaving', FAST);
    const run = await startRun();
    await until(async () => (await viewOf(run)).requests >= 3, {
      what: 'the run to work',
      timeoutMs: 30_000,
      everyMs: 2,
    });
    leaving.kill('SIGTERM');
    survivor?.kill('SIGCONT');
    const exit = await leaving.exited;
    await modelLatency(0);
    stack.processes.delete('leaving');
    expect(exit.code).toBe(0);
    const view = await ended(run);
    expect(view).toMatchObject({ outcome: 'completed' });
    const facts = await factsOf(run);
    expect(facts.filter((f) => f.type === 'RequestSettled' && f.outcome !== 'completed')).toEqual([]);
    await rightReport(run);
    await invariantsHold();
  }, 120_000);
});

interface StoredFact {
  readonly type: string;
  readonly request?: number;
  readonly turn?: number;
  readonly outcome?: string;
  readonly review?: string;
}

async function recordOf(
  run: string,
): Promise<{ readonly seq: number; readonly epoch: number; readonly body: string }[]> {
  const rows: { seq: number; epoch: number; body: string }[] = [];
  for (let after = 0; ;) {
    const page = await ask(readRecord, { run, after, limit: 200 });
    rows.push(...page.rows);
    if (page.next === null) return rows;
    after = page.next;
  }
}

async function factsOf(run: string): Promise<StoredFact[]> {
  return (await recordOf(run)).map((r) => JSON.parse(Buffer.from(r.body, 'base64').toString('utf8')) as StoredFact);
}
