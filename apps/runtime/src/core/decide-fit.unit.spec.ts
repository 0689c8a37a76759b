import { PlayedRun, type Summarizer } from '../../test/played-run.js';
import { contentLimit, nextRung } from './decide-fit.js';

const KIB = 1024;
const never: Summarizer = () => 'refused';
const rungs = (p: PlayedRun, purpose: 'explore' | 'finish' = 'explore', summarizer = never) =>
  p.prepare(purpose, summarizer).map((r) => r.rung);
function pass(p: PlayedRun): void {
  p.intend();
  p.settle({ empty: true });
}

describe('C16: what is measured', () => {
  it('F-C11, C16: 20 KiB of history with 90 KiB of tools does not fit 100 KiB: the whole request is measured', () => {
    const tools = JSON.stringify([{ type: 'function', function: { name: 'x', description: 'd'.repeat(90 * KIB) } }]);
    const p = new PlayedRun({ tools, overrides: { hardLimitBytes: 100 * KIB } });
    p.read('x'.repeat(20 * KIB));
    pass(p);
    expect(p.content()).toBeGreaterThan(110 * KIB);
    expect(nextRung(p.state, p.head('explore').size, p.sizeOf, false).rung).toBe('retire');
    expect(rungs(p).at(-1)).toBe('fits');
    expect(p.body().length).toBeLessThanOrEqual(100 * KIB);
  });

  it('C16: content must fit the hard limit minus the notice room, to the byte', () => {
    const p = new PlayedRun({ overrides: { hardLimitBytes: 60 * KIB } });
    const empty = p.content();
    const room = contentLimit(p.state) - empty;
    expect(contentLimit(p.state)).toBe(60 * KIB - 2 * KIB);
    p.intend();
    p.answer('', [{ tool: 'read_range', text: '' }]);
    p.receipt('1.0', '');
    const frame = p.content() - empty;
    for (const [bytes, rung] of [
      [room - frame, 'fits'],
      [room - frame + 1, 'page'],
    ] as const) {
      const q = new PlayedRun({ overrides: { hardLimitBytes: 60 * KIB } });
      q.turn([{ tool: 'read_range', text: 'x'.repeat(bytes) }], '');
      expect(nextRung(q.state, q.head('explore').size, q.sizeOf, false).rung).toBe(rung);
    }
  });

  it('C18, C16: the limit in force is the one that was lowered', () => {
    const p = new PlayedRun({ overrides: { hardLimitBytes: 100 * KIB } });
    p.read('x'.repeat(60 * KIB));
    expect(nextRung(p.state, p.head('explore').size, p.sizeOf, false).rung).toBe('fits');
    p.add({ type: 'HardLimitLowered', from: 100 * KIB, to: 40 * KIB, request: 1 });
    expect(nextRung(p.state, p.head('explore').size, p.sizeOf, false).rung).toBe('page');
  });

  it('C13, F-R6: sizes are UTF-8 bytes: a hundred Chinese characters weigh 300', () => {
    const p = new PlayedRun();
    p.turn([{ tool: 'read_range', text: '' }], '');
    const before = p.content();
    p.turn([{ tool: 'read_range', text: '' }], '');
    const frame = p.content() - before;
    const q = new PlayedRun();
    q.turn([{ tool: 'read_range', text: '' }], '');
    q.turn([{ tool: 'read_range', text: '费'.repeat(100) }], '');
    expect(q.content() - before - frame).toBe(300);
  });
});

describe('C17: the rungs', () => {
  const tight = () => new PlayedRun({ overrides: { hardLimitBytes: 60 * KIB } });

  it('C17: results that the model has not had are paged first: heads of equal size, small ones whole', () => {
    const p = tight();
    p.turn([
      { tool: 'read_range', text: 'a'.repeat(50 * KIB) },
      { tool: 'read_range', text: 'b'.repeat(40 * KIB) },
      { tool: 'read_range', text: 'c'.repeat(900) },
    ]);
    expect(rungs(p)).toEqual(['page', 'fits']);
    const heads = p.facts.flatMap((f) => (f.type === 'ResultPaged' ? [f] : []));
    expect(heads.map((f) => f.action)).toEqual(['1.0', '1.1']);
    expect(Math.abs((heads[0]?.headBytes ?? 0) - (heads[1]?.headBytes ?? 0))).toBeLessThan(10);
    expect(heads[0]?.headBytes).toBeGreaterThan(20 * KIB);
    expect(p.text()).toContain('"locator\\":\\"result:1.0\\"');
  });

  it('C17: bodies that the model has had retire whole before any turn is summarized', () => {
    const p = tight();
    p.read('a'.repeat(10 * KIB));
    p.read('b'.repeat(2 * KIB));
    p.turn([{ tool: 'search', text: 'hits' }], 'Words of the model. '.repeat(1800));
    pass(p);
    p.read('c'.repeat(400));
    expect(contentLimit(p.state) - p.content()).toBeGreaterThan(0);
    p.turn([{ tool: 'search', text: 'hits' }], 'Words. '.repeat(800));
    expect(nextRung(p.state, p.head('explore').size, p.sizeOf, false).rung).toBe('retire');
    const summarized: string[] = [];
    expect(rungs(p, 'explore', (i) => (summarized.push(`${i.from}-${i.to}`), 'refused'))).toEqual(['retire', 'fits']);
    expect([p.form('1.0'), p.form('2.0'), summarized]).toEqual(['stub', 'stub', []]);
  });

  it('C17: then a summary, and when that brings nothing the floor: question and map of the report', () => {
    const long = 'Words of the model. '.repeat(150);
    const full = () => {
      const p = tight();
      for (let i = 0; i < 16; i += 1) p.turn([{ tool: 'search', text: 'hits' }], long);
      return p;
    };
    const good: Summarizer = () => ({ finish: 'stop', text: 'Notes. '.repeat(100) });
    const p = full();
    p.add({ type: 'HardLimitLowered', from: 60 * KIB, to: 40 * KIB, request: 1 });
    const q = full();
    q.add({ type: 'HardLimitLowered', from: 60 * KIB, to: 40 * KIB, request: 1 });
    expect([p.content() > contentLimit(p.state), p.state.summaries]).toEqual([true, 0]);
    expect(rungs(p, 'explore', good)).toEqual(['fits']);
    expect(p.state.summaries).toBe(1);
    expect(rungs(q, 'explore', never)).toEqual(['summarize', 'floor', 'fits']);
    expect(q.state.transcript.entries).toMatchObject([{ kind: 'map' }]);
  });

  it('C17: in finishing the summaries’ rung is skipped', () => {
    const p = tight();
    for (let i = 0; i < 16; i += 1) p.turn([{ tool: 'search', text: 'hits' }], 'Words of the model. '.repeat(150));
    p.add({ type: 'PhaseChanged', phase: 'finishing', code: 'x', reason: 'x' });
    p.add({ type: 'HardLimitLowered', from: 60 * KIB, to: 40 * KIB, request: 1 });
    expect(rungs(p, 'finish', () => ({ finish: 'stop', text: 'Notes. '.repeat(100) }))).toEqual(['floor', 'fits']);
    expect(p.facts.filter((f) => f.type === 'RequestIntended' && f.purpose === 'summarize')).toEqual([]);
  });

  it('C17, L11: a floor that does not fit a lowered limit is said to be impossible, and never tried twice', () => {
    const p = new PlayedRun({ question: 'q'.repeat(30 * KIB), overrides: { hardLimitBytes: 60 * KIB } });
    p.read('x');
    p.add({ type: 'HardLimitLowered', from: 60 * KIB, to: 30 * KIB, request: 1 });
    expect(rungs(p).slice(-2)).toEqual(['floor', 'impossible']);
    expect(rungs(p)).toEqual(['impossible']);
    expect(p.facts.filter((f) => f.type === 'FloorBuilt')).toHaveLength(1);
  });
});
