import { newTranscript, partsOf, type Part } from '@waymark/record';
import { turnBytes, type TurnEntry } from './content.js';

const answer = { digest: 'd', bytes: 10 };
const result: TurnEntry['results'][number] = {
  action: '1.0',
  tool: 'read_range',
  settled: {
    type: 'ActionSettled',
    action: '1.0',
    outcome: 'ok',
    code: null,
    title: 'a document',
    result: { digest: 'r', bytes: 20 },
  },
  form: { form: 'full' },
  seen: 0,
};
const turn = (change: Partial<TurnEntry>): TurnEntry => ({
  kind: 'turn',
  turn: 1,
  answer,
  empty: false,
  results: [],
  ...change,
});

it.each([
  ['with a result', turn({ results: [result] })],
  ['of words alone', turn({})],
  ['with an empty answer', turn({ empty: true })],
  ['without an answer', turn({ answer: null, empty: true })],
])('C13: a turn %s is as large as its parts in the request, each asked for as it stands there', (_what, entry) => {
  const asked: Part[] = [];
  const bytes = turnBytes(entry, (part) => {
    asked.push(part);
    return 100;
  });
  const there = partsOf({ ...newTranscript(), entries: [entry] });
  const byId = (a: Part, b: Part): number => a.id.localeCompare(b.id);
  expect(asked.sort(byId)).toEqual(there.sort(byId));
  expect(bytes).toBe(100 * there.length);
});
