import { REVIEWER_FACTS } from '@waymark/contracts/facts';
import { eventData } from './event-data.js';
import type { ReviewFact } from './facts.js';

const body = { digest: 'a'.repeat(64), bytes: 10 };
const usage = { inputTokens: 5, outputTokens: null, cachedInputTokens: null, costMicros: null };
const run = '01890000-0000-7000-8000-000000000000';
const FACTS: { readonly [T in ReviewFact['type']]: Extract<ReviewFact, { type: T }> } = {
  ReviewStarted: { type: 'ReviewStarted', format: 1, review: 'r.1', run, order: body },
  ReviewRequested: {
    type: 'ReviewRequested',
    request: 1,
    key: 'review:r.1/1/1',
    reservation: 'n',
    model: 'm',
    body,
    hardLimitBytes: 1000,
    report: { version: 2, blocks: 1, textBytes: 30, shownBytes: 30 },
    deadlines: { firstContentMs: 1, progressMs: 1, totalMs: 1, leftMs: 1, bound: 'policy' },
  },
  ReviewAnswered: {
    type: 'ReviewAnswered',
    request: 1,
    outcome: 'completed',
    content: true,
    code: null,
    status: 200,
    usage,
    answer: body,
  },
  VerdictGiven: {
    type: 'VerdictGiven',
    verdict: { review: 'r.1', run, outcome: 'ok', points: [], code: null, reportVersion: 2 },
  },
  ReviewClosed: { type: 'ReviewClosed', settled: true },
};

it.each(Object.values(FACTS))('L14: the contracts tell others every field of $type', (fact) => {
  const data = eventData('r.1', fact);
  expect(REVIEWER_FACTS[fact.type].data.parse(data)).toEqual(data);
});

it('L14: the contracts name no other facts', () => {
  expect(Object.keys(REVIEWER_FACTS).sort()).toEqual(Object.keys(FACTS).sort());
});
