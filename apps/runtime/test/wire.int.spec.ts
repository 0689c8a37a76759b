/**
 * The public messages as any program meets them: the bare NATS client and JSON, nothing of ours between it and the
 * services. Every wrong request gets a coded answer with a remedy, and every run can be followed from any sequence.
 */
import { createHash } from 'node:crypto';
import { connect, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { until } from '@waymark/testing';
import { WholeSystem } from './whole-system.js';

const RUNTIME = 'waymark.runtime.v1';
const REPORT = 'waymark.publication.v1.report';
const NOBODY = '01890000-0000-7000-8000-000000000000';
const CALL_MS = 5_000;

type Json = Record<string, unknown>;
interface Event {
  readonly owner: string;
  readonly run: string;
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly data: Json;
}

let whole: WholeSystem;
let nc: NatsConnection;
let listening: Subscription;
const heard: Event[] = [];
let keys = 0;

beforeAll(async () => {
  whole = await WholeSystem.start();
  nc = await connect({ ...whole.stack.nats.access(), noAsyncTraces: true }); // internal subjects too
  listening = nc.subscribe('waymark.facts.v1.>', {
    callback: (_error, msg) => void heard.push(JSON.parse(msg.string()) as Event),
  });
}, 120_000);

afterAll(async () => {
  listening?.unsubscribe();
  await nc?.close();
  await whole?.stop();
}, 30_000);

/** One request as raw bytes or as JSON; `error` is the header that marks a coded answer. */
async function call(subject: string, request: unknown): Promise<{ readonly error: string; readonly body: Json }> {
  const bytes = request instanceof Uint8Array ? request : new TextEncoder().encode(JSON.stringify(request));
  const reply = await nc.request(subject, bytes, { timeout: CALL_MS });
  return { error: reply.headers?.get('Nats-Service-Error') ?? '', body: JSON.parse(reply.string()) as Json };
}

async function ok(subject: string, request: unknown): Promise<Json> {
  const { error, body } = await call(subject, request);
  if (error !== '') throw new Error(`${subject}: ${JSON.stringify(body)}`);
  return body;
}

const order = (more: Json = {}): Json => {
  keys += 1;
  const overrides = { review: false };
  return { key: `wire-${keys}`, question: whole.corpus.question, corpus: 'c', policy: 'teaching', overrides, ...more };
};

const startRun = async (more: Json = {}): Promise<string> => String((await ok(`${RUNTIME}.start`, order(more)))['run']);
const viewOf = async (run: string): Promise<Json> => (await ok(`${RUNTIME}.get`, { run }))['run'] as Json;

async function ended(run: string): Promise<Json> {
  await until(async () => (await viewOf(run))['state'] === 'ended', { what: `run ${run} to end`, timeoutMs: 30_000 });
  return await viewOf(run);
}

describe('start, get, list', () => {
  it('L1: a start gives a run and the whole policy that it will keep; its end has one outcome, code and reason', async () => {
    const started = await ok(`${RUNTIME}.start`, order({ overrides: { review: false, exploreRequests: 30 } }));
    expect(started).toMatchObject({ created: true, state: 'queued', policy: { limits: { exploreRequests: 30 } } });
    const run = String(started['run']);
    const view = await ended(run);
    expect(view).toMatchObject({ run, phase: 'ended', outcome: 'completed', code: 'finished', policy: 'teaching' });
    expect(view['reason']).toEqual(expect.stringMatching(/\w/));
    expect(view['question']).toBe(whole.corpus.question);
    expect(Date.parse(String(view['endedAt']))).toBeGreaterThanOrEqual(Date.parse(String(view['admittedAt'])));
  });

  it('L1: the same key is the same run, also for five callers at once; another request under it is refused', async () => {
    const same = order();
    const replies = await Promise.all(Array.from({ length: 5 }, async () => await ok(`${RUNTIME}.start`, same)));
    expect(new Set(replies.map((r) => r['run'])).size).toBe(1);
    expect(replies.filter((r) => r['created'] === true)).toHaveLength(1);
    const other = await call(`${RUNTIME}.start`, { ...same, question: 'Something else?' });
    expect(other).toMatchObject({ error: 'key_reused', body: { code: 'key_reused', field: 'key' } });
    await ended(String(replies[0]?.['run']));
    expect(await ok(`${RUNTIME}.start`, same)).toMatchObject({ created: false, state: 'ended' });
  });

  it('lists runs newest first by a cursor, each once, and by state', async () => {
    const runs: string[] = [];
    for (let i = 0; i < 5; i += 1) runs.push(await startRun());
    const listed: string[] = [];
    for (let cursor: unknown = undefined, pages = 0; ; pages += 1) {
      const page = await ok(`${RUNTIME}.list`, cursor === undefined ? { limit: 2 } : { limit: 2, cursor });
      const rows = page['runs'] as Json[];
      expect(rows.length).toBeLessThanOrEqual(2);
      listed.push(...rows.map((r) => String(r['run'])));
      cursor = page['next'];
      if (cursor === null) break;
      if (pages > 50) throw new Error('the list has no end');
    }
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.slice(0, 5)).toEqual([...runs].reverse());
    for (const run of runs) await ended(run);
    const done = (await ok(`${RUNTIME}.list`, { state: 'ended', limit: 200 }))['runs'] as Json[];
    expect(done.map((r) => r['run'])).toEqual(expect.arrayContaining(runs));
    expect((await ok(`${RUNTIME}.list`, { state: 'parked' }))['runs']).toEqual([]);
  });
});

describe('cancel, report, explain', () => {
  it('L6: a stop is acknowledged, ends the run as cancelled, and a later one says that it has ended', async () => {
    await whole.latency(400);
    const run = await startRun();
    await until(async () => Number((await viewOf(run))['requests']) >= 1, { what: 'a request', timeoutMs: 20_000 });
    const stopped = await ok(`${RUNTIME}.cancel`, { run, reason: 'enough' });
    expect(stopped).toMatchObject({ outcome: 'cancelling', run: { run } });
    await whole.latency(0);
    expect(await ended(run)).toMatchObject({ outcome: 'cancelled', code: 'cancelled' });
    expect(await ok(`${RUNTIME}.cancel`, { run })).toMatchObject({ outcome: 'already_ended' });
    const { report } = await ok(REPORT, { run });
    expect(report).toMatchObject({ state: 'closed', outcome: 'cancelled' });
  });

  it('P7: the report comes as JSON, Markdown and a page; a reader sees what the run found', async () => {
    const run = await startRun();
    await ended(run);
    const { report, rendered } = await ok(REPORT, { run, format: 'markdown' });
    expect(report).toMatchObject({ run, state: 'closed', outcome: 'completed', code: 'finished' });
    const figures = whole.corpus.answers.figures.map((f) => String(f.value));
    expect(figures.filter((value) => !String(rendered).includes(value))).toEqual([]);
    expect(String((await ok(REPORT, { run, format: 'html' }))['rendered'])).toMatch(/^<!doctype html>/i);
    expect((await ok(REPORT, { run }))['rendered']).toBeNull();
  });

  it('E1: the explanation names bytes by part, limits and deadlines of each request that arrived', async () => {
    const run = await startRun();
    await ended(run);
    const explained: Json[] = [];
    for (let after = 0; ;) {
      const page = await ok(`${RUNTIME}.explain`, { run, after, limit: 4 });
      expect(page).toMatchObject({ run: { run }, budget: { phase: 'closed' }, publication: { closed: true } });
      explained.push(...(page['requests'] as Json[]));
      if (page['next'] === null) break;
      after = Number(page['next']);
    }
    const arrived = whole.calls(run);
    expect(explained.map((r) => r['request'])).toEqual(arrived.map((_, i) => i + 1));
    for (const [i, request] of explained.entries()) {
      const parts = Object.values(request['parts'] as Record<string, number>);
      const body = Buffer.from(arrived[i]?.body ?? '');
      expect(request).toMatchObject({ bytes: body.length, digest: createHash('sha256').update(body).digest('hex') });
      expect(parts.reduce((a, b) => a + b, 0)).toBe(body.length);
      expect(request['deadlines']).toMatchObject({ bound: 'active', firstContentMs: 60_000, progressMs: 45_000 });
      expect(request['outcome']).toBe('completed');
    }
    const one = (await ok(`${RUNTIME}.explain`, { run, request: 3 }))['requests'] as Json[];
    expect(one).toEqual([explained[2]]);
    const beyond = await call(`${RUNTIME}.explain`, { run, request: explained.length + 1 });
    expect(beyond).toMatchObject({ error: 'unknown_request', body: { field: 'request' } });
  });

  it('E3: anybody can check the record: hashes follow each other and bodies hash to their digests', async () => {
    const run = await startRun();
    const { seq } = await ended(run);
    const rows: Json[] = [];
    for (let after = 0; ;) {
      const page = await ok(`${RUNTIME}.read-record`, { run, after, limit: 9 });
      rows.push(...(page['rows'] as Json[]));
      if (page['next'] === null) break;
      after = Number(page['next']);
    }
    expect(rows.map((r) => r['seq'])).toEqual(Array.from({ length: Number(seq) }, (_, i) => i + 1));
    expect(new Set(rows.map((r) => r['hash'])).size).toBe(rows.length);
    const first = JSON.parse(Buffer.from(String(rows[0]?.['body']), 'base64').toString('utf8')) as {
      question: { digest: string; bytes: number };
    };
    const { body, size } = await ok(`${RUNTIME}.read-body`, { run, digest: first.question.digest });
    const bytes = Buffer.from(String(body), 'base64');
    expect(bytes.toString('utf8')).toBe(whole.corpus.question);
    expect(size).toBe(first.question.bytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(first.question.digest);
    const unknown = await call(`${RUNTIME}.read-body`, { run, digest: 'f'.repeat(64) });
    expect(unknown).toMatchObject({ error: 'unknown_body', body: { field: 'digest' } });
  });
});

describe('events', () => {
  const OWNERS = ['runtime', 'budget', 'publication', 'reviewer'] as const;

  async function listed(owner: string, run: string, after: number, limit: number): Promise<Event[]> {
    const events: Event[] = [];
    for (;;) {
      const page = await ok(`waymark.${owner}.v1.list-events`, { run, after, limit });
      events.push(...(page['events'] as unknown as Event[]));
      if (page['next'] === null) return events;
      after = Number(page['next']);
    }
  }

  it('L14: a viewer hears (owner, run, sequence) without gap, in order, and reads the same from any cursor', async () => {
    const run = await startRun({ overrides: { review: true, reviewEveryExploreRequests: 2 } });
    await ended(run);
    for (const owner of OWNERS) {
      const all = await listed(owner, run, 0, 500);
      expect(all.length).toBeGreaterThan(0);
      const live = () => heard.filter((e) => e.run === run && e.owner === owner);
      await until(() => live().length >= all.length, { what: `${all.length} events of ${owner}`, timeoutMs: 10_000 });
      expect(live().map((e) => e.seq)).toEqual(all.map((_, i) => i + 1));
      expect(live()).toEqual(all);
      for (const e of all) expect(e).toMatchObject({ owner, run, type: `waymark.${owner}.fact.v1.${lastOf(e.type)}` });
      const middle = Math.floor(all.length / 2);
      expect(await listed(owner, run, middle, 7)).toEqual(all.slice(middle));
    }
    const { seq } = await viewOf(run);
    expect(heard.filter((e) => e.run === run && e.owner === 'runtime').at(-1)?.seq).toBe(seq);
    expect(await ok(`${RUNTIME}.list-events`, { run, after: seq })).toEqual({ events: [], next: null });
  });

  it('L14, F-T6: a viewer that drops in mid-run misses nothing and starts nothing', async () => {
    await whole.latency(60);
    const run = await startRun();
    const seen: number[] = [];
    const feed = nc.subscribe(`waymark.facts.v1.runtime.${run}.>`, {
      callback: (_error, msg) => void seen.push((JSON.parse(msg.string()) as Event).seq),
    });
    await until(() => seen.length >= 3, { what: 'three events', timeoutMs: 20_000 });
    feed.unsubscribe();
    const last = Math.max(...seen);
    await ended(run);
    await whole.latency(0);
    const rest = await listed('runtime', run, last, 500);
    expect(rest[0]?.seq).toBe(last + 1);
    expect(rest.at(-1)?.type).toBe('waymark.runtime.fact.v1.RunEnded');
    expect(whole.calls(run).map((c) => c.id)).toEqual(whole.calls(run).map((_, i) => `${run}/${i + 1}`));
  });
});

describe('wrong requests', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const known: Record<string, () => Json> = {
    [`${RUNTIME}.start`]: () => order(),
    [`${RUNTIME}.get`]: () => ({ run: NOBODY }),
    [`${RUNTIME}.list`]: () => ({}),
    [`${RUNTIME}.cancel`]: () => ({ run: NOBODY }),
    [`${RUNTIME}.explain`]: () => ({ run: NOBODY }),
    [`${RUNTIME}.read-record`]: () => ({ run: NOBODY }),
    [`${RUNTIME}.read-body`]: () => ({ run: NOBODY, digest: 'f'.repeat(64) }),
    [`${RUNTIME}.list-events`]: () => ({ run: NOBODY }),
    [REPORT]: () => ({ run: NOBODY }),
  };
  const wrongType: Record<string, readonly [field: string, value: unknown]> = {
    [`${RUNTIME}.start`]: ['question', 7],
    [`${RUNTIME}.get`]: ['run', 'not-a-run'],
    [`${RUNTIME}.list`]: ['limit', 'many'],
    [`${RUNTIME}.cancel`]: ['reason', 5],
    [`${RUNTIME}.explain`]: ['request', 0],
    [`${RUNTIME}.read-record`]: ['after', -1],
    [`${RUNTIME}.read-body`]: ['offset', 'x'],
    [`${RUNTIME}.list-events`]: ['limit', 1_000_000],
    [REPORT]: ['format', 'docx'],
  };
  const subjects = Object.keys(known);

  async function refused(subject: string, request: unknown, code: string, field?: string): Promise<void> {
    const { error, body } = await call(subject, request);
    expect({ error, body }).toMatchObject({ error: code, body: { code } });
    expect(body['message']).toEqual(expect.stringMatching(/\w/));
    expect(body['remedy']).toEqual(expect.stringMatching(/\w/));
    if (field !== undefined) expect(body['field']).toBe(field);
  }

  it.each(subjects)('%s: an unknown field is named, never ignored', async (subject) => {
    await refused(subject, { ...known[subject]?.(), surprise: 1 }, 'unknown_field', 'surprise');
  });

  it.each(subjects)('%s: a wrong type is named with its field', async (subject) => {
    const [field, value] = wrongType[subject] ?? ['', null];
    await refused(subject, { ...known[subject]?.(), [field]: value }, 'invalid_field', field);
  });

  it.each(subjects)(
    '%s: malformed, empty and oversized bodies and what is no object are told apart',
    async (subject) => {
      await refused(subject, bytes('{"run": '), 'malformed_json');
      await refused(subject, new Uint8Array(), 'malformed_json');
      await refused(subject, new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 'malformed_json');
      await refused(subject, bytes('[1]'), 'invalid_field');
      await refused(subject, bytes(`{"key":"${'x'.repeat(600 * 1024)}"}`), 'body_too_large');
    },
  );

  it.each(subjects.filter((s) => !s.endsWith('.list')))('%s: a missing field is named', async (subject) => {
    const [first] = Object.keys(known[subject]?.() ?? {});
    const { [first ?? '']: _left, ...rest } = known[subject]?.() ?? {};
    await refused(subject, rest, 'missing_field', first);
  });

  it.each(subjects.filter((s) => !/\.(list|start)$/.test(s)))('%s: an unknown run is named', async (subject) => {
    await refused(subject, known[subject]?.(), 'unknown_run', 'run');
  });

  it('a start that cannot be right says which field and what to do', async () => {
    const startOf = (more: Json) => ({ ...order(), ...more });
    const subject = `${RUNTIME}.start`;
    await refused(subject, startOf({ question: ' \n ' }), 'empty_question', 'question');
    await refused(subject, startOf({ question: 'why? '.repeat(40 * 1024) }), 'question_too_large', 'question');
    await refused(subject, startOf({ policy: 'lavish' }), 'unknown_policy', 'policy');
    await refused(subject, startOf({ overrides: { wallMs: 59_999 } }), 'limit_too_short', 'wallMs');
    await refused(subject, startOf({ overrides: { surprise: 1 } }), 'unknown_field', 'overrides.surprise');
    await refused(subject, startOf({ overrides: { finishReserve: 1 } }), 'reserve_too_small', 'finishReserve');
    await refused(subject, startOf({ language: 'de' }), 'invalid_field', 'language');
  });

  it('B7: limits that no owner could keep are refused with the field and the maximum', async () => {
    for (const [field, most] of [
      ['exploreRequests', 1_000_000],
      ['wallMs', 1_209_600_000],
      ['revisionsPerRun', 1_000_000],
    ] as const) {
      const { error, body } = await call(`${RUNTIME}.start`, order({ overrides: { [field]: 2 ** 53 - 1 } }));
      expect([error, body['field'], body['remedy']]).toEqual([
        'invalid_field',
        `overrides.${field}`,
        `expected at most ${most}`,
      ]);
    }
  });

  it('a corpus that sources does not know is refused, and a start that was taken stays taken', async () => {
    await refused(`${RUNTIME}.start`, order({ corpus: 'no-such-corpus' }), 'unknown_corpus', 'corpus');
    const taken = order();
    const { run } = await ok(`${RUNTIME}.start`, taken);
    await refused(`${RUNTIME}.start`, { ...taken, corpus: 'no-such-corpus' }, 'key_reused', 'key');
    await ended(String(run));
  });

  it('text and numbers that no owner could keep are named, never a failure of the service', async () => {
    const run = NOBODY;
    for (const owner of ['runtime', 'budget', 'publication', 'reviewer'])
      await refused(`waymark.${owner}.v1.list-events`, { run, after: 2 ** 31 }, 'invalid_field', 'after');
    await refused(`${RUNTIME}.read-record`, { run, after: 2 ** 53 - 1 }, 'invalid_field', 'after');
    await refused('waymark.publication.v1.shown', { run, after: 2 ** 31 }, 'invalid_field', 'after');
    await refused(
      'waymark.publication.v1.block-history',
      { run, block: 'a', after: 2 ** 31 },
      'invalid_field',
      'after',
    );
    const note = { run, epoch: 2 ** 31, key: 'k', text: 't' };
    await refused('waymark.publication.v1.note-progress', note, 'invalid_field', 'epoch');
    await refused(`${RUNTIME}.start`, order({ model: '\ud800' }), 'invalid_field', 'model');
    const object = { name: '汉', size: 1, digest: 'a'.repeat(64) };
    const document = { corpus: 'c', name: 'a.txt', object };
    await refused('waymark.sources.v1.add-document', document, 'invalid_field', 'object.name');
  });

  it('C17: a question that leaves no room for the floor is refused at the start', async () => {
    const question = 'What is the fee of each fund? '.repeat(700);
    const small = { ...order(), question, overrides: { hardLimitBytes: 24 * 1024 } };
    await refused(`${RUNTIME}.start`, small, 'question_too_large', 'question');
  });
});

it('the invariants hold over all runs', async () => {
  expect(await whole.violations()).toEqual([]);
});

const lastOf = (type: string): string => type.slice(type.lastIndexOf('.') + 1);
