import fc from 'fast-check';
import { indexTerms, queryTerms } from './tokens.js';

test('a Chinese sentence is found by each of its characters and each two neighbours', () => {
  expect(indexTerms('出口量大。')).toEqual(['出', '口', '量', '大', '出口', '口量', '量大']);
});

test('a two-character word in mid-sentence is among the terms of the sentence, for index and query alike', () => {
  expect(queryTerms('能源')).toEqual(['能源']);
  expect(indexTerms('去年中国新能源汽车出口增长很快')).toContain('能源');
});

test('Chinese and Latin in one query are told apart', () => {
  expect(queryTerms('特斯拉Model 3在中国的销量')).toEqual([
    '特斯',
    '斯拉',
    'model',
    '3',
    '在中',
    '中国',
    '国的',
    '的销',
    '销量',
  ]);
});

test('characters outside the basic plane stay whole', () => {
  expect(queryTerms('𠀀𠀁')).toEqual(['𠀀𠀁']);
});

test('case, accents and width are folded', () => {
  expect(indexTerms('Café ＨＡＲＢＯＵＲ İstanbul')).toEqual(['cafe', 'harbour', 'istanbul']);
});

test('a number is one term however its thousands are written', () => {
  expect(indexTerms('1,234,567.80 and 1234567.80')).toEqual(['1234567.80', 'and']);
  expect(indexTerms('２０２３年')).toEqual(['2023', '年']);
  expect(indexTerms('3,4,5')).toEqual(['3', '4', '5']);
  expect(indexTerms('$4.5bn')).toEqual(['4.5', 'bn']);
});

test('punctuation has no terms', () => {
  expect(queryTerms('?!… — 。，\0')).toEqual([]);
});

test('whatever part of a run is asked for stands in the index of the whole', () => {
  const run = fc.array(fc.constantFrom(...'中国新能源汽车出口量'), { minLength: 3, maxLength: 20 });
  fc.assert(
    fc.property(run, fc.nat(17), fc.integer({ min: 1, max: 6 }), (characters, from, length) => {
      const asked = characters.slice(from, from + length).join('');
      const terms = new Set(indexTerms(`在${characters.join('')}的，`));
      expect(queryTerms(asked).filter((term) => !terms.has(term))).toEqual([]);
    }),
  );
});

test('no term is longer than PostgreSQL takes or holds a blank or a quote', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      for (const term of indexTerms(`${text} ${'ab'.repeat(200)}`)) {
        expect(Buffer.byteLength(term)).toBeLessThanOrEqual(2046);
        expect(term).not.toMatch(/[\s'"\\&|!:()\0]/);
        expect(term).not.toBe('');
      }
    }),
    { numRuns: 500, examples: [['㈀'], ['a㈀b ⒜ ﷺ']] },
  );
});
