import type { WaymarkEvent } from '@waymark/contracts/wire';
import { EventTeller } from './event-teller.js';
import { evolveProgress, goOnFrom, newProgress } from './progress.js';

let seq = 0;
const event = (owner: string, name: string, data: Record<string, unknown> = {}): WaymarkEvent => ({
  ...{ owner, run: 'r', at: '2026-01-01T00:00:00.000Z' },
  ...{ seq: (seq += 1), type: `waymark.${owner}.fact.v1.${name}`, data: { type: name, ...data } },
});
const intended = (request: number, turn: number, extra: Record<string, unknown> = {}): WaymarkEvent =>
  event('runtime', 'RequestIntended', {
    ...{ request, turn, attempt: 1, purpose: 'explore', bytes: 2048, parts: [0, 0, 0, 0, 0, 0, 0, 512, 0, 0] },
    ...{ notices: { included: [], text: null }, ...extra },
  });
const settled = (request: number, extra: Record<string, unknown> = {}): WaymarkEvent =>
  event('runtime', 'RequestSettled', { request, outcome: 'completed', actions: [], empty: false, ...extra });

describe('a run as a follower sees it', () => {
  it('counts turns, not requests: a retry, a summary and a review are none', () => {
    const events = [
      intended(1, 1),
      settled(1, { outcome: 'failed', code: 'rate_limited' }),
      intended(2, 1, { attempt: 2 }),
      settled(2),
      intended(3, 2, { purpose: 'summarize' }),
      settled(3),
      intended(4, 2),
      settled(4),
      event('runtime', 'ReviewDispatched', { review: 'r.1' }),
      event('publication', 'BlockPublished'),
      event('publication', 'BlockCorrected'),
      event('runtime', 'RunEnding', { outcome: 'partial', code: 'explore_exhausted', reason: 'why' }),
      event('runtime', 'RunEnded', { outcome: 'partial', code: 'explore_exhausted' }),
    ];
    expect(events.slice(0, 6).reduce(evolveProgress, newProgress())).toMatchObject({ turns: 1, requests: 3 });
    expect(events.reduce(evolveProgress, newProgress())).toMatchObject({
      ...{ state: 'ended', phase: 'ended', turns: 2, requests: 4, blocks: 1, corrections: 1, reviews: 1 },
      ...{ outcome: 'partial', code: 'explore_exhausted', reason: 'why' },
      cursors: { runtime: events.at(-1)?.seq, publication: expect.any(Number) },
    });
  });

  it('L14: whoever leaves while a request is under way goes on from its intent', () => {
    const [first, answer, second] = [intended(1, 1), settled(1), intended(2, 2)];
    const seen = [first, answer, second].reduce(evolveProgress, newProgress());
    expect(goOnFrom(seen)).toEqual({ runtime: second.seq - 1 });
    const done = settled(2);
    expect(goOnFrom(evolveProgress(seen, done))).toEqual({ runtime: done.seq });
  });
});

describe('events in lines', () => {
  it('tells turns with tools and stubs, each stage of a reminder once, and blocks as they appear', () => {
    const teller = new EventTeller();
    const notices = {
      included: [{ type: 'context_bytes', kind: 'state', subject: 'run', stage: 50, policyVersion: 1 }],
      text: 'Context: \u001b[2J52 of 100 bytes.',
    };
    const told = [
      intended(1, 1, { notices }),
      settled(1, { actions: [{ tool: 'read_range' }, { tool: 'read_range' }, { tool: 'search' }] }),
      intended(2, 2, { notices }),
      settled(2, { outcome: 'unknown', code: 'stream_cut' }),
      event('runtime', 'ResultsRetired', { reason: 'residency', items: [{}, {}] }),
      event('publication', 'BlockPublished', { title: 'Fees', bytes: 100, citations: 2, failedCitations: 1 }),
      event('reviewer', 'VerdictGiven', { review: 'r.1', verdict: { outcome: 'revise', points: [1] } }),
      event('reviewer', 'VerdictGiven', {
        review: 'r.2',
        verdict: { outcome: 'failed', points: [], code: 'review_deadline' },
      }),
      event('runtime', 'ReviewDeclined', { candidate: 1, code: 'review_running' }),
      event('runtime', 'RunParked', { forMs: 30_000, code: 'provider_unavailable' }),
      event('runtime', 'RunParked', { forMs: 30_000, code: 'constructor' }),
      event('budget', 'LimitNeared', { limit: 'active' }),
      event('budget', 'ReservationGranted'),
    ].flatMap((e) => teller.tell(e));
    expect(told).toEqual([
      'told the model (state): Context:  [2J52 of 100 bytes.',
      'turn 1 (explore, 2.0 KiB, 512 B of it for results set aside): read_range ×2, search',
      'turn 2: request 2 has no known end: the answer broke off [stream_cut]',
      'set aside 2 results that the model has had, to keep requests small; it can read them again',
      'block published: Fees (100 B, 2 citations, 1 of them failed)',
      'review 1: asks for changes, 1 point',
      'review 2: it failed, and stops nothing: its time was up [review_deadline]',
      'a review was due and is left out: another one is still under way [review_running]',
      "waits 30.0 s and goes on by itself: the model's provider cannot be reached, or is down [provider_unavailable]",
      'waits 30.0 s and goes on by itself: constructor',
      'budget: of the active time only what is kept for the ending is left',
    ]);
  });

  it('an answer whose request came before the follower is told by the request’s number', () => {
    const teller = new EventTeller();
    const answer = settled(16, { actions: [{ tool: 'read_range' }, { tool: 'read_range' }] });
    expect(teller.tell(answer)).toEqual(['request 16: read_range ×2']);
  });

  it('names an event of a later release and goes on', () => {
    expect(new EventTeller().tell(event('runtime', 'RunTransfigured'))).toEqual(['runtime: RunTransfigured']);
    expect(new EventTeller().tell(event('runtime', 'ResultsRetired', { reason: 'residency' }))).toEqual([
      'runtime: ResultsRetired',
    ]);
  });
});
