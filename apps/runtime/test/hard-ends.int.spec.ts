/**
 * Runs that meet what no owner takes, or an owner that does not come back: each ends with a report and a reason, none
 * stays for ever, and a stop stops it (L6, L10, L11, L15).
 */
import { setTimeout as answersAfter } from 'node:timers/promises'; // how long the scripted model takes; no test waits by it
import { jetstreamManager } from '@nats-io/jetstream';
import { close as closeBudget, listEvents as budgetEvents } from '@waymark/contracts/budget';
import type { Policy } from '@waymark/contracts/policy';
import { getReport, report as reportShape } from '@waymark/contracts/publication';
import { cancel, start } from '@waymark/contracts/runtime';
import { BUCKETS, WORK, WORK_CONSUMERS, WORK_STREAM } from '@waymark/contracts/streams';
import { ObjectStore } from '@waymark/messaging';
import { Db } from '@waymark/persistence';
import { until, withClient } from '@waymark/testing';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';
import { RunRows } from '../src/adapters/postgres/run-rows.js';
import { admitRun } from '../src/handlers/admit-run.js';
import { prepareAdmission } from '../src/handlers/prepare-admission.js';
import { CONFIG } from './played-run.js';
import { scriptedModel, type ScriptedModel } from './scripted-model.js';
import { WholeSystem } from './whole-system.js';

const ALONE = { review: false } as const;
const BUDGET_WAIT_MS = '400';
const WORDS = 'word '.repeat(180_000);
const QUOTES = '"\\\n'.repeat(90_000);
const HAN = '汉'.repeat(250_000);
/** Characters without a shape. */
const UNSEEN = '\u200b\ufeff\u0000';
const block = { block: 'kept', title: 'Kept', text: 'This stays.', citations: [] };
const costly = { prompt_tokens: 3, completion_tokens: 1, cost: 1e12 };
const calculate = ['calculate', { expression: '1+1' }] as const;

let model: ScriptedModel;
let whole: WholeSystem;
let db: Db;
let keys = 0;

beforeAll(async () => {
  model = await scriptedModel({
    words: () => ({ text: WORDS }),
    quotes: () => ({ text: QUOTES }),
    han: (n) => (n === 1 ? { calls: [['write_block', block]] } : { text: HAN }),
    cost: (n) => (n < 3 ? { calls: [calculate], usage: costly } : { text: 'All is said.', usage: costly }),
    huge: (n) =>
      n === 1
        ? { calls: [['write_block', { ...block, text: '"'.repeat(480_000) }], ['write_block', block], calculate] }
        : { text: 'All is said.' },
    simple: () => ({ text: 'All is said.' }),
    unseen: (n) => (n === 1 ? { text: UNSEEN } : { calls: [['finish', { closing: UNSEEN }]] }),
    slow: async (n) => {
      await answersAfter(300);
      return n < 40 ? { calls: [calculate] } : { text: 'Done.' };
    },
    write: async (n) => {
      await answersAfter(n > 1 ? 1_500 : 500);
      return n === 1 ? { calls: [['write_block', block]] } : { text: 'All is said.' };
    },
  });
  whole = await WholeSystem.start({
    model: { url: model.url, name: 'scripted' },
    env: { runtime: { BUDGET_WAIT_MS } },
  });
  db = await Db.open({ url: whole.stack.databases.runtime, name: 'hard-ends', migrations: MIGRATIONS });
}, 180_000);

afterAll(async () => {
  await db?.close();
  await whole?.stop();
  await model?.stop();
}, 30_000);

const begin = async (script: string, overrides: object = ALONE): Promise<string> =>
  await whole.begin(overrides, { question: `SCRIPT:${script}, what is said?` });

/** A run that an earlier release admitted: today's start would refuse its policy. */
async function admitted(script: string, mend: (policy: Policy) => Policy): Promise<string> {
  keys += 1;
  const request = { key: `old-${keys}`, question: `SCRIPT:${script}, what is said?`, corpus: 'c', policy: 'teaching' };
  const prepared = prepareAdmission({ ...request, overrides: ALONE }, CONFIG);
  if (!prepared.ok) throw new Error(prepared.error.message);
  const { admission } = prepared;
  const policy = mend(admission.policy);
  const changed = { ...admission, policy, fact: { ...admission.fact, policy } };
  return (await admitRun(db, new RunRows(db), changed)).view.run;
}

const parks = async (run: string) => await whole.factsOf(run, 'RunParked');

/** Every run ends with a closed report that a reader can use, and a code. */
async function closedReport(run: string) {
  const { report, markdown } = await whole.report(run);
  expect(report).toMatchObject({ state: 'closed' });
  expect(markdown).toContain('what is said?');
  return report;
}

describe('a closing text that no message can carry', () => {
  it.each(['words', 'quotes', 'han'])(
    'L11, L10: %s: the run ends, the report shows its beginning, and a gap says how much',
    async (script) => {
      const run = await begin(script);
      expect(await whole.ended(run, 60_000)).toMatchObject({ outcome: 'completed', code: 'finished' });
      const { report, object } = await reportOf(run);
      const said = { words: WORDS, quotes: QUOTES, han: HAN }[script] ?? '';
      const shown = report.closing ?? '';
      expect(said.startsWith(shown)).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(shown))).toBeGreaterThan(380 * 1024);
      expect(report.gaps).toEqual([
        `The closing text was cut: its first ${Buffer.byteLength(shown)} of ${Buffer.byteLength(said)} bytes are shown; the whole stands in the run's record.`,
      ]);
      expect(report.blocks).toHaveLength(script === 'han' ? 1 : 0);
      expect(object).toBe(true);
      const facts = await whole.factsOf(run, 'EndingStepDone');
      expect(facts.map((f) => f.step)).toEqual(['budget_closed', 'settled', 'reviews_stopped', 'report_closed']);
    },
    90_000,
  );
});

it('C2, L2: an answer of a megabyte and more is carried out by the owner that got it, in one go', async () => {
  const run = await begin('huge');
  expect(await whole.ended(run, 60_000)).toMatchObject({ outcome: 'completed', code: 'finished', epoch: 1 });
  const settled = await whole.factsOf(run, 'ActionSettled');
  expect(settled.map((f) => [f.action, f.code]).sort()).toEqual([
    ['1.0', 'body_too_large'],
    ['1.1', null],
    ['1.2', null],
  ]);
});

describe('a start that is repeated', () => {
  it('B7, L2: names the run with the policy that it keeps, not with what a start would give now', async () => {
    const run = await admitted('simple', (p) => ({ ...p, limits: { ...p.limits, exploreRequests: 77 } }));
    const again = { key: `old-${keys}`, question: 'SCRIPT:simple, what is said?', corpus: 'c', policy: 'teaching' };
    const reply = await whole.ask(start, { ...again, overrides: ALONE });
    expect(reply).toMatchObject({ run, created: false, policy: { limits: { exploreRequests: 77 } } });
    await whole.ended(run);
  });
});

/** A report that is too large for its message comes through the object store. */
async function reportOf(run: string) {
  const { report, object } = await whole.ask(getReport, { run, format: 'json' });
  if (report) return { report, object: false };
  if (!object) throw new Error(`run ${run} has no report`);
  const bytes = await (await ObjectStore.open(whole.bus.nc, BUCKETS.reports)).get(object);
  return { report: reportShape.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))), object: true };
}

it('B13: a provider that reports an absurd cost stops nothing: the cost is unknown, the tokens are counted', async () => {
  const run = await begin('cost');
  expect(await whole.ended(run)).toMatchObject({ outcome: 'completed', code: 'finished', requests: 3 });
  expect(await parks(run)).toEqual([]);
  const { usage, physical } = await whole.budget(run);
  expect(usage).toMatchObject({ inputTokens: 9, outputTokens: 3, costMicros: null });
  expect(physical).toMatchObject({ used: 3, unknown: 0, reserved: 0 });
});

describe('a run that an owner will never take', () => {
  it.each([
    [
      'budget',
      'a count past what it keeps',
      (p: Policy) => ({ ...p, limits: { ...p.limits, physicalRequests: 2 ** 54 } }),
    ],
    ['budget', 'a wall time past any clock', (p: Policy) => ({ ...p, limits: { ...p.limits, wallMs: 1e17 } })],
    [
      'publication',
      'more revisions than it keeps',
      (p: Policy) => ({ ...p, revisions: { perBlock: 2, perRun: 2 ** 31 } }),
    ],
  ] as const)('L10, L11: %s, %s: it ends at once with that reason and a report', async (owner, _, mend) => {
    const run = await admitted('simple', mend);
    const view = await whole.ended(run);
    expect(view).toMatchObject({ outcome: 'failed', code: `${owner}_refused`, requests: 0 });
    expect(view.reason).toContain('invalid_field');
    expect(await parks(run)).toEqual([]);
    expect(await closedReport(run)).toMatchObject({ outcome: 'failed', code: `${owner}_refused` });
    expect(model.requests(run)).toBe(0);
  });
});

describe('what stands on the work stream and can never be handled', () => {
  it('L2: is put away once; what follows is handled', async () => {
    const publish = (subject: string, body: unknown) =>
      whole.bus.nc.request(subject, JSON.stringify(body), { timeout: 5_000 });
    const run = await begin('slow');
    await publish(WORK.run, null);
    await publish(WORK.run, { run: '\u0000' });
    await publish(WORK.inbox.limit, { run, key: '\u0000', kind: 'limit', limit: 'wall', stage: 'neared' });
    const points = [{ block: null, issue: 'a \u0000 and \ud800', suggestion: 'x' }];
    const verdict = { review: `${run}.1`, run, outcome: 'revise', points, code: null, reportVersion: 0 };
    await publish(WORK.inbox.verdict, { run, key: 'verdict/x', kind: 'verdict', verdict });
    const jsm = await jetstreamManager(whole.bus.nc);
    for (const { durable } of [WORK_CONSUMERS.run, WORK_CONSUMERS.inbox]) {
      const left = async () => {
        const { num_pending, num_ack_pending } = await jsm.consumers.info(WORK_STREAM.name, durable);
        return num_pending + num_ack_pending;
      };
      await until(async () => (await left()) === 0, { what: `${durable} to have nothing left`, timeoutMs: 10_000 });
    }
    const lines = (whole.stack.processes.get('runtime-1')?.output() ?? '').split('\n');
    expect(lines.filter((line) => line.includes('can never be handled'))).toHaveLength(3);
    expect(await whole.fact(run, 'VerdictHeard')).toMatchObject({ outcome: 'revise' });
    await whole.ask(cancel, { run });
    await whole.ended(run);
  }, 60_000);
});

describe('a record that cannot be read', () => {
  it('L15: the run is set aside after the count of claims: it ends, says why, and its report is closed', async () => {
    const run = await begin('write');
    await until(async () => (await whole.factsOf(run, 'ActionSettled')).length > 0, {
      what: 'the block to be written',
    });
    await whole.kill('runtime-1');
    await withClient(whole.stack.databases.runtime, async (client) => {
      await client.query(`update execution_record set body = '\\x7b' where id = $1 and seq = 2`, [run]);
    });
    const replica = await whole.stack.start('runtime', 'runtime-2', { BUDGET_WAIT_MS });
    const view = await whole.ended(run, 60_000);
    expect(view).toMatchObject({ outcome: 'failed', code: 'record_broken' });
    expect(view.reason).toMatch(/record cannot be read/);
    expect(await closedReport(run)).toMatchObject({ code: 'record_broken', blocks: [{ block: 'kept' }] });
    expect(replica.output()).toMatch(/set aside: its record cannot be read/);
    expect(await whole.ask(cancel, { run })).toMatchObject({
      outcome: 'already_ended',
      run: { code: 'record_broken' },
    });
    const { events } = await whole.ask(budgetEvents, { run, after: 0, limit: 500 });
    expect(events.at(-1)?.type).toMatch(/BudgetClosed|RequestSettled/);
  }, 90_000);
});

describe('publication does not answer at the end', () => {
  it('P9, L11: a write that it took all the same, or takes when it is back, is no gap of the report', async () => {
    const run = await begin('write', { ...ALONE, toolMs: 700 });
    const publication = whole.stack.processes.get('publication-1');
    await until(() => model.requests(run) >= 1, { what: 'the first request' });
    publication?.kill('SIGSTOP');
    const [receipt] = await until(
      async () => {
        const all = await whole.factsOf(run, 'ActionSettled');
        return all.length > 0 ? all : undefined;
      },
      { what: 'the receipt of the write', timeoutMs: 20_000 },
    );
    expect(receipt).toMatchObject({ outcome: 'unconfirmed', effect: { kind: 'block', detail: 'kept' } });
    const ending = await whole.fact(run, 'RunEnding', 40_000);
    expect(ending.gaps).toEqual(['One write of block "kept" was not confirmed.']);
    publication?.kill('SIGCONT');
    await whole.ended(run);
    const report = await closedReport(run);
    expect([report.blocks.map((b) => b.block), report.gaps]).toEqual([['kept'], []]);
  }, 90_000);
});

describe('budget does not come back', () => {
  beforeAll(async () => await whole.kill('budget-1'));

  it('L6, L10: a stop ends a run that waits for it: no more is recorded than its ending', async () => {
    const run = await begin('simple');
    await whole.inState(run, 'parked');
    const stopped = await whole.bus.call(cancel, { run }, { timeoutMs: 10_000 });
    expect(stopped).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    const { seq, epoch } = await whole.inState(run, 'ending');
    let asked = 0;
    const listening = whole.bus.nc.subscribe(closeBudget.subject, {
      callback: (_, message) => void (asked += Number(message.json<{ run: string }>().run === run)),
    });
    await until(() => asked >= 2, { what: 'the ending to have asked twice', timeoutMs: 60_000 });
    listening.unsubscribe();
    expect(await whole.view(run)).toMatchObject({ state: 'ending', outcome: 'cancelled', seq, epoch });
    expect((await whole.facts(run)).map((f) => f.type).slice(-1)).toEqual(['RunEnding']);
    expect((await parks(run)).length).toBeLessThanOrEqual(2);
  }, 90_000);

  it('B5, L10: a run that waits is parked once a waiting period, and its wall limit ends it by its own age', async () => {
    const run = await admitted('simple', (p) => ({ ...p, limits: { ...p.limits, wallMs: 9_000, outputMs: 1_000 } }));
    await whole.inState(run, 'ending', 60_000);
    const view = await whole.view(run);
    expect(view).toMatchObject({ outcome: 'partial', code: 'wall_time_over' });
    const waits = (await parks(run)).map((p) => p.forMs);
    expect(waits.length).toBeGreaterThan(0);
    expect(Math.max(...waits)).toBeLessThanOrEqual(5_000); // in all no longer than to the limit, give or take the shortest wait
    expect(waits.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(10_000);
    expect(waits.length).toBeLessThanOrEqual(5);
  }, 90_000);

  it('L10: back again: what was ending ends, and the reports are closed', async () => {
    await whole.stack.start('budget', 'budget-2');
    await until(
      async () =>
        await withClient(whole.stack.databases.runtime, async (client) => {
          const { rows } = await client.query(`select 1 from run where state <> 'ended'`);
          return rows.length === 0;
        }),
      { what: 'every run to end', timeoutMs: 60_000 },
    );
  }, 90_000);
});

it('L10: an answer, and a closing text, that nobody would see counts as none', async () => {
  const run = await begin('unseen');
  expect(await whole.ended(run)).toMatchObject({ outcome: 'failed', code: 'nothing_published', requests: 2 });
  expect((await reportOf(run)).report).toMatchObject({ closing: null, blocks: [] });
});
