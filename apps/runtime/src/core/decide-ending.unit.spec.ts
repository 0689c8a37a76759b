import { PlayedRun } from '../../test/played-run.js';
import { decideEnding, ENDING_STEPS, knownGaps, nextEndingStep } from './decide-ending.js';
import { gapsNow } from './write-gaps.js';
import type { EndCause } from './decide-next.js';

const finished: EndCause = { kind: 'model_finished' };
const closes: EndCause = { kind: 'runtime_closes', code: 'finish_exhausted', detail: 'no finishing request is left' };
const brief = (p: PlayedRun, cause: EndCause) => {
  const { outcome, code } = decideEnding(p.state, cause);
  return [outcome, code];
};
const block = { outcome: 'ok', effect: { kind: 'block', detail: 'fees' } } as const;
const write = (p: PlayedRun) => p.turn([{ tool: 'write_block', kind: 'keyed', text: '{}', settled: block }]);
const finish = (p: PlayedRun, text: string) =>
  p.turn([{ tool: 'finish', kind: 'keyed', text, settled: { effect: { kind: 'finish' } } }]);
const limit = (p: PlayedRun) =>
  p.add({ type: 'PhaseChanged', phase: 'finishing', code: 'explore_exhausted', reason: '40 of 40 explore requests' });

describe('L10: one place decides how a run ends', () => {
  it('L10: completed when the model finished by itself and exploring was not cut short', () => {
    const p = new PlayedRun();
    write(p);
    finish(p, '');
    expect(brief(p, finished)).toEqual(['completed', 'finished']);
    const q = new PlayedRun();
    q.turn([], 'The answer.');
    expect(brief(q, finished)).toEqual(['completed', 'finished']);
    expect(decideEnding(q.state, finished).closing).toEqual(q.state.closing?.text);
  });

  it('F-B1, L10: partial when a limit cut exploring short: the code names the limit, the reason says it', () => {
    const p = new PlayedRun();
    write(p);
    limit(p);
    finish(p, 'As far as it goes.');
    expect(decideEnding(p.state, finished)).toMatchObject({
      outcome: 'partial',
      code: 'explore_exhausted',
      reason: expect.stringContaining('40 of 40 explore requests') as unknown,
    });
  });

  it('L11, F-E2: partial when the runtime closed; the reason says what was published and why the model could not', () => {
    const p = new PlayedRun();
    write(p);
    expect(brief(p, closes)).toEqual(['partial', 'finish_exhausted']);
    limit(p);
    const { outcome, code, reason } = decideEnding(p.state, closes);
    expect([outcome, code]).toEqual(['partial', 'explore_exhausted']);
    expect(reason).toMatch(/Exploring was cut short: 40 of 40.*The runtime closed.*no finishing request is left/);
  });

  it('L11: failed when nothing could be published, and the reason says why', () => {
    const p = new PlayedRun();
    const refused: EndCause = { kind: 'runtime_closes', code: 'provider_refused', detail: 'the key is not valid' };
    expect(brief(p, refused)).toEqual(['failed', 'provider_refused']);
    expect(decideEnding(p.state, refused).reason).toMatch(/Nothing could be published: the key is not valid/);
  });

  it('L10: the model’s finish without a word and without a block published nothing: failed, never completed', () => {
    const p = new PlayedRun();
    p.read('x');
    finish(p, '');
    expect(brief(p, finished)).toEqual(['failed', 'nothing_published']);
    expect(decideEnding(p.state, finished).closing).toBeNull();
    limit(p);
    expect(brief(p, finished)).toEqual(['failed', 'nothing_published']);
  });

  it('L6: cancelled is cancelled, also when the model had closed its report', () => {
    const p = new PlayedRun();
    p.turn([], 'The answer.');
    expect(brief(p, { kind: 'cancelled', reason: null })).toEqual(['cancelled', 'cancelled']);
    expect(brief(new PlayedRun(), { kind: 'cancelled', reason: 'enough' })).toEqual(['cancelled', 'cancelled']);
    expect(decideEnding(p.state, { kind: 'cancelled', reason: 'enough' }).reason).toContain('stopped (enough);');
    expect(decideEnding(p.state, { kind: 'cancelled', reason: null }).reason).toContain('stopped;');
  });

  it('L15: a run that was set aside is closed from what is published, and says after how many claims', () => {
    const p = new PlayedRun();
    expect(brief(p, { kind: 'set_aside', claims: 3 })).toEqual(['failed', 'set_aside']);
    write(p);
    const ending = decideEnding(p.state, { kind: 'set_aside', claims: 3 });
    expect(ending).toMatchObject({ outcome: 'partial', reason: expect.stringContaining('3 claims') as unknown });
  });

  it('L11: a reason of any length and any characters can be recorded', () => {
    const p = new PlayedRun();
    const detail = 'x'.repeat(899 - 31) + '\ud83d\ude00'.repeat(400);
    const { reason } = decideEnding(p.state, { kind: 'runtime_closes', code: 'x', detail });
    expect(reason.length).toBeLessThanOrEqual(900);
    expect(reason.isWellFormed()).toBe(true);
  });

  it('L10: the ending’s steps go on in their order from wherever a death left them', () => {
    const p = new PlayedRun();
    p.add({ type: 'RunEnding', outcome: 'completed', code: 'x', reason: 'x', closing: null, gaps: [] });
    const seen = [];
    for (let step = nextEndingStep(p.state); step !== null; step = nextEndingStep(p.state)) {
      seen.push(step);
      p.add({ type: 'EndingStepDone', step });
    }
    expect(seen).toEqual(['budget_closed', 'settled', 'reviews_stopped', 'report_closed']);
    expect(seen).toEqual([...ENDING_STEPS]);
  });
});

describe('P7: open gaps', () => {
  const range = (locator: string, end: number) => ({
    range: { locator, name: `${locator}.txt`, start: 0, end, total: 100 },
  });

  it('P7: unconfirmed writes, sources read in part and a review without a verdict are named; what was read whole is not', () => {
    const p = new PlayedRun();
    expect(knownGaps(p.state)).toEqual([]);
    p.turn([
      { tool: 'read_range', text: 'a', settled: range('doc:1', 40) },
      { tool: 'read_range', text: 'b', settled: range('doc:2', 100) },
      {
        tool: 'write_block',
        kind: 'keyed',
        text: '{}',
        settled: { outcome: 'unconfirmed', effect: { kind: 'block', detail: 'fees' } },
      },
    ]);
    p.read('x', 'search');
    p.add({ type: 'ReviewDispatched', review: 'r1', candidate: null, deadlineMs: 1, activeMs: 0 });
    expect(knownGaps(p.state)).toEqual([
      'One write of block "fees" was not confirmed.',
      'Source "doc:1.txt" was read in part: 40 of 100 bytes.',
      'A review was under way and gave no verdict.',
    ]);
  });

  it('L11: a closing text that the report takes only in part is a gap that says how much', () => {
    const p = new PlayedRun();
    p.turn([], 'The answer.');
    const { gaps } = decideEnding(p.state, finished, { text: 'The', kept: 3, total: 11 });
    expect(gaps).toEqual([
      "The closing text was cut: its first 3 of 11 bytes are shown; the whole stands in the run's record.",
    ]);
    expect(decideEnding(p.state, finished, { text: 'The answer.', kept: 11, total: 11 }).gaps).toEqual([]);
  });

  it('P9: a write that arrives while the run ends is no gap any more; one that is refused is another', () => {
    const p = new PlayedRun();
    const open = (detail: string) => ({
      ...{ tool: 'write_block', kind: 'keyed' as const, text: '{}' },
      settled: { outcome: 'unconfirmed' as const, effect: { kind: 'block' as const, detail } },
    });
    p.turn([open('fees'), open('risk'), open('tax')]);
    p.add(decideEnding(p.state, closes));
    const unconfirmed = (block: string) => `One write of block "${block}" was not confirmed.`;
    expect(gapsNow(p.state)).toEqual(['fees', 'risk', 'tax'].map(unconfirmed));
    p.add({ type: 'WriteConfirmed', action: '1.0', outcome: 'written' });
    p.add({ type: 'WriteConfirmed', action: '1.1', outcome: 'refused' });
    expect(gapsNow(p.state)).toEqual([unconfirmed('tax'), 'One write of block "risk" could not be published.']);
  });

  it('F-B1: a run whose wall clock went by before it could begin met a limit', () => {
    const p = new PlayedRun();
    expect(brief(p, { kind: 'runtime_closes', code: 'wall_time_over', detail: 'x' })).toEqual([
      'partial',
      'wall_time_over',
    ]);
  });

  it('P7: in the run’s language, at most twenty, the rest counted', () => {
    const p = new PlayedRun({ question: '哪只基金更便宜?' });
    p.turn(Array.from({ length: 25 }, (_, i) => ({ tool: 'read_range', text: 'a', settled: range(`doc:${i}`, 1) })));
    p.read('x', 'search');
    const gaps = knownGaps(p.state);
    expect([gaps.length, gaps[0], gaps.at(-1)]).toEqual([21, '来源“doc:0.txt”只读了 1/100 字节。', '另有 5 项。']);
  });
});
