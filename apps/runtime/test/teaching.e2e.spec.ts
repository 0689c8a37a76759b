/**
 * The teaching corpus, and three more that seeds tell: by the documents and the policy alone each run meets every mechanism
 * and comes to a right report. Proven from the record, the events, the explanation and what the provider got.
 */
import { getReport, listEvents as listPublicationEvents, type Report } from '@waymark/contracts/publication';
import { start, type ExplainedRequest } from '@waymark/contracts/runtime';
import { describeCorpus, listDocuments, MAX_READ_BYTES, readRange } from '@waymark/contracts/sources';
import type { RecordFact } from '@waymark/record';
import { demoCorpus, teachingCorpus, type Corpus } from '@waymark/testing/corpus';
import pg from 'pg';
import { firstSection, groundsOutOfReach, marksOf } from './page-clicks.js';
import { verdictsAreKnown } from './verdict-gate.js';
import { wrongFigures } from './told-figures.js';
import { messagesIn, toolsIn, WholeSystem, type FactOf, type ModelCall } from './whole-system.js';

const MINUTE = 60_000;
const RUN_MS = 8 * MINUTE;
const KIB = 1024;

interface Ran {
  readonly corpus: Corpus;
  readonly run: string;
  readonly facts: readonly RecordFact[];
  readonly requests: readonly ExplainedRequest[];
  readonly calls: readonly ModelCall[];
  readonly report: Report;
}

const CORPORA = {
  bundled: demoCorpus,
  'seed 1': () => teachingCorpus(1),
  'seed 2': () => teachingCorpus(2),
  'seed 3': () => teachingCorpus(3),
} as const;
type Name = keyof typeof CORPORA;
const names = Object.keys(CORPORA) as Name[];

/** Nobody waits for anybody in these runs; on a slow machine a request is held for long, and its run must not mind. */
const PATIENT = { firstContentMs: 5 * MINUTE, progressMs: 5 * MINUTE, reviewMs: 5 * MINUTE } as const;

let whole: WholeSystem;
let database: pg.Pool;
const ran = new Map<Name, Ran>();

beforeAll(
  async () => {
    whole = await WholeSystem.start();
    database = new pg.Pool({ connectionString: whole.stack.databases.runtime, max: names.length });
    whole.gateway.ready = async (id) => await verdictsAreKnown(database, id.split('/')[0] ?? '', PATIENT.reviewMs);
    await Promise.all(
      names.map(async (name, i) => {
        const corpus = await CORPORA[name]();
        await whole.upload(`teaching-${i}`, corpus.files);
        const { question, language } = corpus;
        const order = {
          key: name,
          question,
          language,
          corpus: `teaching-${i}`,
          policy: 'teaching',
          overrides: PATIENT,
        } as const;
        const { run } = await whole.ask(start, order);
        await whole.ended(run, RUN_MS);
        const facts = await whole.facts(run);
        const { report } = await whole.report(run);
        ran.set(name, { corpus, run, facts, requests: await whole.requests(run), calls: whole.calls(run), report });
      }),
    );
  },
  RUN_MS + 4 * MINUTE,
);

afterAll(async () => {
  await database?.end();
  await whole?.stop();
}, 30_000);

const of = (name: Name): Ran => {
  const found = ran.get(name);
  if (!found) throw new Error(`${name} did not run`);
  return found;
};
const factsOf = <T extends RecordFact['type']>({ facts }: Ran, type: T): FactOf<T>[] =>
  facts.filter((f): f is FactOf<T> => f.type === type);
const main = ({ calls }: Ran): ModelCall[] => calls.filter((c) => c.purpose === 'explore' || c.purpose === 'finish');
const submitted = ({ requests }: Ran, kind: 'state' | 'advice') =>
  requests.flatMap(({ request, notices }) =>
    notices.filter((n) => n.kind === kind && n.fate === 'submitted').map((n) => ({ request, ...n })),
  );

describe.each(names)('%s', (name) => {
  it('is over 500 KiB of text in at least twelve documents of five kinds, and one of them is damaged', async () => {
    const { corpus } = of(name);
    const described = await whole.ask(describeCorpus, { corpus: `teaching-${names.indexOf(name)}` });
    expect(described).toMatchObject({ documents: corpus.files.length, pending: 0, unreadable: 1 });
    expect(described.ready).toBeGreaterThanOrEqual(12);
    expect(described.bytes).toBeGreaterThan(500 * KIB);
    expect(new Set(corpus.files.map((f) => f.kind))).toEqual(new Set(['pdf', 'html', 'csv', 'md', 'txt']));
  });

  it('a table begins on one page and ends on another, as sources reads them', async () => {
    const corpus = `teaching-${names.indexOf(name)}`;
    const { documents } = await whole.ask(listDocuments, { corpus });
    const { locator, bytes } = documents.find((d) => d.name.startsWith('survey-')) ?? documents[0]!;
    const read = async (start: number, end: number) => await whole.ask(readRange, { corpus, locator, start, end });
    let text = '';
    while (Buffer.byteLength(text) < bytes) {
      const from = Buffer.byteLength(text);
      text += (await read(from, from + MAX_READ_BYTES)).text;
    }
    const tables = [...text.matchAll(/^Survey: /gm)].map(({ index }) => index);
    expect(tables.length).toBeGreaterThan(1);
    const pageAt = async (at: number): Promise<string> => {
      const byte = Buffer.byteLength(text.slice(0, at));
      return (await read(byte, byte + 1)).label;
    };
    // Of the last one nothing says where it ends.
    for (const [i, table] of tables.slice(0, -1).entries()) {
      const rows = [...text.slice(table, tables[i + 1]).matchAll(/^\S.* .*\d$/gm)].map(({ index }) => table + index);
      expect(rows.length).toBeGreaterThan(40);
      const [first, last] = [await pageAt(rows[0]!), await pageAt(rows.at(-1)!)];
      expect(first).toMatch(/^page \d+/);
      expect(last).not.toBe(first);
    }
  });

  it('C3, F-R1: results retire, and one of them is read back where its words are needed again', () => {
    const r = of(name);
    const retired = new Set(factsOf(r, 'ResultsRetired').flatMap((f) => f.items.map((item) => item.action)));
    expect(retired.size).toBeGreaterThan(3);
    const readBack = r.calls
      .flatMap((c) => callsIn(c))
      .filter((c) => c.name === 'read_back')
      .map((c) => String(c.args['locator']).replace('result:', ''));
    expect(readBack.filter((action) => retired.has(action)).length).toBeGreaterThan(0);
    const settled = r.requests.flatMap((q) => q.actions).filter((a) => a.tool === 'read_back');
    expect(settled.length).toBeGreaterThan(0);
    expect(settled.every((a) => a.outcome === 'ok')).toBe(true);
  });

  it('C8, C11: a summary is adopted and stands in the bytes of later requests', () => {
    const r = of(name);
    const [adopted] = factsOf(r, 'SummaryAdopted');
    expect(adopted).toBeDefined();
    const with_ = main(r).filter((c) => messagesIn(c.body).some((m) => m.content.startsWith('[Summary of turns')));
    expect(with_.length).toBeGreaterThan(1);
  });

  it('R4, R8: state lines stand in several requests, and each in the bytes that arrived', () => {
    const r = of(name);
    const lines = submitted(r, 'state');
    const explored = lines.filter((n) => n.type === 'explore-requests').map((n) => n.request);
    expect(new Set(explored).size).toBeGreaterThan(3);
    for (const { request, text } of lines) expect(bytesOf(r, request)).toContain(JSON.stringify(text).slice(1, -1));
  });

  it('R4: advice is submitted once for each key and stage', () => {
    const r = of(name);
    const told = submitted(r, 'advice').filter((n) => n.type === 'explore-requests');
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told.map((n) => n.stage)).size).toBe(told.length);
    for (const { text } of told) {
      expect(r.calls.filter((c) => c.body.includes(JSON.stringify(text).slice(1, -1)))).toHaveLength(1);
    }
  });

  it('R7: a reminder is left out for room and recorded as omitted', () => {
    const r = of(name);
    const omitted = r.requests.flatMap((q) =>
      q.notices.filter((n) => n.fate === 'omitted').map((n) => ({ request: q.request, ...n })),
    );
    expect(omitted.length).toBeGreaterThan(0);
  });

  it('P2: a block is corrected in place, and readers see its current text', () => {
    const r = of(name);
    const corrected = r.report.blocks.filter((b) => b.version > 1);
    expect(corrected.length).toBeGreaterThan(0);
    expect(r.report.corrections.map((c) => c.block)).toEqual(expect.arrayContaining(corrected.map((b) => b.block)));
    for (const { block, text } of corrected) {
      const writes = r.calls.flatMap((c) => callsIn(c)).filter((c) => c.args['block'] === block);
      expect(writes.map((w) => w.name)).toContain('correct_block');
      expect(text).toBe(writes.at(-1)?.args['text']);
      expect(text).not.toBe(writes[0]?.args['text']);
    }
  });

  it('V1, V2: a review is dispatched, and what its advice asks for is done in a later request', () => {
    const r = of(name);
    expect(factsOf(r, 'ReviewDispatched').length).toBeGreaterThan(0);
    const [verdict] = factsOf(r, 'VerdictHeard');
    expect(verdict?.outcome).toBe('revise');
    const { facts } = r;
    const at = (type: RecordFact['type']): number => facts.findIndex((f) => f.type === type);
    const waited = facts
      .slice(at('ReviewDispatched'), at('VerdictHeard'))
      .filter((f) => f.type === 'RequestIntended' && f.purpose !== 'summarize');
    expect(waited.length).toBeLessThanOrEqual(1);
    const advised = main(r).findIndex((c) =>
      messagesIn(c.body).some((m) => /^\[Review advice\][\s\S]*word for word/.test(m.content)),
    );
    expect(advised).toBeGreaterThan(0);
    const before = main(r)
      .slice(0, advised + 1)
      .flatMap((c) => callsIn(c));
    expect(before.map((c) => c.name)).not.toContain('read_back');
    const quoting = r.report.blocks.find((b) => b.block === 'sources-differ');
    expect(quoting?.text.match(/^> /gm)?.length).toBeGreaterThanOrEqual(6);
    for (const { status, quote } of quoting?.citations ?? []) {
      expect(status).toBe('ok');
      expect(flat(quoting?.text ?? '')).toContain(flat(quote ?? '').slice(0, 40));
    }
  });

  it('L11: exploring ends by its limit, and the finishing phase closes the report', () => {
    const r = of(name);
    expect(factsOf(r, 'PhaseChanged')).toMatchObject([{ phase: 'finishing', code: 'explore_exhausted' }]);
    const finishing = r.calls.filter((c) => c.purpose === 'finish');
    expect(finishing.length).toBeGreaterThan(0);
    for (const call of finishing) expect(toolsIn(call.body)).not.toContain('read_range');
    expect(r.report.closing).not.toBeNull();
    expect(factsOf(r, 'RunEnded')).toMatchObject([{ outcome: 'partial', code: 'explore_exhausted' }]);
  });

  it('P6, P7: every figure of the report is the answer, and its passage bears it; conflicts and corrections are told', () => {
    const { report, corpus } = of(name);
    expect(wrongFigures(report, corpus.answers)).toEqual([]);
    expect(report.blocks.flatMap((b) => b.citations).filter((c) => c.status !== 'ok')).toEqual([]);
    expect(report.blocks.map((b) => b.text).join('\n')).toContain('damaged.pdf');
  });

  it('P7: the page begins with the answer, and the ground of each figure is two clicks away', async () => {
    const { run, corpus } = of(name);
    const { figures, conflicts, corrections } = corpus.answers;
    const { rendered } = await whole.ask(getReport, { run, format: 'html' });
    const page = rendered ?? '';
    const answer = firstSection(page);
    for (const metric of new Set(figures.map((f) => f.metric))) expect(answer.toLowerCase()).toContain(metric);
    const disputed = [
      ...conflicts.flatMap(({ values }) => values.map(({ value }) => value)),
      ...corrections.flatMap(({ was, value }) => [was, value]),
    ];
    expect(marksOf(answer).map(({ figure }) => figure)).toEqual(expect.arrayContaining(disputed));
    expect(marksOf(page).length).toBeGreaterThan(figures.length);
    expect(groundsOutOfReach(page)).toEqual([]);
  });
});

it('what a service does in such a run its NATS user may do: nothing was denied', () => {
  const denials = [...whole.stack.processes].flatMap(([name, service]) =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('NATS denies'))
      .map((line) => `${name}: ${line}`),
  );
  expect(denials).toEqual([]);
});

it('E3: nothing is violated, and what a reader was told came in order', async () => {
  expect(await whole.violations()).toEqual([]);
  for (const { run } of ran.values()) {
    const { events } = await whole.ask(listPublicationEvents, { run });
    expect(events.length).toBeGreaterThan(5);
  }
});

/** The tool calls that stand in the history of the request after, i.e. those made so far in answers still in full. */
function callsIn({ body }: ModelCall): { name: string; args: Record<string, unknown> }[] {
  const { messages } = JSON.parse(body) as {
    messages: { role: string; tool_calls?: { function: { name: string; arguments: string } }[] }[];
  };
  const last = messages.findLast((m) => m.role === 'assistant');
  return (last?.tool_calls ?? []).map(({ function: { name, arguments: args } }) => ({
    name,
    args: JSON.parse(args) as Record<string, unknown>,
  }));
}

const bytesOf = ({ calls, run }: Ran, request: number): string =>
  calls.find((c) => c.id === `${run}/${request}`)?.body ?? '';

/** Words alone: cells and lines are parted in one way there and in another here. */
const flat = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '');
