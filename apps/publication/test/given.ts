/** Values for specs: a report as a fold of facts, and requests with the dull parts filled in. */
import type { Citation, close, noteProgress, open, Report, writeBlock } from '@waymark/contracts/publication';
import type { ParsedRequestOf } from '@waymark/contracts/wire';
import { decideOpen } from '../src/core/decide-open.js';
import { decideWrite } from '../src/core/decide-write.js';
import type { ReportState } from '../src/core/report-state.js';

type Open = ParsedRequestOf<typeof open>;
type Write = ParsedRequestOf<typeof writeBlock>;
type Note = ParsedRequestOf<typeof noteProgress>;
type Close = ParsedRequestOf<typeof close>;

export const RUN = '0193f3a0-0000-7000-8000-000000000001';

export const openRequest = (over: Partial<Open> = {}): Open => ({
  run: RUN,
  question: 'How did the three plants differ in 2023?',
  language: 'en',
  revisions: { perBlock: 2, perRun: 8 },
  policyVersion: 1,
  epoch: 1,
  ...over,
});

export const writeRequest = (over: Partial<Write> = {}): Write => ({
  run: RUN,
  epoch: 1,
  key: `${RUN}/a1`,
  block: 'output',
  expectVersion: 0,
  title: 'Output',
  text: 'Plant A made 40 units [1].',
  citations: [],
  reason: null,
  ...over,
});

export const noteRequest = (over: Partial<Note> = {}): Note => ({
  run: RUN,
  epoch: 1,
  key: `${RUN}/n1`,
  text: 'reading the second table',
  ...over,
});

export const closeRequest = (over: Partial<Close> = {}): Close => ({
  run: RUN,
  epoch: 1,
  outcome: 'completed',
  code: 'finished',
  reason: 'the model finished',
  closing: null,
  gaps: [],
  ...over,
});

export const citation = (over: Partial<Citation> = {}): Citation => ({
  locator: 'doc:plants.csv',
  start: 10,
  end: 42,
  name: 'plants.csv',
  quote: 'Plant A,40',
  status: 'ok',
  reason: null,
  ...over,
});

export const opened = (over: Partial<Open> = {}): ReportState => decideOpen(null, openRequest(over)).after;

/** A report in which `block` stands at `version`. */
export function withBlock(state: ReportState, block: string, version = 1): ReportState {
  let after = state;
  for (let v = 0; v < version; v += 1) {
    const request = writeRequest({ block, expectVersion: v, epoch: state.epoch, key: `${block}/${v}` });
    after = decideWrite(after, request, null).after;
  }
  return after;
}

export const reportOf = (over: Partial<Report> = {}): Report => ({
  run: RUN,
  version: 3,
  question: 'How did the three plants differ in 2023?',
  language: 'en',
  state: 'closed',
  outcome: 'completed',
  code: 'finished',
  reason: 'the model finished',
  closing: 'Plant A led; see [output:1].',
  blocks: [blockOf()],
  corrections: [],
  gaps: [],
  ...over,
});

export const blockOf = (over: Partial<Report['blocks'][number]> = {}): Report['blocks'][number] => ({
  block: 'output',
  title: 'Output',
  version: 1,
  text: 'Plant A made **40** units [1].',
  citations: [citation()],
  at: '2026-01-01T00:00:00.000Z',
  ...over,
});
