/**
 * Stop means stop, at every moment of a run's life: once acknowledged nothing is granted, the report is closed and
 * readable, and no other end takes the place of `cancelled` (L6, F-T3).
 */
import { close as closeBudget, listEvents as listBudgetEvents } from '@waymark/contracts/budget';
import { cancel } from '@waymark/contracts/runtime';
import { until, withClient } from '@waymark/testing';
import { WholeSystem } from './whole-system.js';

let whole: WholeSystem;
const NOBODY = '01890000-0000-7000-8000-000000000000';
const ALONE = { review: false } as const;

beforeAll(async () => {
  whole = await WholeSystem.start();
}, 180_000);

afterEach(async () => {
  whole.gateway.release();
  await whole.faults([]);
  await whole.latency(0);
});

afterAll(async () => {
  await whole?.stop();
}, 30_000);

/** The budget's facts of a run in order: type and, of a close, its reason. */
async function budgetFacts(run: string): Promise<string[]> {
  const facts: string[] = [];
  for (let after = 0; ;) {
    const page = await whole.ask(listBudgetEvents, { run, after, limit: 500 });
    for (const { type, data } of page.events) {
      const name = type.slice(type.lastIndexOf('.') + 1);
      facts.push(name === 'BudgetClosed' ? `${name}: ${String(data['reason'])}` : name);
    }
    if (page.next === null) return facts;
    after = page.next;
  }
}

/** Stops the run, and proves what an acknowledged stop promises. */
async function stopAndProve(run: string): Promise<void> {
  const reply = await whole.ask(cancel, { run, reason: 'enough' });
  expect(reply.outcome).toBe('cancelling');
  const atOnce = await budgetFacts(run);
  const granted = atOnce.filter((fact) => fact === 'ReservationGranted').length;
  const sent = whole.calls(run).length;
  // Closed before the stop was acknowledged, by the stop itself or by an owner that had seen it and was faster.
  expect(atOnce).toContainEqual(expect.stringMatching(/^BudgetClosed: cancelled(: enough)?$/));
  const view = await whole.ended(run);
  expect(view).toMatchObject({ outcome: 'cancelled', code: 'cancelled' });
  expect(view.reason).toContain('stopped (enough);');
  const facts = await budgetFacts(run);
  expect(facts.filter((fact) => fact === 'ReservationGranted')).toHaveLength(granted);
  expect(facts.filter((fact) => fact.startsWith('BudgetClosed'))).toHaveLength(1);
  // What was granted before may still go out; nothing else does.
  expect(whole.calls(run).length - sent).toBeLessThanOrEqual(Math.max(0, granted - sent));
  const ends = await whole.factsOf(run, 'RunEnding');
  expect(ends.map((e) => e.outcome)).toEqual(['cancelled']);
  const { report, markdown } = await whole.report(run);
  expect(report).toMatchObject({ state: 'closed', outcome: 'cancelled', code: 'cancelled' });
  expect(markdown).toContain(whole.corpus.question.slice(0, 40));
  expect((await whole.ask(cancel, { run })).outcome).toBe('already_ended');
}

const requested = async (run: string, n: number) =>
  await until(async () => (await whole.view(run)).requests >= n, { what: `request ${n}`, timeoutMs: 30_000 });

it('L6: while a stream runs, it is cut by the stop and not by a deadline, charged as unknown, and the run ends', async () => {
  await whole.faults([{ fault: 'stall_after', bytes: 10, match: { nth: 3 } }]);
  const run = await whole.begin(ALONE);
  await until(() => whole.calls(run).length >= 3, { what: 'the third request to arrive', timeoutMs: 30_000 });
  await stopAndProve(run);
  const last = (await whole.requests(run)).at(-1);
  expect(last).toMatchObject({ request: 3, outcome: 'unknown', code: 'cancelled' });
  expect((await whole.budget(run)).physical).toMatchObject({ used: 2, unknown: 1, reserved: 0 });
});

it('L6: while the model is asked and says nothing yet', async () => {
  await whole.faults([{ fault: 'stall' }]);
  const run = await whole.begin(ALONE);
  await until(() => whole.calls(run).length >= 1, { what: 'a request to arrive', timeoutMs: 30_000 });
  await stopAndProve(run);
});

it('L6: while it waits between two attempts', async () => {
  await whole.faults([{ fault: 'status', status: 500 }]);
  const run = await whole.begin({ ...ALONE, backoffMs: [60_000] });
  await until(async () => (await whole.factsOf(run, 'RequestSettled')).length > 0, { what: 'a failed attempt' });
  await stopAndProve(run);
  expect(whole.calls(run)).toHaveLength(1);
});

it('L6: while parked, with a wake-up an hour away', async () => {
  await whole.faults([{ fault: 'status', status: 500 }]);
  const run = await whole.begin({ ...ALONE, backoffMs: [1], parkMs: [3_600_000] });
  await whole.inState(run, 'parked');
  await stopAndProve(run);
  expect(whole.calls(run)).toHaveLength(3);
});

it('L6: while queued, before anybody claimed it: no request is ever made', async () => {
  await whole.kill('runtime-1');
  await whole.stack.start('runtime', 'one-room', { MAX_RUNS: '1' });
  await whole.faults([{ fault: 'stall' }]);
  const busy = await whole.begin(ALONE);
  await whole.inState(busy, 'running');
  const run = await whole.begin(ALONE);
  const stopped = await whole.ask(cancel, { run });
  expect(stopped).toMatchObject({ outcome: 'cancelling', run: { state: 'queued', epoch: 0 } });
  await whole.stack.start('runtime', 'runtime-2');
  const view = await whole.ended(run);
  expect(view).toMatchObject({ outcome: 'cancelled', code: 'cancelled', requests: 0 });
  expect(whole.calls(run)).toEqual([]);
  expect(await budgetFacts(run)).not.toContain('ReservationGranted');
  expect((await whole.report(run)).report).toMatchObject({ state: 'closed', outcome: 'cancelled' });
  await stopAndProve(busy);
}, 60_000);

it('F-T3: a stop that was acknowledged and one that came too late are told apart at every turn of the end', async () => {
  await whole.latency(150);
  for (let turn = 7; turn <= 9; turn += 1) {
    const run = await whole.begin(ALONE);
    await requested(run, turn);
    const { outcome } = await whole.ask(cancel, { run });
    const view = await whole.ended(run);
    expect(view.outcome).toBe(outcome === 'cancelling' ? 'cancelled' : 'completed');
    expect(await whole.factsOf(run, 'RunEnding')).toHaveLength(1);
  }
}, 60_000);

describe('an owner that has not heard of the stop', () => {
  /** What an acknowledged stop leaves behind; the owner looks at its row once a minute. */
  const mark = async (run: string) =>
    await withClient(whole.stack.databases.runtime, async (db) => {
      await db.query('update run set cancelled_at = clock_timestamp() where id = $1', [run]);
    });

  beforeAll(async () => {
    await whole.kill('one-room');
    await whole.kill('runtime-2');
    await whole.stack.start('runtime', 'deaf', { HEARTBEAT_MS: '60000', LEASE_MS: '600000' });
  }, 60_000);

  afterAll(async () => {
    await whole.kill('deaf');
    await whole.stack.start('runtime', 'runtime-3');
  }, 60_000);

  it('F-T3: is about to end the run as completed: cancelled wins', async () => {
    const run = await whole.heldRun(9, ALONE); // the finishing answer is under way
    await mark(run);
    whole.gateway.release();
    expect(await whole.ended(run)).toMatchObject({ outcome: 'cancelled', code: 'cancelled' });
    expect((await whole.requests(run)).at(-1)?.actions).toMatchObject([{ tool: 'finish', outcome: 'ok' }]);
  });

  it('F-T3: finds the budget closed: cancelled wins', async () => {
    const run = await whole.heldRun(3, ALONE);
    await mark(run);
    await whole.ask(closeBudget, { run, epoch: (await whole.view(run)).epoch, reason: 'cancelled' });
    whole.gateway.release();
    expect(await whole.ended(run)).toMatchObject({ outcome: 'cancelled', code: 'cancelled' });
  });

  it('B15: finds the budget closed by nobody who stopped the run: it ends, and the code says so', async () => {
    const run = await whole.heldRun(3, ALONE);
    await whole.ask(closeBudget, { run, epoch: (await whole.view(run)).epoch, reason: 'a test' });
    whole.gateway.release();
    expect(await whole.ended(run)).toMatchObject({ code: 'budget_closed' });
    expect(whole.calls(run)).toHaveLength((await whole.requests(run)).length);
  });

  it('L4: has its next intent refused: nothing is sent after the stop', async () => {
    const run = await whole.heldRun(3, ALONE);
    await mark(run);
    whole.gateway.release();
    expect(await whole.ended(run)).toMatchObject({ outcome: 'cancelled' });
    expect(whole.calls(run)).toHaveLength(3); // the one that was out already, and no more
    expect((await whole.budget(run)).physical).toMatchObject({ reserved: 0, unknown: 0 });
  });
});

it('L6, L10: a run whose end is decided has nothing left to stop, and says how it ends', async () => {
  await whole.kill('publication-1');
  await whole.faults([{ fault: 'status', status: 401 }]);
  await whole.stack.start('publication', 'publication-2');
  const run = await whole.begin(ALONE);
  await whole.fact(run, 'RequestSettled');
  await whole.kill('publication-2');
  await whole.inState(run, 'ending');
  const reply = await whole.ask(cancel, { run });
  expect(reply).toMatchObject({ outcome: 'already_ended', run: { state: 'ending', outcome: 'failed' } });
  await whole.stack.start('publication', 'publication-3');
  expect(await whole.ended(run)).toMatchObject({ outcome: 'failed', code: 'provider_auth' });
}, 60_000);

it('L6: with budget away a stop is recorded and not yet promised; the run stops all the same', async () => {
  const run = await whole.heldRun(2, ALONE);
  await whole.kill('budget-1');
  const reply = await whole.bus.call(cancel, { run }, { timeoutMs: 10_000 });
  expect(reply).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  await whole.stack.start('budget', 'budget-2');
  expect(await whole.ended(run)).toMatchObject({ outcome: 'cancelled', code: 'cancelled' });
  expect((await whole.budget(run)).physical).toMatchObject({ reserved: 0 });
  expect((await whole.report(run)).report).toMatchObject({ state: 'closed', outcome: 'cancelled' });
}, 60_000);

it('L6: a review that runs is stopped with its run', async () => {
  await whole.faults([{ fault: 'stall', match: { purpose: 'review' } }]);
  whole.gateway.holdOnce(async (id) => (await whole.factsOf(id.split('/')[0] ?? '', 'ReviewDispatched')).length > 0);
  const run = await whole.begin({ review: true, reviewEveryExploreRequests: 3 });
  await until(() => whole.calls(run).some((c) => c.purpose === 'review'), { what: 'a review', timeoutMs: 30_000 });
  await stopAndProve(run);
  await until(async () => (await whole.budget(run)).physical.reserved === 0, { what: 'the review to be settled' });
  const { purposes, physical } = await whole.budget(run);
  expect(purposes.review).toBe(1);
  expect(physical.unknown).toBeGreaterThanOrEqual(1);
});

it('a stop of an ended run says so, and of an unknown one names the field', async () => {
  const { run } = await whole.runUnder([], ALONE);
  expect(await whole.ask(cancel, { run })).toMatchObject({ outcome: 'already_ended', run: { outcome: 'completed' } });
  const unknown = await whole.bus.call(cancel, { run: NOBODY }, { timeoutMs: 3_000 });
  expect(unknown).toMatchObject({ ok: false, error: { code: 'unknown_run', field: 'run' } });
});

it('the invariants hold over all runs', async () => {
  expect(await whole.violations()).toEqual([]);
}, 60_000);
