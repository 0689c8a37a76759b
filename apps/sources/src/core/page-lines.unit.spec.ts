import { pageText, type Piece } from './page-lines.js';

const at = (text: string, x: number, y: number, width = text.length * 5): Piece => ({ text, x, y, width, height: 10 });

test('pieces at one height are a line; a wide gap parts columns', () => {
  const pieces = [
    at('Tons', 200, 700),
    at('Year', 72, 700.5),
    at('1,234', 200, 686),
    at('2023', 72, 686),
    at('*', 93, 686),
  ];
  expect(pageText(pieces)).toBe('Year  Tons\n2023*  1,234');
});

test('a small gap is a blank, none is none, and drawn blanks are not trusted', () => {
  expect(pageText([at('New', 0, 0), at(' ', 15, 0), at('York', 18, 0), at('er', 38, 0)])).toBe('New Yorker');
  expect(pageText([at('新能源', 0, 0, 30), at('汽车', 30, 0, 20)])).toBe('新能源汽车');
});

test('a wider gap between lines ends a paragraph', () => {
  const pieces = [700, 688, 676, 650, 638].map((y, i) => at(`line ${i}`, 72, y));
  expect(pageText(pieces)).toBe('line 0\nline 1\nline 2\n\nline 3\nline 4');
});

test('two columns of prose are read one after the other, what spans them parts them', () => {
  const rows = Array.from({ length: 10 }, (_, i) => i);
  const pieces = [
    at('A title that spans both of the columns of this page', 72, 760, 420),
    ...rows.map((i) => at(`left prose number ${i} goes on here`, 72, 740 - 12 * i, 180)),
    ...rows.map((i) => at(`right prose number ${i} goes on here`, 300, 740 - 12 * i, 180)),
  ];
  const text = pageText(pieces);
  expect(text.startsWith('A title')).toBe(true);
  expect(text.indexOf('left prose number 9')).toBeLessThan(text.indexOf('right prose number 0'));
});

test('a table of short cells stays by rows', () => {
  const rows = Array.from({ length: 12 }, (_, i) => i);
  const pieces = rows.flatMap((i) => [at(`Item ${i}`, 72, 700 - 12 * i), at(`${i},000`, 300, 700 - 12 * i)]);
  expect(pageText(pieces)).toContain('Item 3  3,000');
});
