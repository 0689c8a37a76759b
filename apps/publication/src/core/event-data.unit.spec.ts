import { PUBLICATION_FACTS } from '@waymark/contracts/facts';
import { eventData } from './event-data.js';
import type { Fact } from './fact.js';

const block = {
  key: 'k',
  block: 'fees',
  version: 2,
  title: 'Fees',
  text: 'The fee is 0.2 %.',
  bytes: 17,
  citations: [],
  reason: 'a newer figure',
};
const FACTS: { readonly [T in Fact['type']]: Extract<Fact, { type: T }> } = {
  ReportOpened: {
    type: 'ReportOpened',
    question: 'Which?',
    language: 'en',
    quotas: { perBlock: 2, perRun: 8 },
    policyVersion: 1,
    epoch: 1,
  },
  BlockPublished: { type: 'BlockPublished', ...block, version: 1, reason: null },
  BlockCorrected: { type: 'BlockCorrected', ...block },
  ProgressNoted: { type: 'ProgressNoted', key: 'k', text: 'half of it is read' },
  ReportClosed: {
    type: 'ReportClosed',
    outcome: 'partial',
    code: 'explore_exhausted',
    reason: 'no requests left',
    closing: 'So it is.',
    gaps: ['one fund'],
  },
  ReportShown: { type: 'ReportShown', viewer: 'ada', version: 3 },
};

it.each(Object.values(FACTS))('L14: the contracts tell others every field of $type', (fact) => {
  const data = eventData(fact);
  expect(PUBLICATION_FACTS[fact.type].data.parse(data)).toEqual(data);
});

it('L14: the contracts name no other facts', () => {
  expect(Object.keys(PUBLICATION_FACTS).sort()).toEqual(Object.keys(FACTS).sort());
});
