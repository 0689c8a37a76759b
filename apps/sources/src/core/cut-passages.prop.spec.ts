import fc from 'fast-check';
import { cutPassages, MAX_PASSAGE_BYTES, MIN_PASSAGE_BYTES } from './cut-passages.js';
import { encodeText, isBorder } from './text-bytes.js';

const word = fc.constantFrom(
  'harbour',
  '出口',
  '中国新能源汽车的出口量。',
  'tons. ',
  ' ',
  '\n',
  '\n\n',
  '😀',
  'é',
  'x'.repeat(700),
  '研'.repeat(300),
);
const text = fc.array(word, { maxLength: 60 }).map((words) => encodeText(words.join('')));

test('C13: passages tile the text and are cut between characters', () => {
  fc.assert(
    fc.property(text, (bytes) => {
      let at = 0;
      for (const { start, end } of cutPassages(bytes)) {
        expect(start).toBe(at);
        expect(end).toBeGreaterThan(start);
        expect(end - start).toBeLessThanOrEqual(MAX_PASSAGE_BYTES);
        expect(isBorder(bytes, start) && isBorder(bytes, end)).toBe(true);
        at = end;
      }
      expect(at).toBe(bytes.length);
    }),
  );
});

test('C13: no passage crosses the start of a page', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (pages) => {
      const starts = pages.map((_, i) => pages.slice(0, i).reduce((sum, page) => sum + page.length, 0));
      const bytes = Buffer.concat(pages);
      for (const { start, end } of cutPassages(bytes, starts)) {
        expect(starts.some((border) => border > start && border < end)).toBe(false);
      }
    }),
  );
});

test('a paragraph, else a line, else a sentence ends a passage', () => {
  const cutOf = (part: string): string => {
    const whole = `${'a'.repeat(MIN_PASSAGE_BYTES)}${part}${'b'.repeat(MAX_PASSAGE_BYTES)}`;
    const [first] = cutPassages(encodeText(whole));
    return whole.slice(MIN_PASSAGE_BYTES, first?.end);
  };
  expect(cutOf('one.\n\ntwo. three\nfour ')).toBe('one.\n\n');
  expect(cutOf('one. two\nthree. four ')).toBe('one. two\n');
  expect(cutOf('one. two three')).toBe('one. ');
  expect(cutOf('one two')).toBe('one ');
});

test('a Chinese full stop ends a passage', () => {
  const bytes = encodeText(`${'研'.repeat(250)}。${'究'.repeat(400)}`);
  expect(cutPassages(bytes)[0]?.end).toBe(753);
});
