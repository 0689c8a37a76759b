/**
 * Limits that come while a run is at work: counts, the size of a request, and times with the shortest limits that a policy
 * may have. What lasts a minute runs beside the rest (B4, B5, T1, R18, C10).
 */
import { listEvents as listBudgetEvents } from '@waymark/contracts/budget';
import { until } from '@waymark/testing';
import { messagesIn, toolsIn, WholeSystem } from './whole-system.js';

let whole: WholeSystem;
const ALONE = { review: false } as const;
const MINUTE = 60_000;
const OUTPUT = 15_000;
/** Time limits that end exploring after 45 s and the run after 60 s. */
const SHORT = { ...ALONE, outputMs: OUTPUT } as const;

/** Runs that wait for a limit; their faults stay while the others come and go. */
const long = { user: '', wall: '', active: '' };
let lasting: object[] = [];

beforeAll(async () => {
  whole = await WholeSystem.start({ replicas: { reviewer: 0 } });
  await whole.latency(1_500);
  long.user = await whole.begin({ ...SHORT, userDeadlineMs: MINUTE });
  long.wall = await whole.begin({ ...SHORT, wallMs: MINUTE, parkMs: [600_000] });
  long.active = await whole.begin({ ...SHORT, activeMs: MINUTE });
  lasting = [
    { fault: 'stall', match: { idPrefix: long.user, purpose: 'explore' } },
    { fault: 'status', status: 429, match: { idPrefix: long.wall, purpose: 'explore' } },
    { fault: 'stall', match: { idPrefix: long.active } },
  ];
  await heal();
  await whole.latency(0);
}, 180_000);

const heal = async () => await whole.faults(lasting);

afterEach(heal);

afterAll(async () => {
  await whole?.stop();
}, 30_000);

/** Starts under these faults beside the lasting ones, and waits for the end. */
async function runUnder(rules: readonly object[], overrides: object): Promise<string> {
  await whole.faults([...lasting, ...rules]);
  const run = await whole.begin(overrides);
  await whole.ended(run);
  return run;
}

const limitEvents = async (run: string): Promise<string[]> =>
  (await whole.ask(listBudgetEvents, { run, limit: 500 })).events
    .filter((e) => /Limit(Neared|Reached)$/.test(e.type))
    .map((e) => `${e.type.slice(e.type.lastIndexOf('.') + 1)} ${String(e.data['limit'])}`);

describe('counts', () => {
  it('L11, B4: the explore limit ends exploring: finishing requests follow, with tools to write and read back only', async () => {
    const run = await runUnder([], { ...ALONE, exploreRequests: 5 });
    const view = await whole.view(run);
    expect(view).toMatchObject({ outcome: 'partial', code: 'explore_exhausted' });
    const phases = (await whole.requests(run)).map((r) => r.purpose);
    expect(phases).toEqual(['explore', 'explore', 'explore', 'explore', 'explore', 'finish']);
    const [changed] = await whole.factsOf(run, 'PhaseChanged');
    expect(changed).toMatchObject({ phase: 'finishing', code: 'explore_exhausted' });
    expect(changed?.reason).toMatch(/all 5 explore requests/);
    for (const call of whole.calls(run).filter((c) => c.purpose === 'finish')) {
      expect(toolsIn(call.body)).not.toContain('search');
      expect(toolsIn(call.body)).toContain('write_block');
    }
    const { report } = await whole.report(run);
    expect(report.reason).toMatch(/explore requests/);
    expect(report.blocks.length).toBeGreaterThan(0);
  });

  it('R18: the numbers come from the grant of this very request: the last of each kind says so in its bytes', async () => {
    const rules = [{ fault: 'empty', match: { purpose: 'finish' }, times: 1 }];
    const run = await runUnder(rules, { ...ALONE, exploreRequests: 5 });
    const notices = whole.calls(run).map((c) => messagesIn(c.body).at(-1)?.content ?? '');
    expect(notices[4]).toContain('Explore requests: 5 of 5 used, this is the last one');
    expect(notices[5]).not.toContain('last finishing request');
    expect(notices[6]).toContain('This is your last finishing request: 1 of 2 is left, counting this one');
    const last = (await whole.requests(run)).at(-1);
    expect(last?.notices.some((n) => n.type === 'finish-reserve' && n.fate === 'submitted')).toBe(true);
    expect(last?.parts.notices).toBeGreaterThan(0);
  });

  it('B4: failures cannot eat the ending: the finish reserve is kept, and finishing still has its requests', async () => {
    const match = { purpose: 'explore' };
    const rules = [
      { fault: 'status', status: 500, match, times: 3 },
      { fault: 'always_tools', match },
    ];
    const parks = { backoffMs: [10], parkMs: [1_000] };
    const run = await runUnder(rules, { ...ALONE, ...parks, physicalRequests: 10, finishReserve: 6 });
    expect(await whole.view(run)).toMatchObject({ outcome: 'partial', code: 'finish_reserve_kept' });
    const purposes = (await whole.requests(run)).map((r) => r.purpose);
    expect(purposes.filter((p) => p === 'explore')).toHaveLength(4);
    expect(purposes.filter((p) => p === 'finish').length).toBeGreaterThan(0);
    const { physical } = await whole.budget(run);
    expect(physical.used).toBe(purposes.length);
    expect(physical.used).toBeLessThanOrEqual(10);
  });

  it('B4: a summary is not tried on what is kept for the ending and one main request', async () => {
    const overrides = { hardLimitBytes: 44 * 1024, exploreRequests: 14, physicalRequests: 20, finishReserve: 6 };
    const run = await whole.beginBench(40, overrides);
    expect(await whole.ended(run)).toMatchObject({ outcome: 'partial' });
    const { purposes, physical } = await whole.budget(run);
    expect(purposes.explore + purposes.summarize).toBeLessThanOrEqual(14);
    expect(physical.used).toBeLessThanOrEqual(20);
    expect(purposes.finish).toBeGreaterThan(0);
  });

  it('E4: a run that comes near no limit makes no auxiliary request and gets no reminder', async () => {
    const run = await whole.beginBench(5, { residencyBytes: 192 * 1024 });
    expect(await whole.ended(run)).toMatchObject({ outcome: 'completed' });
    const requests = await whole.requests(run);
    expect(requests.every((r) => r.purpose === 'explore')).toBe(true);
    expect(requests.flatMap((r) => r.notices)).toEqual([]);
    expect((await whole.facts(run)).some((f) => /Review/.test(f.type))).toBe(false);
  });
});

describe('context', () => {
  const SMALL = { hardLimitBytes: 44 * 1024 } as const;

  it('F-C1, C10: a summarizing request that gets a 429 changes nothing, is charged, and the turn goes on', async () => {
    await whole.faults([...lasting, { fault: 'status', status: 429, match: { purpose: 'summarize' }, times: 3 }]);
    const run = await whole.beginBench(40, SMALL);
    expect(await whole.ended(run, 60_000)).toMatchObject({ outcome: 'completed' });
    const calls = whole.calls(run);
    const first = calls.findIndex((c) => c.purpose === 'summarize');
    expect(first).toBeGreaterThan(0);
    expect(calls.slice(first, first + 3).map((c) => c.answeredWith)).toEqual(Array(3).fill('fault:status'));
    // History is byte for byte what it was: what stood before the failed attempt stands after it (R14).
    const before = messagesIn(calls[first - 1]?.body ?? '{}');
    const after = messagesIn(calls[first + 3]?.body ?? '{}');
    expect(calls[first + 3]?.purpose).toBe('explore');
    const turns = before.filter((m) => m.role === 'assistant').map((m) => m.content);
    expect(after.filter((m) => m.role === 'assistant').map((m) => m.content)).toEqual([...turns, expect.any(String)]);
    expect(JSON.stringify(after)).not.toContain('[Summary of turns');
    const [abandoned, ...more] = await whole.factsOf(run, 'SummaryAbandoned');
    expect(abandoned).toMatchObject({ code: 'rate_limited' });
    expect(more).toEqual([]);
    const adopted = await whole.factsOf(run, 'SummaryAdopted');
    expect(adopted.length).toBeGreaterThan(0);
    const summarizing = calls.filter((c) => c.purpose === 'summarize').length;
    expect((await whole.budget(run)).purposes.summarize).toBe(summarizing);
    expect(summarizing).toBe(3 + adopted.length);
  }, 90_000);

  it('C11: a summary that was adopted stands in the requests that follow, made of original turns alone', async () => {
    const run = await whole.beginBench(40, SMALL);
    await whole.ended(run, 60_000);
    const [adopted, ...rest] = await whole.factsOf(run, 'SummaryAdopted');
    expect(adopted).toBeDefined();
    const calls = whole.calls(run);
    const at = calls.findIndex((c) => c.id === `${run}/${adopted?.request}`);
    const heading = `[Summary of turns ${adopted?.from}–${adopted?.to}]`;
    for (const call of calls.slice(at + 1).filter((c) => c.purpose === 'explore')) expect(call.body).toContain(heading);
    for (const call of calls.filter((c) => c.purpose === 'summarize'))
      expect(call.body).not.toContain('[Summary of turns');
    const intervals = [adopted, ...rest].map((s) => [s?.from ?? 0, s?.to ?? 0] as const);
    for (const [i, [from]] of intervals.entries()) if (i > 0) expect(from).toBeGreaterThan(intervals[i - 1]?.[1] ?? 0);
    expect(calls.at(-1)?.body).toContain('turns=40;');
  }, 90_000);

  it('F-C9: a summary stream that is cut is ignored', async () => {
    await whole.faults([...lasting, { fault: 'cut', chunks: 1, match: { purpose: 'summarize' } }]);
    const run = await whole.beginBench(25, SMALL);
    expect((await whole.ended(run, 60_000)).outcome).toMatch(/completed|partial/);
    expect(await whole.factsOf(run, 'SummaryAdopted')).toEqual([]);
    const budget = await whole.budget(run);
    expect(budget.purposes.summarize).toBe(whole.calls(run).filter((c) => c.purpose === 'summarize').length);
    expect(budget.physical.unknown).toBe(budget.purposes.summarize);
  }, 90_000);
});

describe('times', () => {
  it('B4, T1: the user deadline cuts an exploring request at the limit minus the output time, then the model finishes', async () => {
    const run = long.user;
    const view = await whole.ended(run, 90_000);
    expect(view).toMatchObject({ outcome: 'partial' });
    expect(view.code).toMatch(/^(user_deadline_near|output_time_reached)$/);
    const settled = await whole.factsOf(run, 'RequestSettled');
    const cut = settled.find((f) => f.outcome === 'unknown');
    expect(cut?.code).toBe('user_deadline_over');
    const requests = await whole.requests(run);
    expect(requests.find((r) => r.outcome === 'unknown')?.deadlines.bound).toBe('user');
    expect(requests.at(-1)).toMatchObject({ purpose: 'finish', outcome: 'completed' });
    const { user } = await whole.budget(run);
    expect(user?.usedMs).toBeGreaterThanOrEqual(MINUTE - OUTPUT);
    expect(user?.usedMs).toBeLessThan(MINUTE);
  }, 120_000);

  it('B5: parking ends at the wall limit minus the output time, is wall time only, and the model finishes', async () => {
    const run = long.wall;
    const view = await whole.ended(run, 90_000);
    expect(view).toMatchObject({ outcome: 'partial' });
    expect(view.code).toMatch(/^(wall_time_near|output_time_reached)$/);
    const [parked] = await whole.factsOf(run, 'RunParked');
    expect(parked?.forMs).toBeLessThanOrEqual(MINUTE - OUTPUT);
    const { wall, active } = await whole.budget(run);
    expect(wall.usedMs).toBeGreaterThanOrEqual(MINUTE - OUTPUT);
    expect(wall.usedMs).toBeLessThan(MINUTE);
    expect(active.usedMs).toBeLessThan(wall.usedMs - (parked?.forMs ?? 0) + 1_000);
    expect((await whole.requests(run)).at(-1)).toMatchObject({ purpose: 'finish', outcome: 'completed' });
  }, 120_000);

  it('F-E2, B4: with a model that hangs for ever each finishing turn gets its share, and the run ends within its limit', async () => {
    const run = long.active;
    const view = await whole.ended(run, 90_000);
    expect(view.outcome).toMatch(/^(partial|failed)$/);
    const requests = await whole.requests(run);
    const finishing = requests.filter((r) => r.purpose === 'finish');
    expect(finishing.map((r) => r.code)).toEqual(['active_time_over', 'active_time_over']);
    const [first = NaN, second = NaN] = finishing.map((r) => r.deadlines.leftMs);
    expect(first).toBeLessThanOrEqual(OUTPUT / 2 + 500);
    expect(first + second).toBeLessThanOrEqual(OUTPUT + 500);
    const { active } = await whole.budget(run);
    expect(active.usedMs).toBeGreaterThan(MINUTE - OUTPUT);
    expect(await limitEvents(run)).toContain('LimitNeared active');
    const { report, markdown } = await whole.report(run);
    expect(report).toMatchObject({ state: 'closed', code: view.code });
    expect(markdown).toContain(whole.corpus.question.slice(0, 40));
  }, 120_000);
});

it('the invariants hold over all runs', async () => {
  await until(async () => (await whole.view(long.active)).state === 'ended', {
    what: 'the last run',
    timeoutMs: 90_000,
  });
  expect(await whole.violations()).toEqual([]);
}, 120_000);
