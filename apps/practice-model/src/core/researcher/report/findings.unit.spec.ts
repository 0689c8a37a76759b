import { nothingKnown, type DocumentFigure } from '../notes/knowledge.js';
import { scopeOf } from '../question.js';
import { cellKey, findingsOf, type Cell } from './findings.js';

const figure = (document: number, value: string, unit: string, corrected = false): DocumentFigure => ({
  ...{ document, entity: 'Moor plc', metric: 'revenue', period: '2021', value, unit, start: 0, end: 9, corrected },
});

function cellOf(figures: DocumentFigure[]): Cell | undefined {
  const known = { ...nothingKnown(), figures };
  const [finding] = findingsOf(known, scopeOf('Revenue of Moor plc in 2021?', known));
  return finding?.cells.get(cellKey('moor', '2021'));
}

describe('findingsOf', () => {
  it('of sources that state one figure the one that states its unit stands, corrected or not', () => {
    const cell = cellOf([figure(0, '12.3', ''), figure(1, '12.30', 'GBP million')]);
    expect(cell).toMatchObject({ stands: { document: 1, unit: 'GBP million' }, against: [] });
    const corrected = cellOf([
      figure(0, '12.1', 'GBP million'),
      figure(1, '12.3', 'GBP million', true),
      figure(2, '12.3', '', true),
    ]);
    expect(corrected).toMatchObject({ stands: { document: 1 }, was: { value: '12.1' } });
  });

  it('a unit is not taken from another figure', () => {
    expect(cellOf([figure(0, '12.3', ''), figure(1, '12.3', ''), figure(2, '12.4', 'GBP million')])).toMatchObject({
      stands: { value: '12.3', unit: '' },
      against: [{ value: '12.4' }],
    });
  });
});
