import { hasWords } from './has-words.js';

describe('a text that nobody would see', () => {
  it.each(['', ' \n\t', '\u200b\ufeff\u0000', '\u2060\u00ad\u3164', '\u202e\u2028 \u00a0', '\ufe0f', '\u{e0041}'])(
    '%j has no words',
    (text) => expect(hasWords(text)).toBe(false),
  );

  it.each(['x', '\u200b0', '否', '…', '👍🏽', '\ud800', '-'])('%j has some', (text) => expect(hasWords(text)).toBe(true));
});
