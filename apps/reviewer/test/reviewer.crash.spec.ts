import type { ReviewOrder } from '@waymark/contracts/reviewer';
import { until, type ServiceProcess } from '@waymark/testing';
import { startWorld, type World } from './world.js';

let world: World;
let replicas: ServiceProcess[] = [];

beforeAll(async () => void (world = await startWorld()), 60_000);
afterAll(async () => await world.stop(), 30_000);
beforeEach(async () => {
  await world.misbehave();
  replicas = await Promise.all(['reviewer-1', 'reviewer-2'].map(async (name) => await world.startReplica(name)));
}, 30_000);
afterEach(async () => void (await Promise.all(replicas.map(async (one) => await one.stop()))), 30_000);

const records = async ({ run, review }: ReviewOrder) =>
  await world.sql<{ seq: number; epoch: number; kind: string; body: Buffer }>(
    'SELECT seq, epoch, kind, body FROM review_record WHERE id = $1 ORDER BY seq',
    [`${run}/${review}`],
  );
const ownerOf = async ({ run, review }: ReviewOrder): Promise<ServiceProcess> => {
  const [row] = await world.sql<{ owner: string }>('SELECT owner FROM review WHERE id = $1', [`${run}/${review}`]);
  const owner = replicas.find(({ pid }) => row?.owner.split('/')[1] === String(pid));
  if (!owner) throw new Error(`${row?.owner} is none of the replicas`);
  return owner;
};
/** A review whose first request hangs at the provider. */
const hanging = async (): Promise<ReviewOrder> => {
  await world.misbehave({ fault: 'stall', times: 1, match: { purpose: 'review' } });
  const order = world.order(await world.openRun());
  await world.dispatch(order);
  await until(async () => (await world.requests(order)).length === 1, { what: 'the request to hang' });
  return order;
};
const closed = async (order: ReviewOrder) =>
  await until(async () => ((await records(order)).at(-1)?.kind === 'ReviewClosed' ? true : undefined), {
    what: 'the end of the review',
  });
const kindsOf = async (order: ReviewOrder): Promise<string[]> =>
  (await records(order)).map(({ epoch, kind }) => `${epoch} ${kind}`);

const leaseIsOver = async ({ run }: ReviewOrder): Promise<boolean> => {
  const [row] = await world.sql<{ over: boolean }>(
    'SELECT lease_until <= clock_timestamp() AND deadline_at <= clock_timestamp() AS over FROM review WHERE run_id = $1',
    [run],
  );
  return row?.over === true;
};

const TAKEN_OVER = [
  ...['1 ReviewStarted', '1 ReviewRequested', '2 ReviewAnswered', '2 ReviewRequested'],
  ...['2 ReviewAnswered', '2 VerdictGiven', '2 ReviewClosed'],
];

describe('a replica that goes', () => {
  it('L2, L4, B3: killed with a request under way: another one goes on, what was in flight is unknown and charged', async () => {
    const order = await hanging();
    const owner = await ownerOf(order);
    owner.kill('SIGKILL');
    expect((await world.verdictOf(order)).outcome).toBe('ok');
    await closed(order);
    expect(await kindsOf(order)).toEqual(TAKEN_OVER);
    expect((await world.requests(order)).map(({ id }) => id)).toEqual([`${order.review}/1/1`, `${order.review}/2/2`]);
    const { snapshot, open } = await world.budget(order.run);
    expect(open).toEqual([]);
    expect(snapshot.physical).toMatchObject({ used: 1, reserved: 0, unknown: 1 });
    expect(snapshot.active.unknownMs).toBeGreaterThan(0);
    expect(world.verdicts.get(`${order.run}/${order.review}`)).toHaveLength(1);
  }, 40_000);

  it('L2, F-X3: frozen past its lease and awake again, it changes nothing and gives no second verdict', async () => {
    const order = await hanging();
    const owner = await ownerOf(order);
    owner.kill('SIGSTOP');
    expect((await world.verdictOf(order)).outcome).toBe('ok');
    await closed(order);
    const before = await records(order);
    owner.kill('SIGCONT');
    await until(() => /lease lost: stopped/.test(owner.output()), { what: 'the old owner to stop' });
    expect(await records(order)).toEqual(before);
    expect(await kindsOf(order)).toEqual(TAKEN_OVER);
    const next = world.order(await world.openRun());
    await world.dispatch(next);
    await world.verdictOf(next);
    expect(world.verdicts.get(`${order.run}/${order.review}`)).toHaveLength(1);
  }, 40_000);

  it('L2: told to end, it cuts what is under way, settles it and hands the review over at once', async () => {
    const order = await hanging();
    const owner = await ownerOf(order);
    expect(await owner.stop('SIGTERM', 10_000)).toEqual({ code: 0, signal: null });
    const [row] = await world.sql<{ owner: string | null }>('SELECT owner FROM review WHERE run_id = $1', [order.run]);
    expect(row?.owner?.split('/')[1]).not.toBe(String(owner.pid));
    expect((await world.verdictOf(order)).outcome).toBe('ok');
    await closed(order);
    expect(await kindsOf(order)).toEqual([
      ...['1 ReviewStarted', '1 ReviewRequested', '1 ReviewAnswered', '2 ReviewRequested'],
      ...['2 ReviewAnswered', '2 VerdictGiven', '2 ReviewClosed'],
    ]);
    expect((await world.budget(order.run)).snapshot.physical).toMatchObject({ used: 1, reserved: 0, unknown: 1 });
  }, 40_000);

  it('L15: a review whose owners die again and again is given up with a code', async () => {
    await world.misbehave({ fault: 'stall', match: { purpose: 'review' } });
    const order = world.order(await world.openRun(), { deadlineMs: 120_000 });
    await world.dispatch(order);
    for (let request = 1; request <= 3; request += 1) {
      await until(async () => (await world.requests(order)).length === request, {
        what: `request ${request}`,
        timeoutMs: 20_000,
      });
      const owner = await ownerOf(order);
      owner.kill('SIGKILL');
      await owner.exited;
      replicas = [...replicas.filter((one) => one !== owner), await world.startReplica(`reviewer-${request + 2}`)];
    }
    expect(await world.verdictOf(order, 20_000)).toMatchObject({ outcome: 'failed', code: 'abandoned' });
    await closed(order);
    expect((await world.budget(order.run)).snapshot.physical).toMatchObject({ used: 0, reserved: 0, unknown: 3 });
  }, 90_000);

  it('B3: killed between verdict and settlement: the next owner settles from the record, also past the deadline', async () => {
    await world.misbehave({ fault: 'latency', ms: 1_000, match: { purpose: 'review' } });
    const order = world.order(await world.openRun(), { deadlineMs: 3_000 });
    await world.dispatch(order);
    await until(async () => (await world.requests(order)).length === 1, { what: 'the request' });
    const owner = await ownerOf(order);
    const other = replicas.find((one) => one !== owner);
    other?.kill('SIGSTOP');
    await world.stopBudget();
    expect((await world.verdictOf(order)).outcome).toBe('ok');
    owner.kill('SIGKILL');
    await world.startBudget();
    expect((await world.budget(order.run)).open).toHaveLength(1);
    await until(async () => await leaseIsOver(order), { what: 'the lease to end' });
    other?.kill('SIGCONT');
    await closed(order);
    const { snapshot, open } = await world.budget(order.run);
    expect(open).toEqual([]);
    expect(snapshot.physical).toMatchObject({ used: 1, reserved: 0, unknown: 0 });
    expect(snapshot.usage.inputTokens).toBeGreaterThan(0);
    expect(await kindsOf(order)).toEqual([
      ...['1 ReviewStarted', '1 ReviewRequested', '1 ReviewAnswered', '1 VerdictGiven', '2 ReviewClosed'],
    ]);
  }, 40_000);

  it('V2: publication away: the review waits for it, and fails with a code at its deadline', async () => {
    const [late, patient] = [await world.openRun(), await world.openRun()];
    world.publication.kill('SIGSTOP');
    try {
      const order = world.order(late, { deadlineMs: 2_500 });
      await world.dispatch(order);
      const other = world.order(patient);
      await world.dispatch(other);
      expect(await world.verdictOf(order)).toMatchObject({ outcome: 'failed', code: 'publication_unavailable' });
      expect(await world.requests(order)).toEqual([]);
      expect((await world.budget(late)).snapshot.physical).toMatchObject({ used: 0, reserved: 0, unknown: 0 });
      world.publication.kill('SIGCONT');
      expect(await world.verdictOf(other)).toMatchObject({ outcome: 'ok' });
    } finally {
      world.publication.kill('SIGCONT');
    }
  }, 40_000);
});
