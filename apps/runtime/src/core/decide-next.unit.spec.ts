import { PlayedRun } from '../../test/played-run.js';
import { decideNext } from './decide-next.js';

const next = (p: PlayedRun, cancelled = false) => decideNext(p.state, cancelled);
function empty(p: PlayedRun, purpose: 'explore' | 'finish' = 'explore'): void {
  p.intend(purpose);
  p.settle({ empty: true });
}
const finishing = (p: PlayedRun) => p.add({ type: 'PhaseChanged', phase: 'finishing', code: 'x', reason: 'a limit' });
const limit = (p: PlayedRun, name: 'active' | 'wall' | 'user', stage: 'neared' | 'reached') =>
  p.add({ type: 'LimitHeard', inbox: p.state.inbox + 1, limit: name, stage });
const ending = (p: PlayedRun) =>
  p.add({ type: 'RunEnding', outcome: 'completed', code: 'x', reason: 'x', closing: null, gaps: [] });

describe('what the run does next', () => {
  it('L11: exploring asks for explore requests, finishing for finish requests, and nothing goes back', () => {
    const p = new PlayedRun();
    expect(next(p)).toEqual({ do: 'request', purpose: 'explore' });
    finishing(p);
    expect(next(p)).toEqual({ do: 'request', purpose: 'finish' });
    p.turn([{ tool: 'calculate', text: '1' }], 'x', 'finish');
    expect(next(p)).toEqual({ do: 'request', purpose: 'finish' });
  });

  it('C14: the actions of an answer come before any further request', () => {
    const p = new PlayedRun();
    p.intend();
    p.answer('x', [{ tool: 'search', text: 'hits' }]);
    expect(next(p)).toEqual({ do: 'run-actions' });
    p.receipt('1.0', 'hits');
    expect(next(p)).toEqual({ do: 'request', purpose: 'explore' });
  });

  it('L10: text without calls closes the report and ends the run; so does the finish tool', () => {
    const p = new PlayedRun();
    p.turn([], 'The answer.');
    expect(next(p)).toEqual({ do: 'end', cause: { kind: 'model_finished' } });
    const q = new PlayedRun();
    q.turn([{ tool: 'finish', text: 'The answer.', settled: { effect: { kind: 'finish' } } }]);
    expect(next(q)).toEqual({ do: 'end', cause: { kind: 'model_finished' } });
  });

  it('F-E1, L11: an empty answer counts as a turn; the second in a row goes to finishing, with its own requests', () => {
    const p = new PlayedRun();
    p.read('x');
    empty(p);
    expect([p.state.turn, next(p)]).toEqual([2, { do: 'request', purpose: 'explore' }]);
    expect(p.text()).toContain('Your last answer was empty');
    empty(p);
    expect(next(p)).toMatchObject({ do: 'finish-phase', code: 'empty_answers' });
    finishing(p);
    expect(next(p)).toEqual({ do: 'request', purpose: 'finish' });
    empty(p, 'finish');
    empty(p, 'finish');
    expect(next(p)).toMatchObject({ do: 'end', cause: { kind: 'runtime_closes', code: 'empty_answers' } });
  });

  it('F-E1: empty answers count in a row only', () => {
    const p = new PlayedRun();
    empty(p);
    p.read('x');
    empty(p);
    expect(next(p)).toEqual({ do: 'request', purpose: 'explore' });
  });

  it('F-B13: an answer cut by its length is no closing block; empty or not it counts as incomplete, and finishing still happens', () => {
    const p = new PlayedRun();
    p.intend();
    p.answer('The answer is', [], { finish: 'length' });
    expect([p.state.closing, next(p)]).toEqual([null, { do: 'request', purpose: 'explore' }]);
    p.intend();
    p.settle({ empty: true, finish: 'length' });
    expect(next(p)).toMatchObject({ do: 'finish-phase', code: 'empty_answers' });
    expect(p.state.requests).toBe(2);
  });

  it('B4, L11: a limit that comes within its output time ends exploring, and its end ends finishing', () => {
    for (const [name, near, over] of [
      ['user', 'user_deadline_near', 'user_deadline_over'],
      ['active', 'active_time_near', 'active_time_over'],
      ['wall', 'wall_time_near', 'wall_time_over'],
    ] as const) {
      const p = new PlayedRun();
      limit(p, name, 'neared');
      expect(next(p)).toMatchObject({ do: 'finish-phase', code: near });
      finishing(p);
      expect(next(p)).toEqual({ do: 'request', purpose: 'finish' });
      limit(p, name, 'reached');
      expect(next(p)).toMatchObject({ do: 'end', cause: { kind: 'runtime_closes', code: over } });
    }
  });

  it('L6: a stop comes before actions, limits and the model’s own end', () => {
    const p = new PlayedRun();
    p.intend();
    p.answer('x', [{ tool: 'search', text: 'hits' }]);
    limit(p, 'wall', 'reached');
    expect(next(p, true)).toEqual({ do: 'cancel' });
    const q = new PlayedRun();
    q.turn([], 'The answer.');
    expect(next(q, true)).toEqual({ do: 'cancel' });
  });

  it('L1, L10: what is ending goes on with its ending, whatever else is heard: one end', () => {
    const p = new PlayedRun();
    p.turn([], 'The answer.');
    ending(p);
    limit(p, 'wall', 'reached');
    expect([next(p), next(p, true)]).toEqual([{ do: 'continue-ending' }, { do: 'continue-ending' }]);
    p.add({ type: 'RunEnded', outcome: 'completed', code: 'x' });
    expect([next(p), next(p, true)]).toEqual([{ do: 'continue-ending' }, { do: 'continue-ending' }]);
  });
});
