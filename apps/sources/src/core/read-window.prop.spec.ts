import { MAX_READ_BYTES } from '@waymark/contracts/sources';
import fc from 'fast-check';
import { BORDER_BYTES, checkRange, decideWindow, snapToCharacters } from './read-window.js';
import { decodeText, encodeText } from './text-bytes.js';

const text = fc
  .array(fc.constantFrom('a', 'é', '研', '😀', '\n', '\0', '\ud800'), { minLength: 1, maxLength: 200 })
  .map((characters) => encodeText(characters.join('')));

/** As a reader does it that holds only the bytes near the range. */
function read(
  bytes: Uint8Array,
  start: number,
  end?: number,
): { start: number; end: number; text: string } | undefined {
  const window = decideWindow({ start, end }, bytes.length);
  if (!window.ok) return undefined;
  const base = Math.max(0, window.range.start - BORDER_BYTES);
  const part = bytes.subarray(base, window.range.end + BORDER_BYTES);
  const range = snapToCharacters(part, base, window.range);
  return { ...range, text: decodeText(bytes.subarray(range.start, range.end)) };
}

test('C13: a range is read in whole characters, inside what was asked unless that lies within one character', () => {
  fc.assert(
    fc.property(text, fc.nat(800), fc.integer({ min: 1, max: 300 }), (bytes, start, length) => {
      fc.pre(start < bytes.length);
      const got = read(bytes, start, start + length);
      expect(got).toBeDefined();
      expect(encodeText(got!.text)).toEqual(Uint8Array.from(bytes.subarray(got!.start, got!.end)));
      expect(got!.end).toBeGreaterThan(got!.start);
      const inside = got!.start >= start && got!.end <= start + length;
      expect(inside || got!.end - got!.start <= 4).toBe(true);
    }),
  );
});

test('F-R1: reading on from each end gives the whole text, and offsets strictly grow', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 50 }), (bytes, step) => {
      let whole = '';
      for (let at = 0; at < bytes.length;) {
        const got = read(bytes, at, at + step)!;
        expect(got.start).toBe(at);
        expect(got.end).toBeGreaterThan(at);
        whole += got.text;
        at = got.end;
      }
      expect(encodeText(whole)).toEqual(Uint8Array.from(bytes));
    }),
  );
});

test('C5: a read is bounded, and one past the end names the total', () => {
  expect(decideWindow({ start: 0, end: 1e9 }, 1e9)).toEqual({ ok: true, range: { start: 0, end: MAX_READ_BYTES } });
  expect(decideWindow({ start: 10, end: 90 }, 50)).toEqual({ ok: true, range: { start: 10, end: 50 } });
  const beyond = decideWindow({ start: 50 }, 50);
  expect(beyond).toMatchObject({ ok: false, refusal: { code: 'range_outside', field: 'start' } });
  expect(JSON.stringify(beyond)).toContain('50 bytes in all');
  expect(decideWindow({ start: 9, end: 9 }, 50)).toMatchObject({ ok: false, refusal: { code: 'empty_range' } });
});

test('P6: a cited range is found, outside, empty or between characters, each with its own word', () => {
  const bytes = encodeText('研究');
  const check = (start: number, end: number): string =>
    checkRange({ start, end }, { total: bytes.length, head: bytes.subarray(start), after: bytes.subarray(end) });
  expect(check(0, 3)).toBe('ok');
  expect(check(0, 6)).toBe('ok');
  expect(check(0, 7)).toBe('range_outside');
  expect(check(6, 9)).toBe('range_outside');
  expect(check(3, 3)).toBe('empty_range');
  expect(check(1, 3)).toBe('not_on_characters');
  expect(check(0, 4)).toBe('not_on_characters');
  expect(checkRange({ start: 0, end: 3 }, null)).toBe('unknown_locator');
});
