import type { BudgetSnapshot } from '@waymark/contracts/budget';
import { PlayedRun } from '../../test/played-run.js';
import { blockOf, budgetOf, countOf, publicationOf } from '../../test/snapshots.js';
import { admitReview } from './decide-review.js';
import { NO_NOTICES } from './fit-notices.js';

const published = publicationOf({ blocks: [blockOf('fees')] });
const ask = (
  p: PlayedRun,
  over: { budget?: Partial<BudgetSnapshot>; publication?: typeof published | null; asked?: 'model' | 'candidate' } = {},
) => {
  const { budget = {}, publication = published, asked = 'candidate' } = over;
  const admission = admitReview(p.state, budgetOf(budget), publication, asked);
  return admission.admit ? 'admitted' : admission.code;
};
const dispatch = (p: PlayedRun, review = 'r1') =>
  p.add({ type: 'ReviewDispatched', review, candidate: null, deadlineMs: 1, activeMs: 0 });

describe('V1: admission of a review', () => {
  it('V1: a candidate with something to review and budget for it is admitted', () => {
    expect(ask(new PlayedRun())).toBe('admitted');
    expect(ask(new PlayedRun(), { asked: 'model' })).toBe('admitted');
  });

  it('V1: not when the policy has none', () => {
    expect(ask(new PlayedRun({ overrides: { review: false } }))).toBe('reviews_disabled');
    expect(ask(new PlayedRun({ policy: 'bench' }))).toBe('reviews_disabled');
  });

  it('V1: not when exploring is over, at the runtime or at budget', () => {
    const p = new PlayedRun();
    p.add({ type: 'PhaseChanged', phase: 'finishing', code: 'x', reason: 'x' });
    expect(ask(p)).toBe('not_exploring');
    expect(ask(new PlayedRun(), { budget: { phase: 'finishing' } })).toBe('not_exploring');
    expect(ask(new PlayedRun(), { budget: { phase: 'closed' } })).toBe('not_exploring');
  });

  it('V1: not while nothing is published, or publication never answered', () => {
    expect(ask(new PlayedRun(), { publication: publicationOf() })).toBe('nothing_published');
    expect(ask(new PlayedRun(), { publication: null })).toBe('nothing_published');
  });

  it('V1: not while one runs; again after its verdict or its deadline', () => {
    const p = new PlayedRun();
    dispatch(p);
    expect(ask(p)).toBe('review_running');
    p.add({ type: 'ReviewOverdue', review: 'r1' });
    expect(ask(p)).toBe('admitted');
  });

  it('V1: too soon when the model asks within the policy’s requests and time; the first may be asked for at any time', () => {
    const p = new PlayedRun();
    expect(ask(p, { asked: 'model' })).toBe('admitted');
    dispatch(p);
    p.add({ type: 'ReviewOverdue', review: 'r1' });
    const active = { ...budgetOf().active, usedMs: p.policy.review.everyMs };
    expect(ask(p, { asked: 'model', budget: { active } })).toBe('admitted');
    for (let i = 1; i < p.policy.review.everyExploreRequests; i += 1) {
      p.intend();
      p.settle({ empty: true });
      expect([i, ask(p, { asked: 'model' })]).toEqual([i, 'too_soon']);
    }
    p.intend();
    p.settle({ empty: true });
    expect(ask(p, { asked: 'model' })).toBe('admitted');
  });

  it('V1, B4: not when no main request is left after the verdict, nor when it would eat the finish reserve', () => {
    const p = new PlayedRun();
    expect(ask(p, { budget: { explore: countOf(40, 40) } })).toBe('no_main_request_after');
    const closed = new PlayedRun();
    closed.turn([], 'The answer.');
    expect(ask(closed)).toBe('no_main_request_after');
    expect(ask(p, { budget: { explore: countOf(40, 39), physical: countOf(86, 79) } })).toBe('finish_reserve_kept');
    expect(ask(p, { budget: { explore: countOf(40, 39), physical: countOf(86, 78) } })).toBe('admitted');
  });

  it('R11, R1: a reminder that was submitted permits no review, and one that was omitted forbids none', () => {
    const line = { type: 'work-review', kind: 'advice', subject: 'run', stage: 1, policyVersion: 1 } as const;
    const submitted = new PlayedRun({ overrides: { review: false } });
    submitted.turn([{ tool: 'search', text: 'x' }], 'x', 'explore', {
      ...NO_NOTICES,
      included: [line],
      text: 'Review?',
    });
    expect(submitted.state.watermarks).toHaveLength(1);
    expect(ask(submitted)).toBe('reviews_disabled');
    const omitted = new PlayedRun();
    omitted.turn([{ tool: 'search', text: 'x' }], 'x', 'explore', { ...NO_NOTICES, omitted: [line] });
    expect(ask(omitted)).toBe('admitted');
  });

  it('R11: candidate, dispatch and reminder are records of their own: none moves another’s', () => {
    const p = new PlayedRun();
    p.add({ type: 'ReviewRaised', candidate: 1, reason: 'time', value: 1, limit: 1 });
    expect([p.state.review.dispatched, p.state.watermarks]).toEqual([0, []]);
    p.add({ type: 'ReviewDeclined', candidate: 1, code: 'too_soon' });
    expect(p.state.review).toMatchObject({ candidates: 1, dispatched: 0, running: null });
    dispatch(p);
    expect([p.state.review.candidates, p.state.watermarks]).toEqual([1, []]);
  });
});
