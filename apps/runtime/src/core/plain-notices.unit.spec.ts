import fc from 'fast-check';
import { budgetSnapshot } from '@waymark/contracts/budget';
import { RENDERERS } from '@waymark/record';
import { blockOf, budgetOf, countOf, publicationOf, timeOf } from '../../test/snapshots.js';
import { plainNotices, type PlainFacts } from './plain-notices.js';

const MINUTE = 60_000;
const facts = (over: Partial<PlainFacts> = {}): PlainFacts => ({
  language: 'en',
  policyVersion: 1,
  phase: 'exploring',
  budget: budgetOf(),
  contentBytes: 10_000,
  hardLimitBytes: 400_000,
  publication: { snapshot: publicationOf(), stale: false },
  unconfirmed: [],
  roomBytes: 2048,
  fromPercent: 50,
  ...over,
});
const lines = (over: Partial<PlainFacts> = {}) => plainNotices(facts(over)).text?.split('\n') ?? [];
const all: Partial<PlainFacts> = {
  budget: budgetOf({
    explore: countOf(40, 19, { reserved: 1, unknown: 2 }),
    active: { ...timeOf(60 * MINUTE, 31 * MINUTE), unknownMs: 0, overshootMs: 0, running: true },
    wall: timeOf(120 * MINUTE, 61 * MINUTE),
  }),
  contentBytes: 210_000,
  publication: {
    snapshot: publicationOf({
      revisions: { limit: 8, used: 5, left: 3 },
      blocks: [blockOf('fees', 1), blockOf('risk', 2), blockOf('costs', 0)],
    }),
    stale: false,
  },
};

describe('R19: plain state lines when the reminder service does not answer', () => {
  it('R19, R18: each limit from its first stage on, in numbers with unit and denominator, this request counted', () => {
    expect(lines()).toEqual([]);
    expect(lines(all)).toEqual([
      'Explore requests: 22 of 40 used, this one counted.',
      'Active time: 1860 of 3600 seconds used.',
      'Wall clock: 3660 of 7200 seconds used.',
      'Context: 210000 of 400000 bytes.',
      'Revisions in this report: 5 of 8 used.',
      'Block "risk": 2 of 2 revisions used, and 1 more.',
    ]);
  });

  it('P9, R19: a write that was sent and not confirmed is taken as used, of its block and of the run', () => {
    const publication = {
      snapshot: publicationOf({ revisions: { limit: 8, used: 3, left: 5 }, blocks: [blockOf('fees', 0)] }),
      stale: true,
    };
    expect(lines({ publication })).toEqual([]);
    expect(lines({ publication, unconfirmed: ['fees'] })).toEqual([
      expect.stringMatching(/^Revisions in this report: 4 of 8 used/),
      expect.stringMatching(/^Block "fees": 1 of 2 revisions used/),
    ]);
  });

  it('R19, R15: the same in Chinese', () => {
    expect(lines({ ...all, language: 'zh' })).toEqual([
      '探索请求:已用 22/40 次(含本次)。',
      '执行时间:已用 1860/3600 秒。',
      '墙钟时间:已用 3660/7200 秒。',
      '上下文:210000/400000 字节。',
      '本报告修订:已用 5/8 次。',
      '章节“risk”:已用 2/2 次修订,另有 1 个章节。',
    ]);
  });

  it('R19: state only: no advice, nothing combined or armed again, and the source says so', () => {
    const record = plainNotices(facts(all));
    expect(record).toMatchObject({ source: 'plain', combined: [], rearmed: [], omitted: [] });
    expect(new Set(record.included.map((n) => n.kind))).toEqual(new Set(['state']));
  });

  it('R19: a fact that is not from now is told as of its version, and one that was never had is left out, never as 0', () => {
    const stale = lines({
      ...all,
      publication: { snapshot: all.publication?.snapshot ?? publicationOf(), stale: true },
    });
    expect(stale).toContain('Revisions in this report: 5 of 8 used (as of version 3).');
    expect(stale.find((l) => l.startsWith('Block'))).toContain('(as of version 3)');
    const none = lines({ ...all, publication: null });
    expect(none.filter((l) => /evision/.test(l))).toEqual([]);
    expect(none).toHaveLength(4);
  });

  it('R4: one line a type; the tightest block is named and the rest counted', () => {
    const types = plainNotices(facts(all)).included.map((n) => n.type);
    expect(new Set(types).size).toBe(types.length);
    const one = { snapshot: publicationOf({ blocks: [blockOf('fees', 1), blockOf('a', 1, 6)] }), stale: false };
    expect(lines({ publication: one })).toEqual(['Block "fees": 1 of 2 revisions used.']);
  });

  it('R6: a block’s line speaks of the block alone', () => {
    const block = lines(all).find((l) => l.startsWith('Block'));
    expect(block).not.toMatch(/run|end|finish|request/i);
  });

  it('R18: in finishing the finishing requests stand from the first on, this one counted', () => {
    const budget = budgetOf({ phase: 'finishing', finish: countOf(2, 0, { reserved: 1 }) });
    expect(lines({ phase: 'finishing', budget })).toEqual(['Finishing requests: 1 of 2 used, this one counted.']);
    expect(lines({ phase: 'finishing', budget: budgetOf({ finish: countOf(2, 1, { reserved: 1 }) }) })).toEqual([
      'Finishing requests: 2 of 2 used, this one counted.',
    ]);
  });

  it('R9, R10: context is told in bytes of the content against the hard limit in force, never in tokens', () => {
    expect(lines({ contentBytes: 60_000, hardLimitBytes: 100_000 })).toEqual(['Context: 60000 of 100000 bytes.']);
    expect(lines({ contentBytes: 49_999, hardLimitBytes: 100_000 })).toEqual([]);
    expect(lines(all).join('\n')).not.toMatch(/token/i);
  });

  it('R4: a small room leaves out whole lines, which are recorded as omitted, and is never exceeded', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 600 }),
        fc.constantFrom('en' as const, 'zh' as const),
        (roomBytes, language) => {
          const record = plainNotices(facts({ ...all, roomBytes, language }));
          expect(record.included.length + record.omitted.length).toBe(6);
          const size = record.text === null ? 0 : RENDERERS.openai.notices(record.text).length;
          expect(size).toBeLessThanOrEqual(Math.max(roomBytes, 0));
        },
      ),
    );
  });
});

describe('B1: limits stay apart, each in its own unit', () => {
  it('B1: each line holds its own used and limit and no other number, whatever the snapshots say', () => {
    const count = fc
      .tuple(fc.integer({ min: 1, max: 999 }), fc.nat({ max: 998 }))
      .map(([l, u]) => countOf(l, Math.min(l, u)));
    const time = fc
      .tuple(fc.integer({ min: 60, max: 9999 }), fc.nat({ max: 9999 }))
      .map(([l, u]) => timeOf(l * 1000, u * 1000));
    fc.assert(
      fc.property(count, count, count, time, time, (explore, finish, physical, active, wall) => {
        const budget = budgetOf({
          explore,
          finish,
          physical,
          active: { ...active, unknownMs: 0, overshootMs: 0, running: false },
          wall,
        });
        const record = plainNotices(facts({ budget, fromPercent: 1 }));
        const texts = record.text?.split('\n') ?? [];
        const of: Record<string, readonly [number, number]> = {
          'explore-requests': [explore.limit - explore.left, explore.limit],
          'active-time': [active.usedMs / 1000, active.limitMs / 1000],
          'wall-clock': [wall.usedMs / 1000, wall.limitMs / 1000],
          'context-bytes': [10_000, 400_000],
        };
        for (const [i, line] of record.included.entries())
          expect([line.type, texts[i]?.match(/\d+/g)?.map(Number)]).toEqual([line.type, of[line.type]]);
      }),
    );
  });

  it('B1: the snapshot keeps every limit under its own name and unit; there is no total and no remaining', () => {
    const shape = budgetSnapshot.shape;
    const counts = ['explore', 'finish', 'physical'] as const;
    for (const name of counts)
      expect(Object.keys(shape[name].shape)).toEqual(['limit', 'used', 'reserved', 'unknown', 'left']);
    for (const name of ['active', 'wall'] as const)
      for (const key of ['limitMs', 'usedMs', 'leftMs']) expect(Object.keys(shape[name].shape)).toContain(key);
    expect(Object.keys(shape).filter((key) => /total|remain|percent|left/i.test(key))).toEqual([]);
  });
});
