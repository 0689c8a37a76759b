import fc from 'fast-check';
import { decodeText, encodeText, headOf, isBorder } from './text-bytes.js';

/** Any sequence of UTF-16 units: NULs, lone surrogates and all. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0xd700, max: 0xe010 })))
  .map((units) => String.fromCharCode(...units));

test('F-R7: any text, with NULs and lone surrogates, comes back unchanged from its bytes', () => {
  fc.assert(
    fc.property(anyText, (text) => expect(decodeText(encodeText(text))).toBe(text)),
    { numRuns: 500 },
  );
});

test('F-R7: a BOM in the middle of a text is kept at the start of a slice', () => {
  expect(decodeText(encodeText('a\ufeffb').subarray(1))).toBe('\ufeffb');
});

test('F-R6: a hundred Chinese characters are 300 bytes', () => {
  expect(encodeText('研'.repeat(100))).toHaveLength(300);
});

test('C13: a head never ends within a character', () => {
  fc.assert(
    fc.property(anyText, fc.nat(40), (text, limit) => {
      const bytes = encodeText(text);
      const head = headOf(bytes, limit);
      expect(head.length).toBeLessThanOrEqual(limit);
      expect(isBorder(bytes, head.length)).toBe(true);
      expect(limit - head.length < 4 || head.length === bytes.length).toBe(true);
    }),
  );
});
