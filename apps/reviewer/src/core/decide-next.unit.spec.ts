import { decideNext, MAX_REQUESTS, type Situation } from './decide-next.js';
import { evolve, newReview, type ReviewState } from './evolve.js';
import type { ReviewAnswered, ReviewFact, ReviewRequested } from './facts.js';

const intent = (request: number): ReviewRequested => ({
  type: 'ReviewRequested',
  request,
  key: `review:r/1/${request}`,
  reservation: `res-${request}`,
  model: 'm',
  body: { digest: '0'.repeat(64), bytes: 1 },
  hardLimitBytes: 1_000,
  report: { version: 1, blocks: 1, textBytes: 1, shownBytes: 1 },
  deadlines: { firstContentMs: 1, progressMs: 1, totalMs: 1, leftMs: 1, bound: 'policy' },
});
const answer = (request: number, outcome: ReviewAnswered['outcome'] = 'failed'): ReviewAnswered => ({
  ...{ type: 'ReviewAnswered', request, outcome, content: false, code: 'x', status: null, usage: null, answer: null },
});
const verdict: ReviewFact = {
  type: 'VerdictGiven',
  verdict: { review: 'r', run: 'run', outcome: 'ok', points: [], code: null, reportVersion: 1 },
};
const given = (...facts: ReviewFact[]): ReviewState => facts.reduce(evolve, newReview);
const calm: Situation = { stopped: false, deadlineLeftMs: 1_000, claims: 1 };
const next = (facts: ReviewFact[], change: Partial<Situation> = {}) =>
  decideNext(given(...facts), { ...calm, ...change });

describe('what a review does next', () => {
  it('L4: an intent without an outcome is unknown first of all, also when stopped or late', () => {
    const unknown = { do: 'mark_unknown', request: 1 };
    expect(next([intent(1)])).toEqual(unknown);
    expect(next([intent(1)], { stopped: true, deadlineLeftMs: -1 })).toEqual(unknown);
  });

  it('requests, and again after an outcome, with the next number', () => {
    expect(next([])).toEqual({ do: 'request', request: 1 });
    expect(next([intent(1), answer(1)])).toEqual({ do: 'request', request: 2 });
  });

  it('V2: after its deadline it ends with a failed verdict', () => {
    expect(next([], { deadlineLeftMs: 0 })).toEqual({ do: 'give_up', code: 'review_deadline' });
  });

  it('L6: a stop ends it', () => {
    expect(next([intent(1), answer(1)], { stopped: true })).toEqual({ do: 'give_up', code: 'stopped' });
  });

  it('L15: a review that takes its owners down is given up', () => {
    expect(next([], { claims: 3 })).toEqual({ do: 'request', request: 1 });
    expect(next([], { claims: 4 })).toEqual({ do: 'give_up', code: 'abandoned' });
    const all = Array.from({ length: MAX_REQUESTS }, (_, i) => [intent(i + 1), answer(i + 1, 'unknown')]).flat();
    expect(next(all)).toEqual({ do: 'give_up', code: 'abandoned' });
  });

  it('V2: one verdict: after it nothing is sent, whatever happens', () => {
    const done = [intent(1), answer(1, 'completed'), verdict];
    expect(next(done, { stopped: true, deadlineLeftMs: -1, claims: 9 })).toEqual({ do: 'close' });
    expect(given(...done, { type: 'ReviewClosed', settled: true }).closed).toBe(true);
  });
});
