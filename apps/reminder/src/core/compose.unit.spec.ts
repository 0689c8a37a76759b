import { composeReply, composeRequest, REMINDER_TYPES } from '@waymark/contracts/reminder';
import { block, counted, facts, given, type Situation } from '../../test/facts.js';
import { composeNotices } from './compose.js';
import { REGISTRY } from './registry.js';

const MINUTE = 60_000;
const of = (s: Situation) => composeNotices(facts(s));
const state = (s: Situation) => of(s).state.map(({ text }) => text);
const advice = (s: Situation) => of(s).advice.map(({ text }) => text);

describe('what is said', () => {
  it('E4: near no limit there is no line, no advice and no candidate', () => {
    expect(of({ blocks: [block('fees', 0)], partlyRead: [partly('fees.pdf')] })).toMatchObject({
      state: [],
      advice: [],
      combined: [],
      rearmed: [],
      reviewCandidate: null,
    });
  });

  it('R2: types coexist in one request, in presentation order', () => {
    const reply = of({
      explore: counted(40, 31),
      physical: counted(86, 62),
      activeMs: 30 * MINUTE,
      wallMs: 61 * MINUTE,
      contentBytes: 330_000,
      blocks: [block('fees', 1)],
      runRevisions: { limit: 8, used: 4 },
      review: { sinceExploreRequests: 16 },
      partlyRead: [partly('fees.pdf')],
    });
    expect(reply.state.map(({ type }) => type)).toEqual(REMINDER_TYPES.slice(0, 7));
    expect(reply.advice.map(({ type }) => type)).toEqual([
      'explore-requests',
      'finish-reserve',
      'context-bytes',
      'work-review',
      'partly-read-sources',
    ]);
    expect(composeReply.parse(reply)).toEqual(reply);
  });

  it('R13: nine types, one file each, every one states how often it repeats', () => {
    expect(REGISTRY.map(({ type }) => type)).toEqual([...REMINDER_TYPES]);
    for (const { repeat, state: lines } of REGISTRY) {
      expect(repeat.advice).toMatch(/^once per stage/);
      expect(repeat.state === 'never').toBe(lines === null);
    }
  });

  it('R3, F-M3: from 30 % to 95 % in one step only the highest stage is said', () => {
    const reply = of({ explore: counted(40, 38), watermarks: [] });
    expect(reply.advice.map(({ type, stage }) => [type, stage])).toEqual([['explore-requests', 90]]);
    expect(reply.state.map(({ type, stage }) => [type, stage])).toEqual([['explore-requests', 90]]);
    expect(reply.advice[0].text).toBe(
      '38 of 40 explore requests are used and 2 are left: finish now with what is established.',
    );
  });

  it('R4, F-M1: over 60 requests each state line stands once a request and each advice is given once per stage', () => {
    const watermarks: ReturnType<typeof given>[] = [];
    const said: [number, number][] = [];
    for (let n = 1; n <= 60; n += 1) {
      const reply = of({ explore: counted(60, n), watermarks });
      const lines = reply.state.filter(({ type }) => type === 'explore-requests');
      expect(lines).toHaveLength(n >= 30 ? 1 : 0);
      for (const { type, subject, stage } of reply.advice.filter(({ type }) => type === 'explore-requests')) {
        said.push([n, stage]);
        watermarks.push(given(type, stage, { subject }));
      }
    }
    expect(said).toEqual([
      [30, 50],
      [45, 75],
      [54, 90],
    ]);
  });

  it('R3, F-M4: every limit on exploring is told from its first stage on, with what is left, before exploring ends', () => {
    expect(state({ explore: counted(40, 20) })).toEqual([
      'Explore requests: 20 of 40 used, counting this one; 20 are left.',
    ]);
    expect(state({ physical: counted(86, 40) })).toEqual([
      'Model requests of every kind before finishing: 40 of 80 used, counting this one; 40 are left, and 6 more are kept for finishing.',
    ]);
    expect(state({ activeMs: 27 * MINUTE })).toEqual([
      'Active time before finishing: 27 min of 54 min used, 27 min left; 6 min more for finishing.',
    ]);
    expect(state({ wallMs: 57 * MINUTE + 1 })).toEqual([
      'Time since the start before finishing: 57 min 1 s of 114 min used, 56 min 59 s left; 6 min more for finishing.',
    ]);
    expect(advice({ activeMs: 53 * MINUTE })).toEqual([
      '53 min of 54 min active time before finishing is used and 1 min is left: finish now with what is established.',
    ]);
  });

  it('R18: numbers count the request that they stand in', () => {
    expect(state({ explore: counted(40, 40), physical: counted(86, 40) })[0]).toBe(
      'Explore requests: 40 of 40 used, this is the last one; only finishing requests follow.',
    );
    expect(state({ phase: 'finishing', finish: counted(2, 1) })).toEqual([
      'Finishing requests: 2 of 2 are left, counting this one.',
    ]);
    expect(state({ phase: 'finishing', finish: counted(2, 2) })).toEqual([
      'This is your last finishing request: 1 of 2 is left, counting this one.',
    ]);
    expect(state({ phase: 'finishing', finish: counted(2, 2), language: 'zh' })).toEqual([
      '这是最后一次收尾请求：共 2 次，含本次还剩 1 次。',
    ]);
  });

  it('B3, R18: what is unknown counts as used', () => {
    const explore = { limit: 40, used: 15, reserved: 1, unknown: 4, left: 20 };
    expect(state({ explore })).toEqual(['Explore requests: 20 of 40 used, counting this one; 20 are left.']);
  });

  it('R18: the last finishing request is called so also when physical requests are what ends', () => {
    expect(state({ phase: 'finishing', finish: counted(3, 1), physical: counted(86, 86) })).toEqual([
      'This is your last finishing request: 1 of 3 is left, counting this one, as 0 are left of 86 model requests of every kind.',
    ]);
  });

  it('R6: a local limit is worded locally', () => {
    expect(state({ blocks: [block('fees', 1)] })).toEqual([
      'Block "fees" has 1 of 2 revisions left; other blocks and the ending are not affected.',
    ]);
    expect(state({ blocks: [block('fees', 1)], language: 'zh' })).toEqual([
      '区块“fees”共 2 次修订，还剩 1 次；其他区块和收尾不受影响。',
    ]);
    expect(state({ runRevisions: { limit: 8, used: 8 } })).toEqual([
      'All blocks together have 0 of 8 revisions left; new blocks and the ending are not affected.',
    ]);
    expect(advice({ blocks: [block('fees', 2)] })).toEqual([
      'Block "fees" has 0 of 2 revisions left and stays as it is: put what is new into another block or the closing text.',
    ]);
  });

  it('R4: one line a type: the tightest block first, the rest counted', () => {
    const blocks = [block('a', 1), block('b', 2), block('c', 0), block('d', 1), block('e', 1)];
    const [line] = of({ blocks }).state;
    expect(line).toMatchObject({ subject: 'block:b', stage: 90, basis: { value: 2, limit: 2, unit: 'revisions' } });
    expect(line.text).toBe(
      'Block "b" has 0 of 2 revisions left, and 3 more blocks have used at least half; other blocks and the ending are not affected.',
    );
  });

  it('P3: 0 revisions allowed means 0, and is said', () => {
    expect(state({ blocks: [block('fees', 0, 0)] })).toEqual([
      'Block "fees" has 0 of 0 revisions left; other blocks and the ending are not affected.',
    ]);
  });

  it('P9: a write that was sent and not confirmed counts as used in the state line', () => {
    expect(
      state({
        blocks: [block('fees', 0)],
        runRevisions: { limit: 2, used: 0 },
        unconfirmed: ['fees', 'not-there-yet'],
      }),
    ).toEqual([
      'Block "fees" has 1 of 2 revisions left, counting 1 not confirmed yet; other blocks and the ending are not affected.',
      'All blocks together have 1 of 2 revisions left, counting 1 not confirmed yet; new blocks and the ending are not affected.',
    ]);
  });

  it('R9, R10: context is told in bytes of the content that will be sent, never in tokens', () => {
    const s: Situation = { contentBytes: 310_000 };
    expect(state(s)).toEqual(['Context: the content of this request is 310000 of 409600 bytes, notices not counted.']);
    expect(state({ ...s, language: 'zh' })).toEqual([
      '上下文：本次请求的内容为 310000 字节，上限 409600 字节（不含提示）。',
    ]);
    expect(advice(s)).toHaveLength(1);
    expect([...state(s), ...advice(s)].join()).not.toMatch(/token/i);
  });

  it('C5: sources read in part are named with the bytes had of the total, once exploring is past its first stage', () => {
    const partlyRead = [partly('费用表\n.pdf"x"'), partly('b'), { ...partly('all of it'), hadBytes: 10_000 }];
    expect(advice({ partlyRead })).toEqual([]);
    expect(advice({ partlyRead, explore: counted(40, 22), watermarks: [given('explore-requests', 50)] })).toEqual([
      'Of source "费用表 .pdf x" 2000 of 10000 bytes were read and 1 more source is read in part: read more where it matters, or say so in the report.',
    ]);
  });

  it('R17: finish-now beats plan, work review and read-more; the loser is recorded with the winner', () => {
    const s: Situation = {
      explore: counted(40, 22),
      activeMs: 50 * MINUTE,
      review: { sinceExploreRequests: 16 },
      blocks: [block('fees', 0)],
      partlyRead: [partly('a')],
    };
    const reply = of(s);
    expect(reply.advice.map(({ type }) => type)).toEqual(['active-time']);
    expect(reply.combined).toEqual([
      { type: 'explore-requests', subject: 'run', stage: 50, by: 'active-time' },
      { type: 'work-review', subject: 'run', stage: 1, by: 'active-time' },
      { type: 'partly-read-sources', subject: 'run', stage: 1, by: 'active-time' },
    ]);
    const after = of({ ...s, watermarks: [given('active-time', 90)] });
    expect(after.advice).toEqual([]); // also when it was said before: the next request does not advise the contrary
    expect(after.combined).toHaveLength(3);
    expect(after.state.map(({ type }) => type)).toEqual(['explore-requests', 'active-time']);
  });

  it('R17: exploring advice ends with exploring, state does not', () => {
    const reply = of({
      phase: 'finishing',
      explore: counted(40, 40),
      activeMs: 55 * MINUTE,
      contentBytes: 390_000,
      review: { sinceExploreRequests: 40 },
      partlyRead: [partly('a')],
      blocks: [block('fees', 2)],
    });
    expect(reply.advice.map(({ type }) => type)).toEqual(['block-revisions']);
    expect(reply.combined).toEqual([]);
    expect(reply.reviewCandidate).toBeNull();
    expect(reply.state.map(({ type }) => type)).toEqual([
      'finish-reserve',
      'active-time',
      'context-bytes',
      'block-revisions',
    ]);
  });

  it("R1: a request that is not the main model's is told nothing", () => {
    for (const purpose of ['summarize', 'review'] as const) {
      const reply = of({ purpose, explore: counted(40, 39), blocks: [block('a', 2)] });
      expect([...reply.state, ...reply.advice]).toEqual([]);
      expect(reply.quietUntil.exploreUsed).toBe(0);
    }
  });
});

describe('what was said before', () => {
  it('R4, R8: advice is not repeated at its stage, submitted or uncertain; a higher stage is said', () => {
    for (const delivery of ['submitted', 'uncertain'] as const) {
      const watermarks = [given('explore-requests', 75, { delivery })];
      expect(advice({ explore: counted(40, 31), watermarks })).toEqual([]);
      expect(of({ explore: counted(40, 36), watermarks }).advice).toMatchObject([{ stage: 90 }]);
    }
  });

  it('R4: a state line that was sent holds no advice back', () => {
    const watermarks = [given('explore-requests', 90, { kind: 'state' })];
    expect(of({ explore: counted(40, 31), watermarks })).toMatchObject({ advice: [{ stage: 75 }], rearmed: [] });
  });

  it('R5: deduplicated advice leaves its state line', () => {
    const s: Situation = { explore: counted(40, 31) };
    expect(state({ ...s, watermarks: [given('explore-requests', 75)] })).toEqual(state(s));
  });

  it('R3: a fall by a stage and the margin arms a key again, a smaller one does not', () => {
    const watermarks = [given('context-bytes', 90)];
    const at = (percent: number) => of({ contentBytes: Math.round(4096 * percent), watermarks });
    expect(at(88).rearmed).toEqual([]);
    expect(at(88).advice).toEqual([]);
    expect(at(85).rearmed).toEqual([]);
    expect(at(84).rearmed).toEqual([{ type: 'context-bytes', kind: 'advice', subject: 'run' }]);
    expect(at(84).advice).toMatchObject([{ type: 'context-bytes', stage: 75 }]);
    expect(at(40).rearmed).toHaveLength(1);
  });

  it("R3: another policy version arms a key again, and each version's watermarks count for themselves", () => {
    const old = given('explore-requests', 75, { policyVersion: 1 });
    const s: Situation = { explore: counted(40, 31), policyVersion: 2 };
    expect(of({ ...s, watermarks: [old] })).toMatchObject({
      rearmed: [{ type: 'explore-requests', subject: 'run' }],
      advice: [{ stage: 75, policyVersion: 2 }],
    });
    const both = of({ ...s, watermarks: [old, { ...old, policyVersion: 2 }] });
    expect(both).toMatchObject({ rearmed: [], advice: [] });
  });

  it('R3: each subject has its own watermark', () => {
    const watermarks = [given('block-revisions', 90, { subject: 'block:a' })];
    const reply = of({ blocks: [block('a', 2), block('b', 2)], watermarks });
    expect(reply.advice.map(({ subject }) => subject)).toEqual(['block:b']);
  });

  it('R3: a review that was held arms the advice to look back again', () => {
    const watermarks = [given('work-review', 1)];
    const since = (n: number) => of({ review: { sinceExploreRequests: n }, watermarks });
    expect(since(16)).toMatchObject({ advice: [], rearmed: [], quietUntil: { reviewExploreRequests: 0 } });
    expect(since(30).advice).toMatchObject([{ type: 'work-review', stage: 2 }]);
    expect(since(2)).toMatchObject({
      rearmed: [{ type: 'work-review' }],
      quietUntil: { reviewExploreRequests: 15, reviewMs: 10 * MINUTE },
    });
  });
});

describe('review', () => {
  const due: Situation = { review: { sinceExploreRequests: 15 }, blocks: [block('fees', 0)] };

  it('R11: the candidate comes from facts, whatever became of the advice', () => {
    const reason = { reason: 'explore_requests', basis: { value: 15, limit: 15, unit: 'requests', version: 7 } };
    expect(of(due).reviewCandidate).toEqual(reason);
    expect(of({ ...due, watermarks: [given('work-review', 1)] })).toMatchObject({
      advice: [],
      reviewCandidate: reason,
    });
    expect(of({ ...due, activeMs: 53 * MINUTE })).toMatchObject({
      combined: [{ type: 'work-review', by: 'active-time' }],
      reviewCandidate: reason,
    });
  });

  it('V1: a candidate by time, none while one runs, in finishing, when nothing is published or reviews are off', () => {
    expect(of({ ...due, review: { sinceMs: 10 * MINUTE } }).reviewCandidate).toMatchObject({
      reason: 'time',
      basis: { value: 10 * MINUTE, limit: 10 * MINUTE, unit: 'ms' },
    });
    const none: Situation[] = [
      { ...due, review: { sinceExploreRequests: 14 } },
      { ...due, review: { sinceExploreRequests: 15, running: true } },
      { ...due, review: { sinceExploreRequests: 15, enabled: false } },
      { ...due, phase: 'finishing' },
      { ...due, blocks: [] },
    ];
    for (const s of none) expect(of(s).reviewCandidate).toBeNull();
  });

  it('R15: the advice to look back says how much of what has passed', () => {
    expect(advice(due)).toEqual([
      '15 explore requests since the last review or the start, with a review point every 15: go back to the question, and consider asking for a review.',
    ]);
    expect(advice({ review: { sinceMs: 11 * MINUTE }, language: 'zh' })).toEqual([
      '距上次复核或开始已过 11 分钟（每 10 分钟为一个复核点）：请回看问题和尚未解决之处。',
    ]);
    expect(advice({ ...due, review: { sinceExploreRequests: 15, running: true } })).toEqual([]);
  });
});

it('the facts of these tests are what the contract accepts', () => {
  expect(composeRequest.parse(facts())).toEqual(facts());
});

function partly(name: string) {
  return { locator: 'doc:a', name, hadBytes: 2000, totalBytes: 10_000 };
}
