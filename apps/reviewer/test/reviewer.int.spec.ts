import { createHash } from 'node:crypto';
import { budgetContracts } from '@waymark/contracts/budget';
import { publicationContracts } from '@waymark/contracts/publication';
import { reviewerContracts } from '@waymark/contracts/reviewer';
import { createLogger } from '@waymark/telemetry';
import { genesisHash, linkHash } from '@waymark/record';
import type { Service } from '@waymark/service';
import { until } from '@waymark/testing';
import { bootReviewer } from '../src/boot.js';
import { startWorld, type World } from './world.js';

let world: World;
const replicas: Service[] = [];
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

beforeAll(async () => {
  world = await startWorld();
  for (let i = 0; i < 2; i += 1) {
    const logger = createLogger('reviewer', { level: 'silent' });
    const service = await bootReviewer(world.config(), logger, { handleSignals: false });
    if (service) replicas.push(service);
  }
}, 60_000);
afterAll(async () => {
  await Promise.all(replicas.map(async (one) => await one.stop()));
  await world.stop();
}, 30_000);
beforeEach(async () => await world.misbehave());

const review = async (change: Parameters<World['order']>[1] = {}, texts?: readonly string[]) => {
  const order = world.order(await world.openRun(texts), change);
  await world.dispatch(order);
  return { order, verdict: await world.verdictOf(order) };
};
const settled = async (run: string) =>
  await until(
    async () => {
      const { snapshot, open } = await world.budget(run);
      return open.length === 0 && !snapshot.active.running ? snapshot : undefined;
    },
    { what: 'the settlement' },
  );

describe('a review', () => {
  it('V2: gives its verdict into the run’s inbox, once, and changes no text', async () => {
    const order = world.order(await world.openRun());
    const { run, review } = order;
    const before = await world.ask(publicationContracts.snapshot, { run });
    await world.dispatch(order);
    const verdict = await world.verdictOf(order);
    expect(verdict).toEqual({
      ...{ review, run, outcome: 'ok', points: [], code: null, reportVersion: before.snapshot.version },
    });
    expect(await world.ask(publicationContracts.snapshot, { run })).toEqual(before);
    const got = await world.ask(reviewerContracts.getReview, { run, review });
    expect(got).toMatchObject({ state: 'done', epoch: 1, verdict });
    await until(async () => (await world.events(run)).at(-1)?.type.endsWith('.ReviewClosed'), {
      what: 'its end',
    });
    expect(world.verdicts.get(`${run}/${review}`)).toHaveLength(1);
  });

  it('V3: the provider gets the whole map, in exactly the bytes that the intent names', async () => {
    const texts = ['North made 40.', 'South made 50.', `East. ${'long '.repeat(3_000)}`];
    const { order } = await review({ hardLimitBytes: 9_000, focus: 'the figures' }, texts);
    const [request, ...more] = await world.requests(order);
    expect(more).toEqual([]);
    const bytes = Buffer.from(request?.bytesBase64 ?? '', 'base64');
    expect(bytes.length).toBeLessThanOrEqual(9_000);
    const [, user] = (JSON.parse(bytes.toString('utf8')) as { messages: { content: string }[] }).messages;
    const shown = JSON.parse(user?.content.split('\n')[2] ?? '') as {
      question: string;
      focus: string;
      report: { blocks: { block: string; title: string; bytes: number; text: string }[] };
    };
    expect([shown.question, shown.focus]).toEqual([order.question, 'the figures']);
    expect(shown.report.blocks.map((one) => [one.block, one.title, one.bytes])).toEqual(
      texts.map((text, i) => [`block-${i}`, `Block ${i}`, Buffer.byteLength(text)]),
    );
    expect(shown.report.blocks.slice(0, 2).map(({ text }) => text)).toEqual(texts.slice(0, 2));
    const intent = (await world.events(order.run)).find(({ type }) => type.endsWith('.ReviewRequested'));
    expect(intent?.data).toMatchObject({ request: 1, digest: request?.sha256, bytes: bytes.length });
    const digest = sha256(bytes);
    const stored = await world.sql<{ body: Buffer }>('SELECT body FROM review_body WHERE digest = $1', [digest]);
    expect(stored[0]?.body.equals(bytes)).toBe(true);
  });

  it('B2, B13: is reserved by its own holder and settled with the usage that was reported', async () => {
    const { order } = await review();
    const snapshot = await settled(order.run);
    expect(snapshot.purposes).toEqual({ explore: 0, finish: 0, summarize: 0, review: 1 });
    expect(snapshot.physical).toMatchObject({ used: 1, reserved: 0, unknown: 0 });
    expect(snapshot.usage.inputTokens).toBeGreaterThan(0);
    expect(snapshot.active.usedMs).toBeGreaterThan(0);
    const { events } = await world.ask(budgetContracts.listEvents, { run: order.run });
    const granted = events.find(({ type }) => type.endsWith('.ReservationGranted'));
    expect(granted?.data).toMatchObject({ holder: `review:${order.review}`, key: `review:${order.review}/1/1` });
  });

  it('L3: its record is chained without a gap, and its events count within the run', async () => {
    const { order } = await review();
    const second = world.order(order.run, { review: `${order.run}.2` });
    await world.dispatch(second);
    await world.verdictOf(second);
    const id = `${order.run}/${order.review}`;
    const rows = await until(
      async () => {
        const all = await world.sql<{ seq: number; epoch: number; kind: string; body: Buffer; hash: Buffer }>(
          'SELECT seq, epoch, kind, body, hash FROM review_record WHERE id = $1 ORDER BY seq',
          [id],
        );
        return all.length === 5 ? all : undefined;
      },
      { what: 'the whole record' },
    );
    expect(rows.map(({ kind }) => kind)).toEqual([
      ...['ReviewStarted', 'ReviewRequested', 'ReviewAnswered', 'VerdictGiven', 'ReviewClosed'],
    ]);
    let head: Uint8Array = genesisHash(sha256, id);
    for (const [i, row] of rows.entries()) {
      expect(row.seq).toBe(i + 1);
      head = linkHash(sha256, head, row);
      expect(row.hash.equals(head)).toBe(true);
    }
    const events = await until(
      async () => {
        const all = await world.events(order.run);
        return all.length === 10 ? all : undefined;
      },
      { what: 'the events of both' },
    );
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const page = await world.ask(reviewerContracts.listEvents, { run: order.run, after: 7, limit: 2 });
    expect([page.events.map(({ seq }) => seq), page.next]).toEqual([[8, 9], 9]);
  });

  it('L2: many orders on two replicas, each delivered twice, are one review each', async () => {
    const orders = await Promise.all(Array.from({ length: 12 }, async () => world.order(await world.openRun())));
    await Promise.all([...orders, ...orders].map(async (order) => await world.dispatch(order)));
    for (const order of orders) {
      expect((await world.verdictOf(order)).outcome).toBe('ok');
      expect(await world.requests(order)).toHaveLength(1);
    }
    for (const { run, review } of orders) expect(world.verdicts.get(`${run}/${review}`)).toHaveLength(1);
  });
});

describe('what goes wrong', () => {
  it('B14: a 500 is retried once, reserved anew; both requests are charged', async () => {
    await world.misbehave({ fault: 'status', status: 500, times: 1 });
    const { order, verdict } = await review();
    expect(verdict.outcome).toBe('ok');
    expect((await world.requests(order)).map(({ id }) => id)).toEqual([`${order.review}/1/1`, `${order.review}/1/2`]);
    expect((await settled(order.run)).physical).toMatchObject({ used: 2, unknown: 0 });
  });

  it.each([
    [{ fault: 'status', status: 401, code: 'invalid_api_key' }, 'provider_auth', 1],
    [{ fault: 'status', status: 400, code: 'unsupported_value' }, 'provider_rejected', 1],
    [{ fault: 'status', status: 429, retryAfter: 31 }, 'rate_limited', 1],
    [{ fault: 'status', status: 500 }, 'provider_unavailable', 2],
    [{ fault: 'garbage', form: 'html' }, 'garbage', 2],
    [{ fault: 'cut', chunks: 1 }, 'stream_cut', 2],
    [{ fault: 'empty' }, 'empty_answer', 1],
    [{ fault: 'length' }, 'answer_cut', 1],
  ])('V2: with %j the verdict is failed with %s after %d', async (fault, code, requests) => {
    await world.misbehave({ ...fault, match: { purpose: 'review' } });
    const { order, verdict } = await review();
    expect(verdict).toMatchObject({ outcome: 'failed', points: [], code });
    expect(await world.requests(order)).toHaveLength(requests);
    expect((await settled(order.run)).physical).toMatchObject({ reserved: 0 });
  });

  it('C18: a "too long" is believed once: the texts are cut to three quarters', async () => {
    const { order, verdict } = await review({}, ['x'.repeat(30_000), 'y'.repeat(30_000), 'z'.repeat(8_000)]);
    expect(verdict.outcome).toBe('ok');
    const sizes = (await world.requests(order)).map(
      ({ bytesBase64 = '' }) => Buffer.from(bytesBase64, 'base64').length,
    );
    expect(sizes).toHaveLength(2);
    expect(sizes[0]).toBeGreaterThan(60_000);
    expect(sizes[1]).toBeLessThanOrEqual(Math.floor((sizes[0] ?? 0) * 0.75));
  });

  it('B10, B4: a refusal by budget is the verdict’s code, and nothing is sent', async () => {
    const run = await world.openRun(undefined, { physicalRequests: 7, finishReserve: 6, finishRequests: 2 });
    const order = world.order(run);
    await world.dispatch(order);
    expect(await world.verdictOf(order)).toMatchObject({ outcome: 'failed', code: 'main_request_kept' });
    expect(await world.requests(order)).toEqual([]);
  });

  it('B15: a closed budget lets no review start', async () => {
    const run = await world.openRun();
    await world.ask(budgetContracts.close, { run, epoch: 1, reason: 'stopped' });
    const order = world.order(run);
    await world.dispatch(order);
    expect(await world.verdictOf(order)).toMatchObject({ outcome: 'failed', code: 'closed' });
    expect(await world.requests(order)).toEqual([]);
  });

  it('V2: a review of a run that nobody opened fails with a code', async () => {
    const order = world.order('01900000-0000-7000-8000-00000000abcd');
    await world.dispatch(order);
    expect(await world.verdictOf(order)).toMatchObject({ outcome: 'failed', code: 'unknown_run' });
  });

  it('T1, V2: the deadline counts from the dispatch and cuts what is under way', async () => {
    await world.misbehave({ fault: 'stall', match: { purpose: 'review' } });
    const { order, verdict } = await review({ deadlineMs: 1_200 });
    expect(verdict).toMatchObject({ outcome: 'failed', code: 'review_deadline' });
    expect((await settled(order.run)).physical).toMatchObject({ unknown: 1, used: 0 });
    const late = world.order(await world.openRun(), { deadlineMs: 0 });
    await world.dispatch(late);
    expect(await world.verdictOf(late)).toMatchObject({ outcome: 'failed', code: 'review_deadline' });
    expect(await world.requests(late)).toEqual([]);
  });

  it('L4, L6: a stop cuts what is under way; the intent was durable before; what was sent is charged', async () => {
    await world.misbehave({ fault: 'stall', match: { purpose: 'review' } });
    const order = world.order(await world.openRun());
    await world.dispatch(order);
    await until(async () => (await world.requests(order)).length === 1, { what: 'the request to arrive' });
    expect((await world.events(order.run)).at(-1)?.type).toBe('waymark.reviewer.fact.v1.ReviewRequested');
    const { run, review } = order;
    expect(await world.ask(reviewerContracts.getReview, { run, review })).toMatchObject({ state: 'running' });
    expect(await world.ask(reviewerContracts.stopReviews, { run })).toEqual({ stopped: 1 });
    expect(await world.verdictOf(order)).toMatchObject({ outcome: 'failed', code: 'stopped' });
    expect(await world.ask(reviewerContracts.getReview, { run, review })).toMatchObject({ state: 'stopped' });
    expect((await settled(run)).physical).toMatchObject({ unknown: 1, used: 0 });
    await until(async () => (await world.requests(order))[0]?.disconnected, { what: 'the connection to be cut' });
    expect(await world.ask(reviewerContracts.stopReviews, { run })).toEqual({ stopped: 0 });
  });

  it('an order that cannot be read is dropped, and the next one is served', async () => {
    const good = world.order(await world.openRun());
    await world.dispatch({ ...good, review: `${good.run}.9`, hardLimitBytes: -1 });
    await world.dispatch(good);
    expect((await world.verdictOf(good)).outcome).toBe('ok');
  });
});

describe('on the wire, with the bare client', () => {
  const ask = async (subject: string, body: string): Promise<Record<string, unknown>> =>
    (await world.bus.nc.request(subject, body, { timeout: 5_000 })).json();

  it.each([
    ['{"run":', 'malformed_json', undefined],
    ['{"review":"x"}', 'missing_field', 'run'],
    ['{"run":"01900000-0000-7000-8000-000000000000","review":"x","more":1}', 'unknown_field', 'more'],
    ['{"run":"nobody","review":"x"}', 'invalid_field', 'run'],
    ['{"run":"01900000-0000-7000-8000-000000000000","review":"x"}', 'unknown_review', 'review'],
  ])('%s gets %s', async (body, code, field) => {
    const reply = await ask('waymark.reviewer.v1.get', body);
    expect(reply).toMatchObject({ code, ...(field === undefined ? {} : { field }) });
    expect(reply['remedy']).toEqual(expect.any(String));
  });

  it('a run without reviews has no events and nothing to stop', async () => {
    const run = '{"run":"01900000-0000-7000-8000-000000000000"}';
    expect(await ask('waymark.reviewer.v1.list-events', run)).toEqual({ events: [], next: null });
    expect(await ask('waymark.reviewer.v1.stop', run)).toEqual({ stopped: 0 });
  });
});
