/**
 * Reviews with a real reviewer: candidate, admission, dispatch and verdict are four records, paid by the run, and nothing
 * of them changes a text or keeps the run waiting (V1–V3, R11).
 */
import { listEvents as listPublicationEvents } from '@waymark/contracts/publication';
import { until } from '@waymark/testing';
import pg from 'pg';
import { verdictsAreKnown } from './verdict-gate.js';
import { messagesIn, WholeSystem } from './whole-system.js';

let whole: WholeSystem;
let database: pg.Pool;
/** A review point at the third explore request: the first is due as soon as a block stands. */
const OFTEN = { review: true, reviewEveryExploreRequests: 3 } as const;
const hanging = { fault: 'stall', match: { purpose: 'review' } };

/** Longer than any review of these tests takes. */
const PATIENCE_MS = 60_000;

beforeAll(async () => {
  whole = await WholeSystem.start();
  database = new pg.Pool({ connectionString: whole.stack.databases.runtime, max: 4 });
}, 180_000);

afterEach(async () => {
  whole.gateway.release();
  await whole.faults([]);
  await whole.latency(0);
});

afterAll(async () => {
  await database?.end();
  await whole?.stop();
}, 30_000);

const reviewsIn = (run: string) => whole.calls(run).filter((c) => c.purpose === 'review');
const isAbout = (type: string) => /Review|Verdict/.test(type);

async function completedRun(overrides: object = OFTEN): Promise<string> {
  const run = await whole.begin(overrides);
  expect((await whole.ended(run)).outcome).toBe('completed');
  return run;
}

/** A run whose every verdict finds its next request. */
async function heardRun(overrides: object = OFTEN): Promise<string> {
  whole.gateway.ready = async (id) => await verdictsAreKnown(database, id.split('/')[0] ?? '', PATIENCE_MS);
  return await completedRun({
    ...overrides,
    firstContentMs: PATIENCE_MS,
    progressMs: PATIENCE_MS,
    reviewMs: PATIENCE_MS,
  });
}

/** Of a model that takes its time, when no verdict comes. */
async function slowRun(overrides: object = OFTEN): Promise<string> {
  await whole.latency(120);
  return await completedRun(overrides);
}

it('V1, R11: a candidate, its admission, its dispatch and its verdict are records of their own', async () => {
  const run = await heardRun();
  const facts = (await whole.facts(run)).filter((f) => isAbout(f.type));
  expect(facts.slice(0, 3)).toMatchObject([
    { type: 'ReviewRaised', candidate: 1, reason: 'explore_requests', limit: 3 },
    { type: 'ReviewDispatched', candidate: 1, review: `${run}.1` },
    { type: 'VerdictHeard', review: `${run}.1`, outcome: 'revise', code: null },
  ]);
  // The reminder that advises to look back neither starts a review nor is it one.
  const advised = (await whole.requests(run)).filter((r) =>
    r.notices.some((n) => n.type === 'work-review' && n.fate === 'submitted'),
  );
  expect(advised[0]?.request).toBe(3);
  expect(reviewsIn(run)[0]?.id).toBe(`${run}.1/1/1`);
});

it('V2: the verdict stands as advice in the bytes of every later request, and in none before', async () => {
  const run = await heardRun();
  const facts = await whole.facts(run);
  const heard = facts.findIndex((f) => f.type === 'VerdictHeard');
  const after = facts.slice(heard).flatMap((f) => (f.type === 'RequestIntended' ? [f.request] : []));
  expect(after.length).toBeGreaterThan(0);
  for (const call of whole.calls(run).filter((c) => c.purpose === 'explore')) {
    const advice = messagesIn(call.body).filter((m) => m.content.startsWith('[Review advice]'));
    const request = Number(call.id.split('/')[1]);
    expect(advice).toHaveLength(after.includes(request) ? 1 : 0);
    for (const { content } of advice) expect(content).toMatch(/points of advice|提出/);
  }
  const explained = (await whole.requests(run)).filter((r) => after.includes(r.request));
  for (const r of explained) expect(r.parts.advice).toBeGreaterThan(0);
});

it('V2: a verdict changes no text by itself: every version of a block is a write that the model asked for', async () => {
  const run = await heardRun();
  const writes = (await whole.factsOf(run, 'ActionSettled')).filter(
    (f) => f.outcome === 'ok' && f.effect?.kind === 'block',
  );
  const { events } = await whole.ask(listPublicationEvents, { run, limit: 500 });
  const written = events.filter((e) => /Block(Written|Published|Corrected|Revised)/.test(e.type));
  expect(written).toHaveLength(writes.length);
});

it('V1: a review is a request of its own purpose on the run’s budget', async () => {
  const run = await heardRun();
  await until(async () => (await whole.budget(run)).physical.reserved === 0, { what: 'reviews to be settled' });
  const { purposes, physical, explore } = await whole.budget(run);
  const reviews = reviewsIn(run).length;
  expect(reviews).toBeGreaterThan(0);
  expect(purposes.review).toBe(reviews);
  expect(physical.used + physical.unknown).toBe(explore.used + explore.unknown + purposes.review);
  expect(whole.calls(run)).toHaveLength((await whole.requests(run)).length + reviews);
});

it('V3: the reviewer gets the whole report’s map and the question, marked as data', async () => {
  const run = await heardRun();
  const [first] = reviewsIn(run);
  const { report } = await whole.report(run);
  const writes = (await whole.facts(run)).flatMap((f) => (f.type === 'ReviewDispatched' ? [f] : []));
  expect(writes.length).toBeGreaterThan(0);
  const [system, material] = messagesIn(first?.body ?? '{}');
  expect(system?.role).toBe('system');
  expect(system?.content).toMatch(/data|material|材料|资料/i);
  expect(material?.content).toContain(JSON.stringify(whole.corpus.question).slice(1, 60));
  // Of the blocks that stood then; the last review has seen all of them.
  const shown = report.blocks.filter((b) => material?.content.includes(`"block":"${b.block}"`));
  expect(shown.length).toBeGreaterThan(0);
  for (const b of shown) expect(material?.content).toContain(`"title":${JSON.stringify(b.title)}`);
});

it('V1: the model’s own request is admitted like any other; a point reached while that review runs is refused', async () => {
  const run = await heardRun();
  const facts = (await whole.facts(run)).filter((f) => isAbout(f.type));
  const asked = facts.findIndex((f) => f.type === 'ReviewDispatched' && f.candidate === null);
  expect(facts.slice(asked, asked + 3)).toMatchObject([
    { type: 'ReviewDispatched', review: `${run}.2` },
    { type: 'ReviewRaised', candidate: 2 },
    { type: 'ReviewDeclined', candidate: 2, code: 'review_running' },
  ]);
  const [receipt] = (await whole.factsOf(run, 'ActionSettled')).filter((f) => f.effect?.kind === 'review');
  expect(receipt).toMatchObject({ outcome: 'ok', effect: { detail: `${run}.2` } });
});

it('V1, P7: a review that hangs is the only one, and a run that ends without its verdict says so', async () => {
  await whole.faults([hanging]);
  const run = await slowRun();
  expect(await whole.factsOf(run, 'ReviewDispatched')).toHaveLength(1);
  expect(reviewsIn(run)).toHaveLength(1);
  const { report } = await whole.report(run);
  expect(report.gaps.join(' ')).toMatch(/gave no verdict|没有给出结论/);
});

it('V2: after its deadline the run goes on without the verdict, and a later review may start', async () => {
  await whole.faults([{ ...hanging, times: 1 }]);
  const isOver = (type: string) => type === 'ReviewOverdue' || type === 'VerdictHeard';
  const reviewMs = 500;
  await whole.latency(2 * reviewMs); // the deadline is over before the next request is made
  const run = await whole.begin({ ...OFTEN, reviewMs });
  await until(async () => (await whole.facts(run)).some((f) => isOver(f.type)), { what: 'the review to be over' });
  await whole.latency(0);
  expect((await whole.ended(run)).outcome).toBe('completed');
  const facts = (await whole.facts(run)).filter((f) => isAbout(f.type)).map((f) => f.type);
  expect(facts.slice(0, 2)).toEqual(['ReviewRaised', 'ReviewDispatched']);
  const over = facts.findIndex(isOver);
  expect(over).toBeGreaterThan(1);
  expect(facts.slice(over)).toContain('ReviewDispatched');
  const late = (await whole.factsOf(run, 'VerdictHeard')).filter((v) => v.review === `${run}.1`);
  for (const v of late) expect(v).toMatchObject({ outcome: 'failed', advice: null });
});

it('V2: without a reviewer the run goes on, says that a verdict is missing, and ends', async () => {
  await whole.kill('reviewer-1');
  const run = await slowRun({ ...OFTEN, reviewMs: 400 });
  expect((await whole.factsOf(run, 'ReviewOverdue')).length).toBeGreaterThan(0);
  expect(await whole.factsOf(run, 'VerdictHeard')).toEqual([]);
  expect(reviewsIn(run)).toEqual([]);
  expect((await whole.budget(run)).purposes.review).toBe(0);
});

it('L6: the order of a review whose run has ended starts no request when the reviewer comes back', async () => {
  const before = whole.calls('').filter((c) => c.purpose === 'review').length;
  await whole.stack.start('reviewer', 'reviewer-2');
  const run = await heardRun();
  await until(() => reviewsIn(run).length > 0, { what: 'the reviewer to work again', timeoutMs: 20_000 });
  const others = whole.calls('').filter((c) => c.purpose === 'review' && !c.id.startsWith(run));
  expect(others).toHaveLength(before);
});

it('R11: reviews switched off: no candidate, no advice on reviews, none when the model asks', async () => {
  const run = await slowRun({ review: false });
  expect((await whole.facts(run)).filter((f) => isAbout(f.type))).toEqual([]);
  const types = (await whole.requests(run)).flatMap((r) => r.notices.map((n) => n.type));
  expect(types).not.toContain('work-review');
});

it('the invariants hold over all runs', async () => {
  expect(await whole.violations()).toEqual([]);
}, 60_000);
