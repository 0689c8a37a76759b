import fc from 'fast-check';
import { cutClosing } from './cut-closing.js';

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
const anyText = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud800', '\u0000', '"', '𝄞')),
});

describe('L11: the closing text that a report can take', () => {
  it('L11: what fits stays as it is; what does not is cut to the last character that fits', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 80 }), (text, most) => {
        const cut = cutClosing(text, most);
        expect(text.startsWith(cut.text)).toBe(true);
        expect(jsonBytes(cut.text)).toBeLessThanOrEqual(most);
        expect([cut.kept, cut.total]).toEqual([Buffer.byteLength(cut.text), Buffer.byteLength(text)]);
        if (jsonBytes(text) <= most) expect(cut.text).toBe(text);
        const next = String.fromCodePoint(text.codePointAt(cut.text.length) ?? 0);
        if (cut.text !== text) expect(jsonBytes(cut.text + next)).toBeGreaterThan(most);
      }),
    );
  });

  it('L11: a pair of surrogates is never split', () => {
    expect(cutClosing('a𝄞b', 6)).toEqual({ text: 'a', kept: 1, total: 6 });
    expect(cutClosing('a𝄞b', 7)).toEqual({ text: 'a𝄞', kept: 5, total: 6 });
  });
});
