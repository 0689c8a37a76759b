/**
 * The crash table of the turn with real processes: replicas of the runtime kill themselves at named steps, each with a run of
 * its own. The run ends with a right report on the survivor, and the invariants hold by the databases and the provider's log
 * alone. All cases share one system; those of a group die side by side, so that their leases run out together.
 */
import { getReport } from '@waymark/contracts/publication';
import { until } from '@waymark/testing';
import { readProviderLog } from '@waymark/testing/stack';
import { CrashSystem, deathsOf } from './crash-system.js';

/** Replicas that start and die together; more would only wait for the processor. */
const AT_ONCE = 6;

let system: CrashSystem;

beforeAll(async () => {
  system = await CrashSystem.start();
}, 180_000);

afterAll(async () => {
  await system?.stop();
}, 30_000);

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
const IN_FLIGHT = 'mid:request@4';
const DISPATCH = ['before:dispatch', 'after:dispatch'] as const;

const diedAt = deathsOf([...POINTS, IN_FLIGHT], AT_ONCE, () => system);
const diedInReview = deathsOf(DISPATCH, AT_ONCE, () => system, { reviewEveryExploreRequests: 2 });

describe('L2, L3, L4, L5, L13: a death at every step of the turn', () => {
  it.each(POINTS)(
    'L13: killed %s, the other replica ends the run with a right report and the invariants hold',
    async (point) => {
      const run = await diedAt(point);
      const view = await system.ended(run);
      expect(view).toMatchObject({ outcome: 'completed', code: 'finished' });
      expect(view.epoch).toBeGreaterThanOrEqual(2);
      await system.rightReport(run);
      await system.invariantsHold(run);
    },
    180_000,
  );

  it('L4, B3: what was in flight at the death is unknown and charged, and nothing finished is redone', async () => {
    const run = await diedAt(IN_FLIGHT);
    await system.ended(run);
    const facts = await system.factsOf(run);
    const unknown = facts.filter((f) => f.type === 'RequestSettled' && f.outcome === 'unknown');
    expect(unknown).toEqual([expect.objectContaining({ request: 4, code: 'owner_died', delivery: 'uncertain' })]);
    const calls = readProviderLog(system.log).filter((call) => call.id?.startsWith(`${run}/`));
    const intents = facts.filter((f) => f.type === 'RequestIntended');
    expect(calls.length).toBe(intents.length);
    const turns = intents.filter((f) => f.request !== 4).map((f) => f.turn);
    expect(new Set(turns).size).toBe(turns.length);
    await system.invariantsHold(run);
  }, 180_000);

  it.each(DISPATCH)(
    'V1, L13: killed %s of a review, there is one review, and the run ends right',
    async (point) => {
      const run = await diedInReview(point);
      expect(await system.ended(run)).toMatchObject({ outcome: 'completed' });
      const reviews = (await system.factsOf(run)).filter((f) => f.type === 'ReviewDispatched').map((f) => f.review);
      expect(reviews.length).toBeGreaterThan(0);
      expect(new Set(reviews).size).toBe(reviews.length);
      await system.rightReport(run);
      await system.invariantsHold(run);
    },
    180_000,
  );

  // One by one: the model's faults are for the first requests that come.
  it.each(['before:park', 'after:park'])(
    'B14, L13: killed %s, the run wakes on the other replica and ends right',
    async (point) => {
      await system.faults([{ fault: 'status', status: 500, times: 3 }]);
      try {
        const run = await deathsOf([point], 1, () => system, { backoffMs: [20, 20], parkMs: [500] })(point);
        expect(await system.ended(run)).toMatchObject({ outcome: 'completed' });
        const parked = (await system.factsOf(run)).filter((f) => f.type === 'RunParked');
        expect(parked.length).toBe(point === 'after:park' ? 1 : 0);
        await system.rightReport(run);
        await system.invariantsHold(run);
      } finally {
        await system.faults([]);
      }
    },
    180_000,
  );
});

describe('F-X3, L2: a frozen owner', () => {
  it('F-X3: wakes after its lease, writes nothing, and the run ends once', async () => {
    system.freeze();
    const frozen = await system.replica();
    const run = await system.runAt(3, 1_000);
    frozen.kill('SIGSTOP');
    system.wake();
    await until(async () => (await system.view(run)).epoch >= 2, {
      what: 'the survivor to take over',
      timeoutMs: 30_000,
    });
    frozen.kill('SIGCONT');
    await system.latency(0);
    const view = await system.ended(run);
    expect(view.outcome).toBe('completed');
    const rows = await system.recordOf(run);
    const first = rows.findIndex((r) => r.epoch >= 2);
    expect(rows.slice(first).every((r) => r.epoch >= 2)).toBe(true);
    await system.rightReport(run);
    await system.invariantsHold(run);
    await frozen.stop('SIGTERM');
  }, 120_000);
});

describe('L15: a run that takes its owner down', () => {
  it('L15: is set aside after three claims without a new record, closed from what is published, and reported', async () => {
    const failing = { FAILPOINT: 'after:claim' };
    system.freeze();
    const first = await system.replica(failing);
    const run = await system.startRun();
    expect(await first.exited).toMatchObject({ signal: 'SIGKILL' });
    for (let claim = 2; claim <= 3; claim += 1) {
      const doomed = await system.replica(failing).catch(() => null);
      if (doomed) await doomed.exited; // it may die before it ever was ready
    }
    system.wake();
    const view = await system.ended(run);
    expect(view).toMatchObject({ outcome: 'failed', code: 'set_aside' });
    const { report } = await system.ask(getReport, { run });
    expect(report).toMatchObject({ state: 'closed', outcome: 'failed', code: 'set_aside' });
    await system.invariantsHold(run);
  }, 120_000);
});

describe('SIGTERM', () => {
  it('L2: hands the lease over in mid-run at once, without an unknown request', async () => {
    system.freeze();
    const leaving = await system.replica();
    const run = await system.runAt(3, 1_000);
    leaving.kill('SIGTERM');
    system.wake();
    const exit = await leaving.exited;
    await system.latency(0);
    expect(exit.code).toBe(0);
    const view = await system.ended(run);
    expect(view).toMatchObject({ outcome: 'completed' });
    const facts = await system.factsOf(run);
    expect(facts.filter((f) => f.type === 'RequestSettled' && f.outcome !== 'completed')).toEqual([]);
    await system.rightReport(run);
    await system.invariantsHold(run);
  }, 120_000);
});

it('the invariants hold over all runs', async () => {
  await system.invariantsHold();
}, 60_000);
