import fc from 'fast-check';
import { contextOf, extractFigures } from './extract-figures.js';
import { findNames, nameKey } from './names.js';

const word = fc
  .tuple(
    fc.constantFrom(...'BDFGKLMNPRSTVWZ'),
    fc.constantFrom('ado', 'elin', 'oru', 'umba', 'ilko', 'anke'),
    fc.nat(6),
  )
  .map(([head, tail, n]) => `${head}${tail}${['', 'rn', 'sk', 'ff', 'x', 'tz', 'ld'][n]}`);
const rest = fc.constantFrom(
  ...['& Sons', 'and Sons', '& Daughters Ltd', 'and Partners', '& Co. KG', 'GmbH & Co. KG', 'Holdings', 'Holdings plc'],
  ...['Group', 'AG', '& Brothers Holdings', 'und Söhne', '& Cie', 'and Company'],
);
const latin = fc.tuple(word, rest).map((parts) => parts.join(' '));
const joined = fc.tuple(word, word, rest).map(([a, b, c]) => `${a} & ${b} ${c}`);
const han = fc
  .tuple(fc.constantFrom('华星', '远洋', '金桥', '东岳'), fc.constantFrom('科技', '重工', '电气', '食品'))
  .chain(([a, b]) =>
    fc.constantFrom('股份有限公司', '有限责任公司', '有限公司', '集团').map((type) => `${a}${b}${type}`),
  );
const millions = fc.tuple(fc.integer({ min: 1, max: 999 }), fc.nat(9)).map(([a, b]) => `${a}.${b}`);

const read = (text: string, kind = 'txt', known: string[] = []): string[] =>
  extractFigures(text, 0, kind, contextOf('', 'a.txt', known)).figures.map(
    ({ entity, metric, period, value, unit, corrected }) =>
      `${nameKey(entity)}|${metric}|${period}|${`${value} ${unit}`.trim()}${corrected ? '!' : ''}`,
  );

describe('names of firms, whatever they are made of', () => {
  it('a sentence gives its figure to the whole name, known before or not', () => {
    fc.assert(
      fc.property(fc.oneof(latin, joined), millions, fc.boolean(), (name, value, known) => {
        const want = [`${nameKey(name)}|net profit|2022|${value} EUR million`];
        const names = known ? [name] : [];
        expect(read(`${name} reported net profit of EUR ${value} million for 2022.`, 'pdf', names)).toEqual(want);
        expect(read(`In 2022 the net profit of ${name} was EUR ${value} million.`, 'md', names)).toEqual(want);
        expect(findNames(`Why did ${name} move?`, names).map((n) => nameKey(n.name))).toEqual([nameKey(name)]);
      }),
    );
  });

  it('a correction in a sentence is a correction of the whole name', () => {
    fc.assert(
      fc.property(fc.oneof(latin, joined), millions, millions, (name, was, is) => {
        const text = `Correction of 3 May 2023. The revenue of ${name} for 2022 is corrected from EUR ${was} million to EUR ${is} million.`;
        expect(read(text)).toEqual([`${nameKey(name)}|revenue|2022|${is} EUR million!`]);
      }),
    );
  });

  it('a table and a sentence on one name agree on it, and two names in a sentence stay two', () => {
    fc.assert(
      fc.property(latin, latin, millions, millions, (one, two, a, b) => {
        fc.pre(nameKey(one).split(' ')[0] !== nameKey(two).split(' ')[0]);
        const rows = `| Company | Revenue 2022 (EUR million) |\n|---|---|\n| ${one} | ${a} |\n| ${two} | ${b} |\n`;
        const want = [`${nameKey(one)}|revenue|2022|${a} EUR million`, `${nameKey(two)}|revenue|2022|${b} EUR million`];
        expect(read(rows, 'md')).toEqual(want);
        const text = `In 2022 revenue was EUR ${a} million at ${one} and EUR ${b} million at ${two}.`;
        expect(read(text, 'md')).toEqual(want);
      }),
    );
  });

  it('a Chinese firm is one name in its full and in its short form', () => {
    fc.assert(
      fc.property(han, millions, (name, value) => {
        const short = name.slice(0, 4);
        expect(nameKey(name)).toBe(short);
        const want = [`${short}|revenue|2022|${value} 亿元`];
        expect(read(`${name}2022年营业收入为${value}亿元。`)).toEqual(want);
        expect(read(`${short}2022年营业收入为${value}亿元。`, 'txt', [name])).toEqual(want);
      }),
    );
  });
});

describe('a name beside what it resembles', () => {
  it('a longer name is not taken for the shorter one that is known', () => {
    const text =
      'The revenue of Okafor & Sons for 2022 was EUR 95.6 million. Okafor had revenue of EUR 3.1 million in 2022.';
    expect(read(text, 'txt', ['Okafor'])).toEqual([
      'okafor sons|revenue|2022|95.6 EUR million',
      'okafor|revenue|2022|3.1 EUR million',
    ]);
  });

  it('two known names that are joined stay two', () => {
    const text = 'Alder & Birch charged 0.35 % and 0.38 % respectively in 2024.';
    expect(read(text, 'txt', ['Alder', 'Birch'])).toEqual([
      'alder|ongoing charge|2024|0.35 %',
      'birch|ongoing charge|2024|0.38 %',
    ]);
    expect(findNames('Alder Fund & Birch Fund', []).map((n) => n.name)).toEqual(['Alder Fund', 'Birch Fund']);
  });

  it('the end of a firm’s name is no measure, and the measure is still one', () => {
    expect(read('Okafor Holdings had revenue of EUR 6.1 million in 2022.')).toEqual([
      'okafor|revenue|2022|6.1 EUR million',
    ]);
    expect(read('# Alder Fund\n\nHoldings: 312\n', 'md')).toEqual(['alder|number of holdings||312']);
    expect(read('| Fund | Turnover (%) | Holdings |\n|---|---|---|\n| Alder | 12 | 312 |\n', 'md')).toEqual([
      'alder|turnover||12 %',
      'alder|number of holdings||312',
    ]);
  });

  it('words that are joined in a heading name nobody', () => {
    expect(findNames('Costs & Fees', [])).toEqual([]);
    expect(findNames('Performance & Risk', [])).toEqual([]);
  });
});
