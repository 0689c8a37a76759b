import { explainedRequest } from '@waymark/contracts/runtime';
import type { NoticeLine, RequestSettled } from '@waymark/record';
import { PlayedRun } from '../../test/played-run.js';
import { explainRequests } from './explain-requests.js';
import { NO_NOTICES } from './fit-notices.js';

const line = (stage: number, over: Partial<NoticeLine> = {}): NoticeLine => ({
  type: 'explore-requests',
  kind: 'state',
  subject: 'run',
  stage,
  policyVersion: 1,
  value: 20,
  limit: 40,
  ...over,
});
const notices = {
  ...NO_NOTICES,
  source: 'reminder' as const,
  included: [line(50), line(75, { type: 'active-time' })],
  omitted: [line(50, { kind: 'advice' })],
  combined: [{ type: 'work-review', subject: 'run', stage: 1, by: 'finish-reserve' }],
  text: 'Explore requests: 20 of 40 used.\nActive time: 45 of 60 min used.',
};
const fates = (how?: Partial<RequestSettled>) => {
  const p = new PlayedRun();
  p.intend('explore', notices);
  if (how) p.settle(how);
  return explainRequests(p.recorded)[0]?.notices.map((n) => [n.type, n.kind, n.fate, n.text]);
};
const rest = [
  ['explore-requests', 'advice', 'omitted', null],
  ['work-review', 'advice', 'combined', null],
];

describe('E1: what each request held, and why', () => {
  it.each([
    ['submitted', { empty: true }],
    ['submitted', { outcome: 'failed', content: true, delivery: 'submitted' }],
    ['rejected', { outcome: 'failed', content: false, delivery: 'rejected' }],
    ['rejected', { outcome: 'not_sent', content: false, delivery: 'rejected' }],
    ['uncertain', { outcome: 'unknown', content: false, delivery: 'uncertain' }],
    ['pending', undefined],
  ] as const)('E1, R8: a reminder that was %s is called so, with its own words; %j', (fate, how) => {
    expect(fates(how)).toEqual([
      ['explore-requests', 'state', fate, 'Explore requests: 20 of 40 used.'],
      ['active-time', 'state', fate, 'Active time: 45 of 60 min used.'],
      ...rest,
    ]);
  });

  it('E1: every fate says why, and what was measured', () => {
    const p = new PlayedRun();
    p.intend('explore', notices);
    p.settle({ empty: true });
    const reasons = explainRequests(p.recorded)[0]?.notices.map((n) => n.reason);
    expect(reasons).toEqual([
      expect.stringMatching(/content came back \(measured 20 of 40\)/),
      expect.stringMatching(/content came back/),
      expect.stringMatching(/did not fit the notice room/),
      'it gave way to finish-reserve',
    ]);
  });

  it('E1: bytes by part, reservation, deadlines, outcome, usage and actions, in the shape of the contract', () => {
    const p = new PlayedRun();
    p.epoch = 3;
    p.turn([
      { tool: 'search', text: 'hits' },
      { tool: 'read_range', text: '', settled: { outcome: 'failed', code: 'x' } },
    ]);
    const [first] = explainRequests(p.recorded);
    expect(explainedRequest.parse(first)).toMatchObject({
      request: 1,
      turn: 1,
      attempt: 1,
      seq: 2,
      epoch: 3,
      reservation: 'r1',
      grantVersion: 1,
      deadlines: { firstContentMs: 1, progressMs: 2, totalMs: 3, leftMs: 60_000, bound: 'active' },
      outcome: 'completed',
      usage: null,
      hardLimitBytes: p.state.hard,
      actions: [
        { action: '1.0', tool: 'search', outcome: 'ok', bytes: 4 },
        { action: '1.1', tool: 'read_range', outcome: 'failed', bytes: 0 },
      ],
    });
    expect(Object.keys(first?.parts ?? {})).toEqual([
      ...['frame', 'instructions', 'tools', 'question', 'summaries', 'turns', 'results', 'stubs', 'advice', 'notices'],
    ]);
  });

  it('E1: requests of every purpose, retries and those without an outcome, in order', () => {
    const p = new PlayedRun();
    p.intend();
    p.settle({ outcome: 'failed', content: false, delivery: 'rejected', code: 'rate_limited', status: 429 });
    p.intend();
    p.settle({ empty: true });
    p.intend('summarize', NO_NOTICES, { from: 1, to: 1, resultCap: 1 });
    p.settle();
    p.intend();
    expect(explainRequests(p.recorded).map((r) => [r.request, r.purpose, r.attempt, r.outcome, r.code])).toEqual([
      [1, 'explore', 1, 'failed', 'rate_limited'],
      [2, 'explore', 2, 'completed', null],
      [3, 'summarize', 1, 'completed', null],
      [4, 'explore', 1, null, null],
    ]);
  });

  it('E1: an action without a receipt has no outcome and no size, never a zero', () => {
    const p = new PlayedRun();
    p.intend();
    p.answer('x', [{ tool: 'search', text: 'hits' }]);
    expect(explainRequests(p.recorded)[0]?.actions).toEqual([
      { action: '1.0', tool: 'search', outcome: null, bytes: null },
    ]);
  });
});
