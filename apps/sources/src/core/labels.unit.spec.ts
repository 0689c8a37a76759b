import fc from 'fast-check';
import { BLOCK_BYTES, blockLinesOf, labelOf } from './labels.js';
import { encodeText } from './text-bytes.js';

test('decision 12: a range of a document with pages is labelled by pages', () => {
  const marks = { pageStarts: [0, 10, 10, 30], blockLines: [0] };
  const label = (start: number, end: number): string => labelOf(marks, new Uint8Array(40), 0, start, end);
  expect(label(0, 10)).toBe('page 1');
  expect(label(0, 11)).toBe('pages 1–3');
  expect(label(12, 30)).toBe('page 3'); // page 2 is empty
  expect(label(35, 40)).toBe('page 4');
});

test('decision 12: any other is labelled by lines, counted from the block that holds its start', () => {
  const text = encodeText('line of text\n'.repeat(20_000));
  const marks = { pageStarts: null, blockLines: blockLinesOf(text) };
  fc.assert(
    fc.property(fc.nat(text.length - 200), fc.integer({ min: 1, max: 200 }), (start, length) => {
      const base = Math.floor(start / BLOCK_BYTES) * BLOCK_BYTES;
      const first = 1 + Math.floor(start / 13);
      const last = 1 + Math.floor((start + length - 1) / 13);
      const label = first === last ? `line ${first}` : `lines ${first}–${last}`;
      expect(labelOf(marks, text.subarray(base, base + 2 * BLOCK_BYTES), base, start, start + length)).toBe(label);
    }),
  );
});
