import { BodyText } from './body-text.js';

it('reads bytes as the string with one character per byte would be read', () => {
  const bytes = Buffer.from('{"a":"é 费率 \u0000 abc","b":1}  ');
  const [text, string] = [new BodyText(bytes), bytes.toString('latin1')];
  expect(text.length).toBe(string.length);
  expect([text.slice(), text.slice(3), text.slice(-4), text.slice(2, 9)]).toEqual([
    string.slice(),
    string.slice(3),
    string.slice(-4),
    string.slice(2, 9),
  ]);
  for (const part of ['"', '"b"', 'none']) {
    expect(text.indexOf(part)).toBe(string.indexOf(part));
    expect(text.indexOf(part, 4)).toBe(string.indexOf(part, 4));
    expect(text.lastIndexOf(part)).toBe(string.lastIndexOf(part));
  }
});
