import type { NoticeLine, NoticesRecord } from '@waymark/record';
import { partsOf } from '@waymark/record';
import { PlayedRun } from '../../test/played-run.js';
import { NO_NOTICES } from './fit-notices.js';
import { hadBytes, partlyRead } from './reading.js';

const line = (stage: number, over: Partial<NoticeLine> = {}): NoticeLine => ({
  type: 'explore-requests',
  kind: 'state',
  subject: 'run',
  stage,
  policyVersion: 1,
  ...over,
});
const notices = (over: Partial<NoticesRecord>): NoticesRecord => ({ ...NO_NOTICES, source: 'reminder', ...over });

/** A request with these notices that ends so. */
function told(p: PlayedRun, over: Partial<NoticesRecord>, how: Parameters<PlayedRun['settle']>[0]): void {
  p.intend('explore', notices(over));
  p.settle({ answer: null, empty: true, ...how });
}
const stages = (p: PlayedRun) => p.state.watermarks.map((w) => [w.type, w.subject, w.stage, w.delivery]);

describe('R8: delivery and watermarks', () => {
  it('R8: a submitted line raises its watermark, also when the request failed after content', () => {
    const p = new PlayedRun();
    told(p, { included: [line(50)] }, { outcome: 'failed', content: true, delivery: 'submitted' });
    expect(stages(p)).toEqual([['explore-requests', 'run', 50, 'submitted']]);
  });

  it('R8: a rejected line leaves its watermark where it was: it is due again', () => {
    const p = new PlayedRun();
    told(p, { included: [line(50)] }, {});
    told(p, { included: [line(75)] }, { outcome: 'failed', content: false, delivery: 'rejected' });
    told(p, { included: [line(75)] }, { outcome: 'not_sent', content: false, delivery: 'rejected' });
    expect(stages(p)).toEqual([['explore-requests', 'run', 50, 'submitted']]);
  });

  it('R8: an uncertain line is kept as uncertain, and is never counted down from submitted', () => {
    const p = new PlayedRun();
    told(p, { included: [line(50)] }, { outcome: 'unknown', content: false, delivery: 'uncertain' });
    expect(stages(p)).toEqual([['explore-requests', 'run', 50, 'uncertain']]);
    told(p, { included: [line(50)] }, {});
    expect(stages(p)).toEqual([['explore-requests', 'run', 50, 'submitted']]);
    told(p, { included: [line(50)] }, { outcome: 'unknown', content: false, delivery: 'uncertain' });
    expect(stages(p)).toEqual([['explore-requests', 'run', 50, 'submitted']]);
  });

  it('R7, R8: what did not stand in the bytes, omitted or combined, moves no watermark', () => {
    const p = new PlayedRun();
    told(
      p,
      {
        omitted: [line(90, { kind: 'advice' })],
        combined: [{ type: 'work-review', subject: 'run', stage: 1, by: 'x' }],
      },
      {},
    );
    expect(p.state.watermarks).toEqual([]);
  });

  it('R3: only the highest stage of a key stays; keys are type, kind, subject and policy version', () => {
    const p = new PlayedRun();
    told(p, { included: [line(75), line(50, { subject: 'block:a' }), line(50, { kind: 'advice' })] }, {});
    told(p, { included: [line(50), line(90, { subject: 'block:a' }), line(50, { policyVersion: 2 })] }, {});
    expect(p.state.watermarks.map((w) => [w.kind, w.subject, w.policyVersion, w.stage])).toEqual([
      ['state', 'run', 1, 75],
      ['state', 'block:a', 1, 90],
      ['advice', 'run', 1, 50],
      ['state', 'run', 2, 50],
    ]);
  });

  it('R3: a key that is armed again loses its watermark, of every policy version, and no other key does', () => {
    const p = new PlayedRun();
    told(p, { included: [line(75), line(75, { policyVersion: 2 }), line(75, { subject: 'block:a' })] }, {});
    p.intend('explore', notices({ rearmed: [{ type: 'explore-requests', kind: 'state', subject: 'run' }] }));
    expect(stages(p)).toEqual([['explore-requests', 'block:a', 75, 'submitted']]);
    expect(p.facts.filter((f) => f.type === 'RequestIntended')[0]).toMatchObject({
      notices: { included: [{ stage: 75 }, { stage: 75 }, { stage: 75 }] },
    });
  });

  it('R12: the request of a summary tells nothing and moves no watermark', () => {
    const p = new PlayedRun();
    p.intend('summarize', notices({ included: [line(90)] }), { from: 1, to: 1, resultCap: 1 });
    p.settle();
    expect(p.state.watermarks).toEqual([]);
  });
});

const range = (start: number, end: number, locator = 'doc:1') => ({
  range: { locator, name: 'a.txt', start, end, total: 100 },
});

describe('C5: what the model has really had', () => {
  it('C5: a range counts when a completed main request had it, not when it was found or stored', () => {
    const p = new PlayedRun();
    p.read('the text', 'read_range', range(0, 40));
    expect(p.state.reading).toEqual({});
    p.intend();
    p.settle({ outcome: 'failed', content: true });
    p.intend();
    p.settle({ outcome: 'unknown', content: false, delivery: 'uncertain' });
    p.intend('summarize', NO_NOTICES, { from: 1, to: 1, resultCap: 1 });
    p.settle();
    expect(p.state.reading).toEqual({});
    p.turn([{ tool: 'search', text: 'hits' }]);
    expect(p.state.reading).toEqual({ 'doc:1': { name: 'a.txt', total: 100, had: [[0, 40]] } });
  });

  it('C5: ranges merge, overlaps count once, and the rest is told as partly read', () => {
    const p = new PlayedRun();
    p.turn([
      { tool: 'read_range', text: 'a', settled: range(40, 60) },
      { tool: 'read_range', text: 'b', settled: range(0, 10) },
      { tool: 'read_range', text: 'c', settled: range(50, 70) },
      { tool: 'read_range', text: 'd', settled: range(10, 20) },
      { tool: 'read_range', text: 'e', settled: range(0, 100, 'doc:2') },
    ]);
    p.intend();
    p.settle({ empty: true });
    const source = p.state.reading['doc:1'];
    expect(source?.had).toEqual([
      [0, 20],
      [40, 70],
    ]);
    expect(source && hadBytes(source)).toBe(50);
    expect(partlyRead(p.state.reading, 50)).toEqual([
      { locator: 'doc:1', name: 'a.txt', hadBytes: 50, totalBytes: 100 },
    ]);
  });

  it('C5: of a paged result the bytes of the head count as had, its own first line not', () => {
    const p = new PlayedRun();
    const action = p.read(`${'h'.repeat(9)}\n${'x'.repeat(90)}`, 'read_range', range(5, 95));
    p.add({ type: 'ResultPaged', action, headBytes: 40 });
    p.intend();
    p.settle({ empty: true });
    expect(p.state.reading['doc:1']?.had).toEqual([[5, 35]]);
  });

  it('C5: a head that holds no more than the first line counts nothing as had', () => {
    const p = new PlayedRun();
    const action = p.read('x'.repeat(5000), 'read_range', range(0, 90));
    p.add({ type: 'ResultPaged', action, headBytes: 600 });
    p.intend();
    p.settle({ empty: true });
    expect(p.state.reading).toEqual({});
  });
});

describe('the turn', () => {
  it('C2: a result stands in a request only as a stored body under its own identity, an empty one too', () => {
    const p = new PlayedRun();
    p.intend();
    p.answer('two', [
      { tool: 'search', text: '' },
      { tool: 'search', text: 'x' },
    ]);
    p.receipt('1.1', 'x');
    const results = () => partsOf(p.state.transcript).filter((part) => part.kind === 'result');
    expect(results()).toEqual([]);
    p.receipt('1.0', '');
    expect(results().map((part) => part.entry.settled)).toEqual([
      expect.objectContaining({ action: '1.0', result: expect.objectContaining({ bytes: 0 }) as unknown }),
      expect.objectContaining({ action: '1.1', result: expect.objectContaining({ bytes: 1 }) as unknown }),
    ]);
    for (const part of results()) expect(p.lookup(part.entry.settled.result)).toBeDefined();
  });

  it('L1: a turn is counted when its request completed, and only then', () => {
    const p = new PlayedRun();
    for (const how of [
      { outcome: 'failed', content: false, delivery: 'rejected' },
      { outcome: 'unknown', content: false, delivery: 'uncertain' },
      { outcome: 'not_sent', content: false, delivery: 'rejected' },
    ] as const) {
      p.intend();
      p.settle(how);
    }
    expect([p.state.turn, p.state.attempt, p.state.requests]).toEqual([0, 3, 3]);
    p.turn([{ tool: 'search', text: 'hits' }]);
    expect([p.state.turn, p.state.attempt, p.state.requests]).toEqual([1, 0, 4]);
  });

  it('L1: parked until woken; parks in a row are counted until content comes', () => {
    const p = new PlayedRun();
    p.add({ type: 'RunParked', round: 1, forMs: 1, code: 'x', counted: true });
    expect(p.state.parked).toEqual({ round: 1, code: 'x' });
    p.add({ type: 'RunWoken' });
    p.add({ type: 'RunParked', round: 2, forMs: 1, code: 'x', counted: true });
    expect([p.state.parked, p.state.parksInRow]).toEqual([{ round: 2, code: 'x' }, 2]);
    p.intend();
    expect(p.state.parked).toBeNull();
    p.settle({ outcome: 'failed', content: true });
    expect(p.state.parksInRow).toBe(0);
  });

  it('B13: what the last requests cost is kept as reported, null where nothing was', () => {
    const p = new PlayedRun();
    p.intend();
    p.settle({ outcome: 'unknown', content: false, delivery: 'uncertain' });
    p.intend();
    const usage = { inputTokens: 7, outputTokens: null, cachedInputTokens: null, costMicros: null };
    p.settle({ usage, empty: true });
    expect(p.state.recent.map((r) => r.usage)).toEqual([null, usage]);
  });

  it('P9: an unconfirmed write is kept until it is confirmed, and counts as written only then', () => {
    const p = new PlayedRun();
    const settled = { outcome: 'unconfirmed', effect: { kind: 'block', detail: 'fees' } } as const;
    p.turn([{ tool: 'write_block', kind: 'keyed', text: '{}', settled }]);
    expect([p.state.unconfirmed, p.state.blocksWritten]).toEqual([[{ action: '1.0', block: 'fees' }], 0]);
    p.add({ type: 'WriteConfirmed', action: '1.0', outcome: 'written' });
    expect([p.state.unconfirmed, p.state.blocksWritten]).toEqual([[], 1]);
  });

  it('P9, L11: a write that did not arrive is kept as lost until its block is written after all', () => {
    const p = new PlayedRun();
    const block = (outcome: 'ok' | 'failed' | 'unconfirmed', detail: string) => ({
      ...{ tool: 'write_block', kind: 'keyed' as const, text: '{}' },
      settled: { outcome, effect: { kind: 'block' as const, detail } },
    });
    p.turn([block('failed', 'fees'), block('failed', 'risk'), block('unconfirmed', 'tax')]);
    expect(p.state.lostWrites.map((w) => w.block)).toEqual(['fees', 'risk']);
    p.turn([block('ok', 'fees')]);
    expect(p.state.lostWrites.map((w) => w.block)).toEqual(['risk']);
    p.add({ type: 'WriteConfirmed', action: '1.2', outcome: 'refused' });
    expect([p.state.unconfirmed, p.state.lostWrites.map((w) => w.block)]).toEqual([[], ['risk', 'tax']]);
  });

  it('C18: a lowered hard limit is a recorded fact, counted until a request completes', () => {
    const p = new PlayedRun();
    p.add({ type: 'HardLimitLowered', from: p.state.hard, to: 90_000, request: 1 });
    p.add({ type: 'HardLimitLowered', from: 90_000, to: 70_000, request: 2 });
    expect([p.state.hard, p.state.hardLowered]).toEqual([70_000, 2]);
    p.read('x', 'search');
    expect([p.state.hard, p.state.hardLowered]).toEqual([70_000, 0]);
  });

  it('V2: a verdict or its deadline ends the wait for that review and for no other', () => {
    const p = new PlayedRun();
    const dispatch = (review: string) =>
      p.add({ type: 'ReviewDispatched', review, candidate: null, deadlineMs: 9, activeMs: 0 });
    dispatch('r1');
    p.add({ type: 'ReviewOverdue', review: 'other' });
    expect(p.state.review.running).toEqual({ review: 'r1', deadlineMs: 9 });
    p.add({ type: 'ReviewOverdue', review: 'r1' });
    expect(p.state.review.running).toBeNull();
    dispatch('r2');
    p.add({ type: 'VerdictHeard', inbox: 1, review: 'r1', outcome: 'ok', code: null, advice: null });
    expect(p.state.review.running?.review).toBe('r2');
    p.add({ type: 'VerdictHeard', inbox: 2, review: 'r2', outcome: 'ok', code: null, advice: null });
    expect([p.state.review.running, p.state.inbox]).toEqual([null, 2]);
  });
});
