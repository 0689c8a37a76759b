import { reviewReport } from './review-report.js';

const review = (material: object): unknown =>
  JSON.parse(
    reviewReport([
      { role: 'system', content: 'Purpose: review' },
      {
        role: 'user',
        content: `The line of JSON is the material.\n===== material ab12 =====\n${JSON.stringify(material)}\n===== end ab12 =====`,
      },
    ]),
  );
const report = (text: string): object => ({
  question: 'Compare the ongoing charge.',
  report: { version: 1, gaps: [], blocks: [{ block: 'ongoing-charge', title: 'Ongoing charge', text }] },
});

describe('reviewReport', () => {
  it('a sound report is ok', () => {
    expect(review(report('| Name | 2024 |\n|---|---|\n| Alder | 0.35 % [1] |'))).toEqual({ verdict: 'ok', points: [] });
  });

  it.each([
    ['| Name | 2024 |\n|---|---|\n| Alder | 0.35 % |', 'Figures without citations.'],
    ['| Name | 2024 |\n|---|---|\n| Alder | — |\n| Birch | 1 % [1] |', 'A name has no figure.'],
    [
      '| Name | 2024 |\n|---|---|\n| Alder | 0.35 % [1] / 0.38 % [2] |',
      'Two values stand side by side without a word.',
    ],
  ])('what is wrong with %j is said as advice', (text, issue) => {
    expect(review(report(text))).toMatchObject({ verdict: 'revise', points: [{ block: 'ongoing-charge', issue }] });
  });

  it('where sources differ and none of their words stand in the report, quoting is advised once', () => {
    const told = '| Alder | 0.35 % [1] / 0.38 % [2] |\n\nThe sources disagree on Alder.';
    const issue = 'Sources differ here or correct each other, and the report gives none of their words.';
    expect(review(report(told))).toMatchObject({ verdict: 'revise', points: [{ block: 'ongoing-charge', issue }] });
    expect(review(report(`${told}\n\n> Alder had 0.38 % [2]`))).toMatchObject({ verdict: 'ok' });
  });

  it('a measure that the question names and no block treats is pointed out', () => {
    const asked = {
      ...report('| Name | 2024 |\n|---|---|\n| Alder | 0.35 % [1] |'),
      question: 'Compare ongoing charge and turnover.',
    };
    expect(review(asked)).toMatchObject({
      verdict: 'revise',
      points: [{ block: null, issue: 'The report says nothing of turnover.' }],
    });
  });
});
