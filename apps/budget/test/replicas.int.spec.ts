/** Several replicas, many callers, one ledger. */
import { budgetContracts } from '@waymark/contracts/budget';
import { until } from '@waymark/testing';
import { decodeLedger } from '../src/adapters/postgres/ledger-codec.js';
import { fold } from '../src/core/evolve.js';
import { completed, failed, notSent, ran, unknown } from './book.js';
import { startReplicas, type BudgetReplicas } from './budget-replicas.js';

const { reserve, settle, takeOver, close, snapshot, open, listEvents } = budgetContracts;
let budget: BudgetReplicas;
beforeAll(async () => {
  budget = await startReplicas(2);
});
afterAll(() => budget.stop());

const owner = { holder: 'run', epoch: 1 };
const ask = (run: string, key: string, more: object = {}) =>
  budget.ask(reserve, { run, ...owner, purpose: 'explore', key: `run/1/${key}`, ...more });
const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

async function stateEqualsFold(run: string): Promise<void> {
  const [row] = await budget.sql<{ state: Buffer; version: number }>('SELECT * FROM ledger WHERE run_id = $1', [run]);
  const ledger = row && decodeLedger(row.state);
  expect(ledger).toEqual(fold(run, await budget.storedFacts(run)));
  expect(row?.version).toBe(ledger?.version);
}

describe('B11: counts under concurrent callers of two replicas', () => {
  it('B11, F-B3: fifty callers at once with six left: six are granted, none more', async () => {
    const run = await budget.openRun({ exploreRequests: 6 });
    const answers = await times(50, (index) => ask(run, `c${index}`));
    const granted = answers.flatMap(({ grant }) => (grant ? [grant.reservation] : []));
    expect(new Set(granted).size).toBe(6);
    expect(granted).toHaveLength(6);
    expect(answers.filter(({ refusal }) => refusal?.code === 'explore_exhausted')).toHaveLength(44);
    expect((await budget.ask(snapshot, { run })).snapshot.explore).toMatchObject({ limit: 6, reserved: 6, left: 0 });
    await stateEqualsFold(run);
  });

  it('B11, L14: what lost a race is told to nobody: the events are the facts, each once', async () => {
    const run = await budget.openRun({ exploreRequests: 30 });
    const heard: { seq: number }[] = [];
    budget.bus.nc.subscribe(`waymark.facts.v1.budget.${run}.>`, { callback: (_, msg) => void heard.push(msg.json()) });
    await budget.bus.nc.flush();
    await times(50, (index) => ask(run, `c${index}`));
    await until(async () => (await budget.sql('SELECT 1 FROM outbox')).length === 0, { what: 'the outbox to drain' });
    const { events } = await budget.ask(listEvents, { run, after: 1 });
    expect(events).toHaveLength(31);
    expect(heard.filter(({ seq }) => seq > 1)).toEqual(events);
  });

  it('B11, F-B5: one request left, fifty callers: one starts, whatever its purpose', async () => {
    const run = await budget.openRun({ physicalRequests: 1, finishReserve: 1, finishRequests: 50 });
    const answers = await times(50, (index) => ask(run, `c${index}`, { purpose: index % 2 ? 'finish' : 'explore' }));
    expect(answers.filter(({ outcome }) => outcome === 'granted')).toHaveLength(1);
    await stateEqualsFold(run);
  });

  it('B11: settlements that give back and reservations at once never overshoot', async () => {
    const run = await budget.openRun({ exploreRequests: 6, physicalRequests: 40 });
    const first = (await times(6, (index) => ask(run, `a${index}`))).map(({ grant }) => grant?.reservation ?? '');
    const answers = await times(20, (index) => {
      const settlements = index < 6 ? [notSent(first[index] ?? '')] : [];
      return ask(run, `b${index}`, { settlements });
    });
    const granted = answers.filter(({ outcome }) => outcome === 'granted').length;
    const { explore, physical } = (await budget.ask(snapshot, { run })).snapshot;
    expect(explore.reserved).toBe(granted);
    expect(granted).toBe(6);
    expect(physical).toMatchObject({ used: 0, reserved: 6 });
    await stateEqualsFold(run);
  });

  it('B11, B12: one caller whose commands fall to either replica: whoever remembers an old ledger reads the new one', async () => {
    const run = await budget.openRun({ exploreRequests: 100, physicalRequests: 250 });
    const versions: number[] = [];
    let last = '';
    for (let turn = 1; turn <= 100; turn += 1) {
      const settlements = last === '' ? [] : [completed(last)];
      const { outcome, grant, snapshot: now } = await ask(run, `t${turn}`, { settlements });
      expect(outcome).toBe('granted');
      last = grant?.reservation ?? '';
      versions.push(now.version);
    }
    expect((await ask(run, 'one-more', { settlements: [completed(last)] })).refusal?.code).toBe('explore_exhausted');
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    await stateEqualsFold(run);
  });

  it('B12: versions seen by concurrent callers are distinct for distinct facts, and the record has no gap', async () => {
    const run = await budget.openRun();
    const answers = await times(20, (index) => ask(run, `c${index}`));
    expect(new Set(answers.map((answer) => answer.snapshot.version)).size).toBe(20);
    const { events } = await budget.ask(listEvents, { run });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.seq).toBe(Math.max(...answers.map((answer) => answer.snapshot.version)));
  });
});

describe('B2, B3: idempotency across replicas', () => {
  it('B2: thirty callers with one key get one reservation', async () => {
    const run = await budget.openRun();
    const answers = await times(30, () => ask(run, 'same'));
    expect(new Set(answers.map(({ grant }) => grant?.reservation)).size).toBe(1);
    expect((await budget.ask(snapshot, { run })).open).toHaveLength(1);
  });

  it('B2, B3: a lost reply: the whole call again settles once and returns the same grant', async () => {
    const run = await budget.openRun();
    const first = (await ask(run, '1')).grant?.reservation ?? '';
    const call = { settlements: [completed(first)], activities: [ran(first, [0, 5])] };
    const answers = await times(10, () => ask(run, '2', call));
    expect(answers.map(({ settled }) => settled[0]?.result).sort()).toEqual([
      ...Array.from({ length: 9 }, () => 'repeated'),
      'settled',
    ]);
    expect(new Set(answers.map(({ grant }) => grant?.reservation)).size).toBe(1);
    expect((await budget.ask(snapshot, { run })).snapshot.physical).toMatchObject({ used: 1, reserved: 1 });
    await stateEqualsFold(run);
  });

  it('B2: the key of a settled reservation, and settlements of old ones, are found in their rows', async () => {
    const run = await budget.openRun();
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      const settlements = ids.slice(-1).map((id) => (i % 2 ? unknown(id) : failed(id, true)));
      ids.push((await ask(run, `t${i}`, { settlements })).grant?.reservation ?? '');
    }
    expect((await ask(run, 't0')).grant).toMatchObject({ reservation: ids[0], settled: 'unknown' });
    const again = [
      unknown(ids[0] ?? ''),
      failed(ids[1] ?? '', true),
      failed(ids[1] ?? '', false),
      completed(ids[2] ?? ''),
    ];
    const { settled } = await budget.ask(settle, { run, ...owner, settlements: again });
    expect(settled.map(({ result }) => result)).toEqual(['repeated', 'repeated', 'contradicts', 'proved']);
    expect((await ask(run, 't2')).grant?.settled).toBe('completed');
  });

  it('B7: opening at once and again makes one ledger with the first limits', async () => {
    const run = await budget.openRun({ exploreRequests: 3 });
    const limits = { exploreRequests: 9, finishRequests: 2, finishReserve: 6, physicalRequests: 86 };
    const time = { activeMs: 60_000, wallMs: 60_000, outputMs: 0, userDeadlineMs: null };
    const command = { limits: { ...limits, ...time }, policyVersion: 2, admittedAgeMs: 0 };
    const again = await times(5, () => budget.ask(open, { run, ...command }));
    for (const reply of again) expect(reply).toMatchObject({ created: false, snapshot: { explore: { limit: 3 } } });
    const fresh = crypto.randomUUID();
    const created = await times(10, () => budget.ask(open, { run: fresh, ...command }));
    expect(created.filter((reply) => reply.created)).toHaveLength(1);
  });
});

describe('B15: fencing across replicas', () => {
  it('B15: once the higher epoch is in, no lower one is granted by any replica', async () => {
    const run = await budget.openRun();
    await ask(run, 'before');
    const taken = await budget.ask(takeOver, { run, holder: 'run', epoch: 2, heartbeatAgeMs: 0, leaseEndAgeMs: 0 });
    expect(taken).toMatchObject({ outcome: 'taken', open: [{ key: 'run/1/before' }] });
    const late = await times(10, (index) => ask(run, `late${index}`));
    expect(late.map(({ refusal }) => refusal?.code)).toEqual(late.map(() => 'fenced'));
    await stateEqualsFold(run);
  });

  it('B15, L6, F-T3: a close among fifty callers: what was granted before it is listed, nothing comes after', async () => {
    const run = await budget.openRun({ exploreRequests: 100, physicalRequests: 206 });
    const asking = times(50, (index) => ask(run, `c${index}`));
    const closed = await budget.ask(close, { run, epoch: 1, reason: 'cancelled' });
    const answers = await asking;
    const granted = answers.filter(({ outcome }) => outcome === 'granted').length;
    expect(closed.open).toHaveLength(granted);
    expect(answers.filter(({ refusal }) => refusal?.code === 'closed')).toHaveLength(50 - granted);
    expect((await ask(run, 'after')).refusal?.code).toBe('closed');
    expect(await budget.ask(close, { run, epoch: 1, reason: 'again' })).toMatchObject({ outcome: 'already_closed' });
    await stateEqualsFold(run);
  });
});

it('L3: a ledger in another format is rebuilt from its facts', async () => {
  const run = await budget.openRun();
  await ask(run, '1');
  const before = await budget.ask(snapshot, { run });
  await budget.sql('UPDATE ledger SET state = $2 WHERE run_id = $1', [run, Buffer.from('{"format":0}')]);
  const after = await budget.ask(snapshot, { run });
  expect(after.snapshot).toMatchObject({ version: before.snapshot.version, physical: before.snapshot.physical });
  expect((await ask(run, '2')).outcome).toBe('granted');
  await stateEqualsFold(run);
});
