import fc from 'fast-check';
import { EXCERPT_BYTES, excerptOf } from './excerpt.js';
import { rankHits } from './rank-hits.js';
import { decodeText, encodeText } from './text-bytes.js';

const found = (body: string, coverage: number, terms: string[] = []) => ({
  locator: 'doc:1',
  name: 'a.txt',
  start: 0,
  end: body.length,
  label: 'line 1',
  body: encodeText(body),
  coverage,
  terms,
});
const order = (query: string, bodies: [string, number][]): string[] =>
  rankHits(
    query,
    bodies.map(([body, coverage]) => found(body, coverage)),
    10,
  ).map(({ excerpt }) => excerpt);

test('the exact phrase stands before passages that hold its words apart', () => {
  const [first] = order('net income', [
    ['Income from nets, and net of tax the income', 1],
    ['The net income was 5.', 1],
  ]);
  expect(first).toBe('The net income was 5.');
});

test('a quoted part of a question counts as a phrase', () => {
  const [first] = order('what was the "net income" of 2023', [
    ['In 2023 income was net of all.', 1],
    ['net income', 0.4],
  ]);
  expect(first).toBe('net income');
});

test('a Chinese phrase is found within a longer run', () => {
  const [first] = order('汽车出口', [
    ['出口的汽车和汽车', 1],
    ['去年新能源汽车出口增长', 1],
  ]);
  expect(first).toBe('去年新能源汽车出口增长');
});

test('coverage decides between passages without the phrase', () => {
  const [first] = order('tons moved by the harbour in 2023', [
    ['The harbour, the harbour, the harbour.', 0.3],
    ['In 2023 many tons were moved.', 0.7],
  ]);
  expect(first).toBe('In 2023 many tons were moved.');
});

test('C13: an excerpt is bounded and made of whole characters', () => {
  const parts = fc.array(fc.constantFrom('研究', 'harbour ', '😀', 'é', '\n'), { minLength: 100, maxLength: 300 });
  fc.assert(
    fc.property(parts, (words) => {
      const body = encodeText(words.join('')).slice();
      const excerpt = excerptOf(body, ['研究', 'harbour']);
      expect(encodeText(excerpt).length).toBeLessThanOrEqual(EXCERPT_BYTES + 6);
      expect(excerpt).not.toContain('\ufffd');
      expect(decodeText(body)).toContain(excerpt.replace(/^…|…$/g, ''));
    }),
  );
});

test('an excerpt shows where the matched words stand together', () => {
  const filler = 'nothing of interest stands here at all. '.repeat(14);
  const body = `The tons. ${filler}In 2023 the tons of the harbours were counted.${filler}`;
  expect(excerptOf(encodeText(body), ['tons', '2023', 'harbour', 'count'])).toContain(
    'In 2023 the tons of the harbours',
  );
});
