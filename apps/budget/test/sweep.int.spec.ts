/** Durable timers on real servers, with short times. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { budgetContracts } from '@waymark/contracts/budget';
import { inboxDelivery } from '@waymark/contracts/runtime';
import { WORK, WORK_CONSUMERS, WORK_STREAM } from '@waymark/contracts/streams';
import { until } from '@waymark/testing';
import { completed } from './book.js';
import { startReplicas, type BudgetReplicas } from './budget-replicas.js';

const { reserve, settle, snapshot, close } = budgetContracts;
let budget: BudgetReplicas;
beforeAll(async () => {
  budget = await startReplicas(2, { sweepMs: 50, leaseMs: 100 });
});
afterAll(() => budget.stop());

const owner = { holder: 'run', epoch: 1 };
const factsOf = async (run: string, type: string) =>
  (await budget.storedFacts(run)).filter((fact) => fact.type === type);

describe('the sweep of two replicas', () => {
  it('B5: each limit is neared and reached once, and the run hears of it in its inbox', async () => {
    const run = await budget.openRun({ wallMs: 600, outputMs: 300, activeMs: 3_600_000 });
    await until(async () => (await factsOf(run, 'LimitReached')).length > 0, { what: 'the wall limit to be reached' });
    const jsm = await jetstreamManager(budget.bus.nc);
    const { durable } = WORK_CONSUMERS.inbox;
    await jsm.consumers.add(WORK_STREAM.name, {
      durable_name: durable,
      filter_subject: WORK.inbox.limit,
      ack_policy: 'explicit',
    });
    const consumer = await jetstream(budget.bus.nc).consumers.get(WORK_STREAM.name, durable);
    const heard: unknown[] = [];
    await until(
      async () => {
        const message = await consumer.next({ expires: 1_000 });
        const delivery = message && inboxDelivery.parse(message.json());
        message?.ack();
        if (delivery?.run === run) heard.push(delivery);
        return heard.length === 2;
      },
      { what: 'two deliveries', everyMs: 1 },
    );
    expect(heard).toMatchObject([
      { kind: 'limit', limit: 'wall', stage: 'neared' },
      { kind: 'limit', limit: 'wall', stage: 'reached' },
    ]);
    await until(async () => (await budget.sql('SELECT 1 FROM outbox')).length === 0, { what: 'the outbox to drain' });
    expect(await factsOf(run, 'LimitNeared')).toHaveLength(1);
    expect(await factsOf(run, 'LimitReached')).toHaveLength(1);
  });

  it('B15: what is open past its deadline and a lease is settled as unknown, also after the end; proof still comes in', async () => {
    const run = await budget.openRun({ wallMs: 500, outputMs: 100 });
    const { grant } = await budget.ask(reserve, { run, ...owner, key: 'run/1/a', purpose: 'explore' });
    const reservation = grant?.reservation ?? '';
    await budget.ask(close, { run, epoch: 1, reason: 'cancelled' });
    await until(async () => (await factsOf(run, 'RequestSettled')).length > 0, {
      what: 'the settlement by the budget',
    });
    const now = await budget.ask(snapshot, { run });
    expect(now).toMatchObject({ open: [], snapshot: { physical: { unknown: 1 }, active: { running: false } } });
    const { unknownMs, usedMs } = now.snapshot.active;
    expect([unknownMs, usedMs]).toEqual([grant?.leftMs, grant?.leftMs]);
    expect(await budget.sql('SELECT live, next_due FROM ledger WHERE run_id = $1', [run])).toEqual([
      { live: false, next_due: null },
    ]);
    const proof = await budget.ask(settle, { run, ...owner, settlements: [completed(reservation)] });
    expect(proof.settled).toEqual([{ reservation, result: 'proved', outcome: 'completed' }]);
  });
});
