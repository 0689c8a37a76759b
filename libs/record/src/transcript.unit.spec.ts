import { RecordBuilder } from '../test/build-record.js';
import { decodeFact } from './canonical.js';
import { RENDERERS } from './render.js';
import { evolveTranscript, findResult, newTranscript, partsOf, type Part } from './transcript.js';
import type { RecordFact } from './facts.js';

const ids = (b: RecordBuilder) => partsOf(b.transcript).map((p) => p.id);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** A part's message, without the comma that joins it to the one before. */
const message = (part: Part | undefined, b: RecordBuilder) =>
  JSON.parse(text(RENDERERS.openai.part(part ?? fail(), b.lookup)).slice(1)) as { role: string; content: string };

describe('transcript', () => {
  it('C1: instructions, question, summaries and turns in order, notices at the end (R14)', () => {
    const b = new RecordBuilder().sample();
    expect(ids(b)).toEqual(['q', 's1', 'a3', 'r3.0f', 'a4', 'e4']);
    const sent = text(b.send('Notice.'));
    const order = [
      'Purpose: explore',
      'Which fund is cheaper?',
      '[Summary of turns 1–2]',
      'Third turn.',
      'The answer.',
      '[Notices]\\nNotice.',
    ];
    const places = order.map((needle) => sent.indexOf(needle));
    expect(places).toEqual([...places].sort((x, y) => x - y));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(sent.indexOf('Purpose: explore')).toBe(sent.lastIndexOf('Purpose: explore')); // F-C4
  });

  it('R14: the bytes before the notices stay equal from one request to the next', () => {
    const b = new RecordBuilder();
    const first = text(b.send('Stage 50.'));
    b.answer('I read.', ['result']);
    const second = text(b.send('Stage 75.'));
    const stable = first.slice(0, first.indexOf(',{"role":"user","content":"[Notices]'));
    expect(second.startsWith(stable)).toBe(true);
    expect(second).not.toContain('Stage 50.');
  });

  it('C14: a turn stands in the request only when all its calls have results, and right after its answer', () => {
    const b = new RecordBuilder();
    b.send();
    b.answer('Two calls.', ['one', 'two']);
    expect(ids(b)).toEqual(['q', 'a1', 'r1.0f', 'r1.1f']);
    const half = newTranscript();
    for (const row of b.rows.slice(0, -1)) evolveTranscript(half, decodeFact<RecordFact>(row.body));
    expect(partsOf(half).map((p) => p.id)).toEqual(['q']);
    expect(half.openTurn?.turn).toBe(1);
  });

  it('C4: a stub says locator, title, size, ranges had and how to read on', () => {
    const b = new RecordBuilder();
    b.send();
    b.answer('I read.', ['a long result']);
    b.add({ type: 'ResultsRetired', reason: 'residency', items: [{ action: '1.0', had: [[0, 13]] }] });
    const part = partsOf(b.transcript).find((p) => p.id === 'r1.0s');
    const stub = JSON.parse(message(part, b).content) as Record<string, unknown>;
    expect(stub).toEqual({
      retired: true,
      locator: 'result:1.0',
      title: 'result 0',
      bytes: 13,
      had: [[0, 13]],
      how: expect.stringContaining('read_back') as unknown,
    });
  });

  it('C13, F-R6: a paged head never splits a character and says how to read on', () => {
    const b = new RecordBuilder();
    b.send();
    b.answer('I read.', ['字'.repeat(100)]);
    b.add({ type: 'ResultPaged', action: '1.0', headBytes: 100 });
    const part = partsOf(b.transcript).find((p) => p.id === 'r1.0h100');
    const content = message(part, b).content;
    expect(content.startsWith('字'.repeat(33) + '\n')).toBe(true);
    expect(content).toContain('"had":[[0,99]],"bytes":300');
  });

  it('C12: action ids survive a compaction byte for byte; the question too (F-C3)', () => {
    const b = new RecordBuilder().sample();
    const summary = partsOf(b.transcript).find((p) => p.kind === 'summary');
    expect(summary).toMatchObject({ from: 1, to: 2, actions: '1.0 1.1 2.0' });
    const question = partsOf(b.transcript)[0];
    expect(message(question, b)).toEqual({ role: 'user', content: 'Which fund is cheaper? 哪只基金更便宜?' });
  });

  it('C7, F-C8: a summary request holds original turns and no summary’s bytes', () => {
    const b = new RecordBuilder().sample();
    b.send();
    b.answer('Fifth.', ['y'.repeat(3000)]);
    const input = text(b.summarize(3, 4));
    expect(input).toContain('Third turn.');
    expect(input).toContain('[cut: 1000 of 3000 bytes]');
    expect(input).not.toContain('[Summary');
    expect(input).not.toContain('Notes: the first fund');
  });

  it('F-R7: a NUL, the six characters of its escape and a lone surrogate come back as they were', () => {
    const b = new RecordBuilder().sample();
    const fresh = new RecordBuilder();
    const odd = ['real \u0000 nul', 'six \\u0000 characters', 'lone \ud800 surrogate', '{"a\u0000":1}'];
    fresh.send();
    fresh.answer('x', odd);
    const contents = partsOf(fresh.transcript)
      .filter((p) => p.kind === 'result')
      .map((p) => message(p, fresh).content);
    expect(contents).toEqual(odd);
    expect(b.rows.length).toBeGreaterThan(0);
  });

  it('finds a result by its action among turns, summaries and advice', () => {
    const b = new RecordBuilder();
    for (let turn = 1; turn <= 40; turn += 1) {
      b.send();
      b.answer(`turn ${turn}`, [`one ${turn}`, `two ${turn}`]);
      if (turn % 7 === 0) {
        b.add({
          type: 'VerdictHeard',
          inbox: turn,
          review: `v${turn}`,
          outcome: 'ok',
          code: null,
          advice: b.put(`advice ${turn}`),
        });
      }
    }
    b.add({
      type: 'SummaryAdopted',
      summary: 1,
      from: 1,
      to: 9,
      request: 1,
      text: b.put('s'),
      bytesBefore: 2,
      bytesAfter: 1,
    });
    for (let turn = 10; turn <= 40; turn += 1) expect(findResult(b.transcript, `${turn}.1`)?.action).toBe(`${turn}.1`);
    for (const gone of ['1.0', '9.1', '41.0', '10.2']) expect(findResult(b.transcript, gone)).toBeUndefined();
  });
});

function fail(): never {
  throw new Error('the part is missing');
}
