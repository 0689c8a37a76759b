import { meaningWords } from './meaning-words.js';
import { quoteOf } from './quote.js';

const words = meaningWords('revenue fall 2021');
const why = { words, cause: true };
const REASON =
  'Revenue fell because the dye works at Tarn stood under water for nine weeks after a dam broke in May 2021.';

describe('quoteOf', () => {
  it('P7: the sentence with the reason stands whole, without headings and underlines', () => {
    const filler = `Velling & Daughters makes rope in Tarn and has done so for a very long time, as the readers of this letter know well. `;
    const passage = `Letter to investors\n===================\n\n# Velling & Daughters — annual note 2021\n\n${filler.repeat(3)}\n\n${REASON}`;
    const quote = quoteOf(passage, why) ?? '';
    expect(quote.endsWith(REASON)).toBe(true);
    expect(quote).not.toMatch(/Letter to|===|annual note|…/u);
    expect(quote.length).toBeLessThanOrEqual(320);
    expect(quoteOf(`Letter to investors\n====\n\n# Velling\n\n${REASON}`, why)).toBe(REASON);
  });

  it('P7: what an excerpt has lost of a sentence is marked, and a torn sentence is no neighbour', () => {
    expect(quoteOf('…at the time of the fair. Revenue fell because the dam at Tarn…', why)).toBe(
      'Revenue fell because the dam at Tarn…',
    );
    expect(quoteOf(`…at the time of the fair. ${REASON} Nobody could…`, why)).toBe(REASON);
  });

  it('P7: a sentence that is too long is cut round its reason, between words, with marks', () => {
    const quote = quoteOf(
      `Revenue${' of the old firm'.repeat(30)} fell because a dam broke${' and more'.repeat(60)}.`,
      why,
    );
    expect(quote).toMatch(/^…[a-z].*fell because a dam broke.*[a-z]…$/u);
    expect(quote!.length).toBeLessThanOrEqual(322);
  });

  it('P7: rows of a table and text beyond it do not run into a quote', () => {
    const passage = `Staff left.\n\n| Firm | Revenue |\n|---|---|\n| Moor | 3 |\n\n${REASON}`;
    expect(quoteOf(passage, why)).toBe(REASON);
  });

  it('P7: a reason for something else is none, and what merely came before counts only beside the words', () => {
    expect(quoteOf('Revenue fell in 2021.\n\n# Staff\n\nFour clerks left because of the pay.', why)).toBeUndefined();
    expect(quoteOf('Revenue fell in 2021 after the dam had broken.', why)).toContain('after the dam');
    expect(quoteOf('Profit after tax and revenue are shown for 2021.', why)).toBeUndefined();
  });

  it('P7: Chinese sentences are quoted the same way', () => {
    const zh = { words: meaningWords('营业收入下降'), cause: true };
    expect(quoteOf('# 年度报告\n\n公司成立于1990年。营业收入下降的原因是染厂停产九周。', zh)).toBe(
      '公司成立于1990年。营业收入下降的原因是染厂停产九周。',
    );
  });

  it('a passage of nothing but rows is quoted as they are', () => {
    expect(quoteOf('| Firm | Year |\n|---|---|\n| Moor | 2021 |', { words, cause: false })).toContain('Moor');
  });
});
