import fc from 'fast-check';
import { PlayedRun, admit, utf8, type Summarizer } from '../../test/played-run.js';
import { complaints } from '../../test/messages.js';
import { contentLimit, floorBytes } from './decide-fit.js';
import { reportMap } from './instructions.js';

const KIB = 1024;
const ORDER = ['page', 'retire', 'summarize', 'floor', 'fits'];

const words = fc.constantFrom('plain text. ', '费率为每年 0.35%。', '"quoted":"\\"', 'line\n', '\u0001\u0002', 'x');
const size = fc.oneof(fc.nat({ max: 40 }), fc.integer({ min: 40, max: 6000 }));
const result = fc.record({ words, times: size, tool: fc.constantFrom('read_range', 'read_back', 'search') });
const turn = fc.array(result, { maxLength: 3 });
const summary = fc.constantFrom<ReturnType<Summarizer>>(
  'refused',
  { finish: 'stop', text: 'Notes: 0.35 %. '.repeat(50) },
  { finish: 'stop', text: 'n'.repeat(60 * KIB) },
  { finish: 'length', text: 'cut' },
  { finish: null, text: 'cut' },
);
/** Titles that JSON makes twice as long. */
const block = fc.record({
  title: fc.oneof(
    fc.constant('"'.repeat(300)),
    fc.constant('\\'.repeat(300)),
    fc.string({ unit: 'binary', maxLength: 300 }),
  ),
  version: fc.integer({ min: 1, max: 9 }),
});
const world = fc.record({
  question: fc.tuple(words, fc.integer({ min: 1, max: 400 })).map(([w, n]) => `Why? ${w.repeat(n)}`),
  /** Bytes beside the smallest hard limit that is admitted. */
  slack: fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 90 * KIB })),
  turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
  last: fc.array(result, { maxLength: 6 }),
  summary,
  finishing: fc.boolean(),
  blocks: fc.array(block, { maxLength: 64 }),
});

/** A run whose hard limit is the smallest that admission takes for this question, and some slack. */
function tight(w: { readonly question: string; readonly slack: number }): PlayedRun {
  const roomy = new PlayedRun();
  const head = Math.max(roomy.head('explore').size, roomy.head('finish').size);
  const { mapBytes, noticeRoomBytes } = roomy.policy.context;
  const smallest = floorBytes(head, utf8(JSON.stringify(w.question)), mapBytes) + noticeRoomBytes;
  expect(admit({ question: w.question, overrides: { hardLimitBytes: smallest - 1 } })).toMatchObject({
    ok: false,
    error: { code: 'question_too_large' },
  });
  return new PlayedRun({ question: w.question, overrides: { hardLimitBytes: smallest + w.slack } });
}

describe('C17: the ladder, whatever the sizes', () => {
  it('C17, C16: it ends in a request that fits, within few rungs, in the rule’s order; admission said that the floor fits', () => {
    let floors = 0;
    fc.assert(
      fc.property(world, (w) => {
        const p = tight(w);
        for (const calls of [...w.turns, w.last])
          p.turn(calls.map((c) => ({ tool: c.tool, text: c.words.repeat(c.times) })));
        if (w.finishing) p.add({ type: 'PhaseChanged', phase: 'finishing', code: 'x', reason: 'x' });
        const purpose = w.finishing ? 'finish' : 'explore';
        const map = reportMap(
          w.blocks.map((b, i) => ({ ...b, block: `block-${i}`, bytes: 1000 })),
          p.policy.context.mapBytes,
        );
        const unseen = w.last.length;
        const rungs = p.prepare(purpose, () => w.summary, map);
        const names = rungs.map((r) => r.rung);
        if (names.includes('floor')) floors += 1;
        expect(names.at(-1)).toBe('fits');
        expect(names.length).toBeLessThanOrEqual(unseen + 4);
        const places = names.map((n) => ORDER.indexOf(n));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        if (w.finishing) expect(names).not.toContain('summarize');
        expect(p.content(purpose)).toBeLessThanOrEqual(contentLimit(p.state));
        expect(p.body(purpose).length).toBe(p.content(purpose));
      }),
      { numRuns: 200 },
    );
    expect(floors).toBeGreaterThan(0);
  });

  it('F-C5, C13, C14: on every rung the request is one that a provider accepts: no orphan call or result, no split character', () => {
    fc.assert(
      fc.property(world, (w) => {
        const p = tight(w);
        const check = () => {
          expect(complaints(p.body())).toEqual([]);
          expect(p.text().includes('\ufffd')).toBe(false);
        };
        const add = p.add.bind(p);
        p.add = (fact) => {
          add(fact);
          if (/Retired|Paged|Adopted|Floor/.test(fact.type)) check();
        };
        for (const calls of [...w.turns, w.last])
          p.turn(calls.map((c) => ({ tool: c.tool, text: c.words.repeat(c.times) })));
        p.prepare('explore', () => w.summary);
        check();
      }),
      { numRuns: 80 },
    );
  });

  it('C12: the question stands byte for byte on every rung', () => {
    fc.assert(
      fc.property(world, (w) => {
        const p = tight(w);
        for (const calls of [...w.turns, w.last])
          p.turn(calls.map((c) => ({ tool: c.tool, text: c.words.repeat(c.times) })));
        p.prepare('explore', () => w.summary);
        expect(p.fresh().includes(JSON.stringify({ role: 'user', content: w.question }))).toBe(true);
        expect(p.fresh() === p.text()).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
