import {
  blockHistory,
  close,
  getReport,
  listEvents,
  MAX_BLOCK_BYTES,
  noteProgress,
  open,
  shown,
  snapshot,
  writeBlock,
} from '@waymark/contracts/publication';
import { INLINE_BYTES, type Contract, type ReplyOf, type RequestOf, type WaymarkEvent } from '@waymark/contracts/wire';
import { BUCKETS } from '@waymark/contracts/streams';
import { consumeFacts, ObjectStore } from '@waymark/messaging';
import { newRun, until, withClient } from '@waymark/testing';
import { citation, closeRequest, noteRequest, openRequest, writeRequest } from './given.js';
import { startReplicas, value, type Replicas } from './replicas.js';

/** For tests that ask much, on a machine that has other work. */
const BUSY_MS = 60_000;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
}, 60_000);
afterAll(async () => {
  await replicas.stop();
}, 30_000);

const call = <C extends Contract>(contract: C, request: RequestOf<C>) =>
  replicas.bus.call(contract, request, { timeoutMs: 10_000 });
const ask = async <C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> =>
  value(await call(contract, request));
const refusal = async <C extends Contract>(contract: C, request: RequestOf<C>) => {
  const result = await call(contract, request);
  return result.ok ? result.value : result.error;
};
const count = async (sql: string, run: string): Promise<number> =>
  await withClient(replicas.database.url, async (client) => {
    const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM ${sql} WHERE run_id = $1`, [run]);
    return Number(rows[0]!.n);
  });

async function openedRun(over: Parameters<typeof openRequest>[0] = {}): Promise<string> {
  const run = newRun();
  await ask(open, openRequest({ run, ...over }));
  return run;
}

describe('publication with two replicas on real PostgreSQL and NATS', () => {
  it(
    'P3: opening at once from many sides makes one report, which keeps its first quotas',
    async () => {
      for (const run of Array.from({ length: 5 }, newRun)) {
        const replies = await Promise.all(
          Array.from({ length: 12 }, (_, i) => ask(open, openRequest({ run, epoch: i + 1 }))),
        );
        expect(replies.filter(({ created }) => created)).toHaveLength(1);
        const again = await ask(open, openRequest({ run, epoch: 1, revisions: { perBlock: 9, perRun: 9 } }));
        expect(again).toMatchObject({ created: false, snapshot: { epoch: 12, revisions: { limit: 8 } } });
        expect(await count('fact', run)).toBe(1);
      }
    },
    BUSY_MS,
  );

  it('P5: the same write from many sides at once is one version, one fact and one event', async () => {
    const run = await openedRun();
    const request = writeRequest({ run, citations: [citation()] });
    const replies = await Promise.all(Array.from({ length: 16 }, () => ask(writeBlock, request)));
    expect(replies.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(replies.map(({ outcome, version }) => [outcome, version])).toEqual(Array(16).fill(['written', 1]));
    expect(await count('block_version', run)).toBe(1);
    expect(await count('fact', run)).toBe(2);
  });

  it('P5: sixteen corrections of one version at once: one is written, the rest cost nothing', async () => {
    const run = await openedRun();
    await ask(writeBlock, writeRequest({ run }));
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) => ask(writeBlock, writeRequest({ run, key: `k${i}`, expectVersion: 1 }))),
    );
    expect(replies.filter(({ outcome }) => outcome === 'written')).toHaveLength(1);
    const codes = new Set(replies.flatMap((reply) => (reply.refusal ? [reply.refusal.code] : [])));
    expect([...codes]).toEqual(['version_mismatch']);
    expect((await ask(snapshot, { run })).snapshot.revisions).toEqual({ limit: 8, used: 1, left: 7 });
  });

  it('P3, P4: many writers at once never exceed the quota of the run, and additions go on', async () => {
    const run = await openedRun({ revisions: { perBlock: 2, perRun: 3 } });
    const blocks = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const block of blocks) await ask(writeBlock, writeRequest({ run, block, key: block }));
    const replies = await Promise.all(
      blocks.map((block) => ask(writeBlock, writeRequest({ run, block, key: `${block}2`, expectVersion: 1 }))),
    );
    expect(replies.filter(({ outcome }) => outcome === 'written')).toHaveLength(3);
    expect((await ask(writeBlock, writeRequest({ run, block: 'g', key: 'g' }))).outcome).toBe('written');
    expect((await ask(snapshot, { run })).snapshot.revisions).toEqual({ limit: 3, used: 3, left: 0 });
  });

  it('F-X3, P5: after epoch 2 was seen, epoch 1 changes nothing, whichever replica it asks', async () => {
    const run = await openedRun();
    expect((await ask(writeBlock, writeRequest({ run, key: 'new', expectVersion: 5, epoch: 2 }))).refusal?.code).toBe(
      'unknown_block',
    );
    const stale = await Promise.all([
      ...Array.from({ length: 6 }, (_, i) => ask(writeBlock, writeRequest({ run, key: `old${i}`, epoch: 1 }))),
      ask(noteProgress, noteRequest({ run, epoch: 1 })),
    ]);
    expect(stale.map((reply) => reply.refusal?.code)).toEqual(Array(7).fill('fenced'));
    expect((await ask(close, closeRequest({ run, epoch: 1 }))).outcome).toBe('fenced');
    expect(await count('fact', run)).toBe(1);
  });

  it('L10, P5: a close is for good: again it reads the first, and new writes and notes are refused', async () => {
    const run = await openedRun();
    await ask(writeBlock, writeRequest({ run }));
    const closes = await Promise.all(Array.from({ length: 8 }, () => ask(close, closeRequest({ run }))));
    expect(closes.map(({ outcome }) => outcome).sort()).toEqual([...Array(7).fill('already_closed'), 'closed']);
    await ask(close, closeRequest({ run, epoch: 2, outcome: 'failed', reason: 'another end' }));
    expect((await ask(writeBlock, writeRequest({ run, block: 'late', key: 'late', epoch: 2 }))).refusal?.code).toBe(
      'report_closed',
    );
    expect((await ask(noteProgress, noteRequest({ run, epoch: 2 }))).refusal?.code).toBe('report_closed');
    expect((await ask(writeBlock, writeRequest({ run, epoch: 2 }))).repeated).toBe(true);
    const { report } = await ask(getReport, { run });
    expect(report).toMatchObject({ state: 'closed', outcome: 'completed', reason: 'the model finished' });
  });

  it('F-P1, P2: a correction replaces its block in the report; its history keeps every version', async () => {
    const run = await openedRun();
    for (const block of ['one', 'two', 'three']) await ask(writeBlock, writeRequest({ run, block, key: block }));
    const correction = { run, block: 'two', key: 'two2', expectVersion: 1, text: 'Now 41.', reason: 'misread' };
    await ask(writeBlock, writeRequest(correction));
    const { report } = await ask(getReport, { run });
    expect(report!.blocks.map(({ block, version, text }) => [block, version, text])).toEqual([
      ['one', 1, 'Plant A made 40 units [1].'],
      ['two', 2, 'Now 41.'],
      ['three', 1, 'Plant A made 40 units [1].'],
    ]);
    expect(report!.corrections).toMatchObject([{ block: 'two', from: 1, to: 2, reason: 'misread' }]);
    const first = await ask(blockHistory, { run, block: 'two', limit: 1 });
    expect(first).toMatchObject({ versions: [{ version: 1, text: 'Plant A made 40 units [1].' }], next: 1 });
    const rest = await ask(blockHistory, { run, block: 'two', after: first.next! });
    expect(rest).toMatchObject({ versions: [{ version: 2, text: 'Now 41.' }], next: null });
  });

  it('F-R7: NUL, its escape, odd keys and lone surrogates are read back as they were written', async () => {
    const run = await openedRun({ question: 'why \0?' });
    const text = 'a real \0, the six characters \\u0000, a lone \ud83d and \udc00, and \u{1f600}';
    const request = writeRequest({ run, key: 'k\0\ud800', title: 'T\0', text, citations: [citation({ quote: text })] });
    expect((await ask(writeBlock, request)).repeated).toBe(false);
    expect((await ask(writeBlock, request)).repeated).toBe(true);
    expect((await ask(writeBlock, { ...request, key: 'k\0\ud801' })).refusal?.code).toBe('block_exists');
    const { report } = await ask(getReport, { run });
    expect(report!.question).toBe('why \0?');
    expect(report!.blocks[0]).toMatchObject({ title: 'T\0', text, citations: [{ quote: text }] });
    expect((await ask(snapshot, { run })).snapshot.blocks[0]!.title).toBe('T\0');
  });

  it('F-R6, P5: a block holds 32 KiB of UTF-8; one byte more is a coded error with size and limit', async () => {
    const run = await openedRun();
    const han = '汉'.repeat(Math.floor(MAX_BLOCK_BYTES / 3));
    const fits = await ask(writeBlock, writeRequest({ run, text: `${han}xx` }));
    expect(fits.snapshot.blocks[0]!.bytes).toBe(MAX_BLOCK_BYTES);
    expect(await refusal(writeBlock, writeRequest({ run, key: 'k2', block: 'more', text: `${han}xxx` }))).toMatchObject(
      {
        code: 'block_too_large',
        message: 'the text has 32769 bytes of UTF-8; a block holds 32768',
        field: 'text',
      },
    );
    expect((await ask(snapshot, { run })).snapshot.blocks).toHaveLength(1);
  });

  it('P10: a progress note is an event and nothing else', async () => {
    const run = await openedRun();
    const before = await ask(snapshot, { run });
    expect(await ask(noteProgress, noteRequest({ run }))).toMatchObject({ outcome: 'noted', repeated: false });
    expect(await ask(noteProgress, noteRequest({ run }))).toMatchObject({ outcome: 'noted', repeated: true });
    expect(await ask(snapshot, { run })).toEqual(before);
    const page = await ask(getReport, { run, format: 'html' });
    expect(JSON.stringify(page)).not.toContain('reading the second table');
    const { events } = await ask(listEvents, { run });
    expect(events.map(({ type }) => type.split('.').at(-1))).toEqual(['ReportOpened', 'ProgressNoted']);
  });

  it(
    'P8: what was shown to whom is recorded once a version and viewer, and pages',
    async () => {
      const run = await openedRun();
      const viewers = ['ann', 'bob', 'c\0\ud800'];
      for (const viewer of viewers) await ask(getReport, { run, viewer });
      await Promise.all(Array.from({ length: 6 }, () => ask(getReport, { run, viewer: 'ann' })));
      await ask(writeBlock, writeRequest({ run }));
      await ask(getReport, { run, viewer: 'ann', format: 'markdown' });
      await ask(getReport, { run });
      const first = await ask(shown, { run, limit: 3 });
      expect(first.shown.map(({ viewer, version }) => [viewer, version])).toEqual(viewers.map((viewer) => [viewer, 0]));
      const rest = await ask(shown, { run, after: first.next! });
      expect(rest).toMatchObject({ shown: [{ viewer: 'ann', version: 1 }], next: null });
    },
    BUSY_MS,
  );

  it(
    'L14: events page from any sequence without a gap, and the stream carries the same ones in order',
    async () => {
      const run = await openedRun();
      const received: WaymarkEvent[] = [];
      const loop = consumeFacts(replicas.bus.nc, {
        durable: `test-${run}`,
        subject: `waymark.facts.v1.publication.${run}.>`,
        handle: (facts) => Promise.resolve(void received.push(...facts)),
        onError: () => undefined,
      });
      try {
        await ask(writeBlock, writeRequest({ run, text: 'SECRET-TEXT', citations: [citation()] }));
        await ask(writeBlock, writeRequest({ run, key: 'k2', expectVersion: 1, text: 'SECRET-TEXT 2', reason: 'r' }));
        await ask(close, closeRequest({ run, closing: 'SECRET-TEXT 3', gaps: ['g'] }));
        const paged: WaymarkEvent[] = [];
        for (let after: number | null = 0; after !== null;) {
          const { events, next }: ReplyOf<typeof listEvents> = await ask(listEvents, { run, after, limit: 3 });
          paged.push(...events);
          after = next;
        }
        expect(paged.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
        expect(paged.map(({ type }) => type)).toEqual([
          'waymark.publication.fact.v1.ReportOpened',
          'waymark.publication.fact.v1.BlockPublished',
          'waymark.publication.fact.v1.BlockCorrected',
          'waymark.publication.fact.v1.ReportClosed',
        ]);
        expect(paged[1]!.data).toMatchObject({ block: 'output', version: 1, title: 'Output', bytes: 11, citations: 1 });
        expect(JSON.stringify(paged)).not.toContain('SECRET-TEXT');
        await until(() => received.length >= 4, { what: 'four facts on the stream' });
        expect(received).toEqual(paged);
      } finally {
        await loop.stop();
      }
    },
    BUSY_MS,
  );

  it('P7: hostile texts are harmless in the page, and Markdown and page come with the report', async () => {
    const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))';
    const run = await openedRun({ question: hostile });
    const quote = citation({ name: hostile, quote: hostile });
    await ask(writeBlock, writeRequest({ run, title: hostile, text: `${hostile} [1]`, citations: [quote] }));
    await ask(close, closeRequest({ run, outcome: 'partial', closing: hostile, reason: hostile, gaps: [hostile] }));
    const { report, rendered } = await ask(getReport, { run, format: 'html' });
    expect(report!.blocks).toHaveLength(1);
    expect(rendered).not.toMatch(/<script|<img|<[^>]+(\son\w+=|javascript:)/i);
    expect(rendered).toContain('href="#c-output-1">[1]</a>');
    expect(rendered).toContain('The evidence is partial');
    const markdown = await ask(getReport, { run, format: 'markdown' });
    expect(markdown.rendered).not.toMatch(/<script|<img/);
  });

  it(
    'P7: a large report comes through the object store, whole and checked, in each format',
    async () => {
      const run = await openedRun();
      for (let i = 0; i < 10; i += 1) {
        const text = `Part ${i}. ${'many words '.repeat(2800)}`;
        await ask(writeBlock, writeRequest({ run, block: `b${i}`, key: `k${i}`, text }));
      }
      const objects = await ObjectStore.open(replicas.bus.nc, BUCKETS.reports);
      for (const [format, start] of [
        ['json', '{"run"'],
        ['markdown', '# Research'],
        ['html', '<!doctype html>'],
      ] as const) {
        const reply = await ask(getReport, { run, format });
        expect(reply).toMatchObject({ report: null, rendered: null });
        expect(reply.object!.size).toBeGreaterThan(INLINE_BYTES);
        const text = Buffer.from(await objects.get(reply.object!)).toString('utf8');
        expect(text.slice(0, start.length)).toBe(start);
        for (let i = 0; i < 10; i += 1) expect(text).toContain(`Part ${i}.`);
        expect((await ask(getReport, { run, format })).object).toEqual(reply.object);
      }
    },
    BUSY_MS,
  );

  it(
    'P7: a full report of the worst texts still answers every question',
    async () => {
      const run = await openedRun({ revisions: { perBlock: 12, perRun: 64 } });
      const nuls = '\0'.repeat(MAX_BLOCK_BYTES);
      for (let v = 0; v < 6; v += 1)
        await ask(writeBlock, writeRequest({ run, key: `v${v}`, expectVersion: v, text: nuls }));
      const seen: number[] = [];
      for (let after: number | null = 0; after !== null;) {
        const { versions, next }: ReplyOf<typeof blockHistory> = await ask(blockHistory, {
          run,
          block: 'output',
          after,
        });
        seen.push(...versions.map(({ version }) => version));
        after = next;
      }
      expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
      for (let i = 0; i < 30; i += 1)
        await ask(noteProgress, noteRequest({ run, key: `n${i}`, text: '\0'.repeat(4000) }));
      let notes = 0;
      for (let after: number | null = 0; after !== null;) {
        const { events, next }: ReplyOf<typeof listEvents> = await ask(listEvents, { run, after, limit: 500 });
        notes += events.length;
        after = next;
      }
      expect(notes).toBe(37);
    },
    BUSY_MS,
  );

  it(
    'P9: readers see one committed moment, while writes go on',
    async () => {
      const run = await openedRun({ revisions: { perBlock: 40, perRun: 40 } });
      await ask(writeBlock, writeRequest({ run }));
      const writing = (async () => {
        for (let v = 1; v <= 30; v += 1) await ask(writeBlock, writeRequest({ run, key: `v${v}`, expectVersion: v }));
      })();
      let done = false;
      void writing.finally(() => (done = true));
      while (!done) {
        const { report } = await ask(getReport, { run });
        expect(report!.blocks[0]!.version).toBe(report!.version);
        expect(report!.corrections).toHaveLength(report!.version - 1);
        const { snapshot: map } = await ask(snapshot, { run });
        expect(map.blocks[0]!.version).toBe(map.version);
      }
      await writing;
    },
    BUSY_MS,
  );

  it.each([
    ['write', () => refusal(writeBlock, writeRequest({ run: newRun() }))],
    ['note', () => refusal(noteProgress, noteRequest({ run: newRun() }))],
    ['close', () => refusal(close, closeRequest({ run: newRun() }))],
    ['snapshot', () => refusal(snapshot, { run: newRun() })],
    ['report', () => refusal(getReport, { run: newRun(), viewer: 'ann' })],
    ['history', () => refusal(blockHistory, { run: newRun(), block: 'output' })],
    ['shown', () => refusal(shown, { run: newRun() })],
    ['events', () => refusal(listEvents, { run: newRun() })],
  ])('L14: an unknown run is a coded answer to %s', async (_what, answer) => {
    expect(await answer()).toMatchObject({ code: 'unknown_run', field: 'run' });
  });

  it.each([
    ['an unknown field', { extra: 1 }, 'unknown_field', 'extra'],
    ['a wrong type', { expectVersion: 'one' }, 'invalid_field', 'expectVersion'],
    ['an odd block id', { block: '../x' }, 'invalid_field', 'block'],
    ['an epoch of 0', { epoch: 0 }, 'invalid_field', 'epoch'],
    ['a missing text', { text: undefined }, 'missing_field', 'text'],
  ])('P5: a write with %s is a coded answer and changes nothing', async (_what, wrong, code, field) => {
    const run = await openedRun();
    const request = Buffer.from(JSON.stringify({ ...writeRequest({ run }), ...wrong }));
    const answer = await replicas.bus.nc.request(writeBlock.subject, request, { timeout: 10_000 });
    expect(answer.headers?.get('Nats-Service-Error')).toBe(code);
    expect(answer.json()).toMatchObject({ code, field, remedy: expect.any(String) });
    expect(await count('fact', run)).toBe(1);
  });

  it('P2: an unknown block has no history, and says so', async () => {
    const run = await openedRun();
    expect(await refusal(blockHistory, { run, block: 'none' })).toMatchObject({
      code: 'unknown_block',
      field: 'block',
    });
  });

  it('P5: with one replica gone the other answers the same key with the same version', async () => {
    const run = await openedRun();
    await ask(writeBlock, writeRequest({ run }));
    await replicas.services[0]!.stop();
    expect(await ask(writeBlock, writeRequest({ run }))).toMatchObject({ repeated: true, version: 1 });
  });
});
