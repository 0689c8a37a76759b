import { nothingKnown, type DocumentFigure } from '../notes/knowledge.js';
import { scopeOf } from '../question.js';
import { composeBlock } from './compose-block.js';
import { findingsOf } from './findings.js';

const figure = (entity: string, period: string, value: string, unit: string): DocumentFigure => ({
  ...{ document: 0, entity, metric: 'revenue', period, value, unit, start: 0, end: 9, corrected: false },
});

function textOf(question: string, figures: DocumentFigure[]): string {
  const known = { ...nothingKnown(), figures };
  const scope = scopeOf(question, known);
  return composeBlock(findingsOf(known, scope)[0]!, known, scope).text;
}

const GBP = 'GBP million';
const EARLIER = [figure('Moor plc', '2020', '11', GBP), figure('Tarn AG', '2020', '14', GBP)];
const QUESTION = 'Compare the revenue of Moor plc and Tarn AG.';

describe('composeBlock', () => {
  it('P7: a later year that is not compared for its units is said to be left out', () => {
    const figures = [...EARLIER, figure('Moor plc', '2021', '12', GBP), figure('Tarn AG', '2021', '15', '')];
    const text = textOf(QUESTION, figures);
    expect(text).toContain('In 2020 the lowest revenue was 11 GBP million (Moor plc)');
    expect(text).toContain('The figures for 2021 are not all given in one unit, so they are not compared.');
    expect(textOf('比较Moor plc和Tarn AG的营业收入。', figures)).toContain('2021年的数据单位不一，未作比较。');
  });

  it('an earlier year in several units, or a later one with one figure, needs no word', () => {
    const figures = [...EARLIER, figure('Moor plc', '2019', '9', GBP), figure('Tarn AG', '2019', '8', 'EUR million')];
    expect(textOf(QUESTION, [...figures, figure('Moor plc', '2021', '12', GBP)])).not.toContain('one unit');
  });
});
