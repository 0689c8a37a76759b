import type { Figure } from './extract/figure.js';
import { askedFor } from './question.js';

const figure = (entity: string, metric: string): Figure => ({
  ...{ entity, metric, period: '2021', value: '1', unit: '%', start: 0, end: 9, corrected: false },
});
const many = Array.from({ length: 60 }, (_, i) => figure(`Peer ${i} Fund`, 'turnover'));

describe('figures that the question can use', () => {
  it('are of the measures that it names, where it names any', () => {
    const figures = [
      figure('Alder Fund', 'turnover'),
      figure('Alder Fund', 'weight'),
      figure('Alder Fund', 'voting rate'),
    ];
    expect(askedFor(figures, 'Compare the turnover and voting rate.').map((f) => f.metric)).toEqual([
      'turnover',
      'voting rate',
    ]);
    expect(askedFor(figures, 'Compare Alder Fund and Birch Fund.')).toHaveLength(3);
  });

  it('of a long table only those of the names that are asked for; of a short one all, in case a name was misread', () => {
    const own = figure('Alder Fund', 'turnover');
    expect(askedFor([...many, own], 'Compare the turnover of Alder Fund.')).toEqual([own]);
    expect(askedFor([...many.slice(0, 9), own], 'Compare the turnover of Alder Fund.')).toHaveLength(10);
    expect(askedFor(many, 'Compare the turnover of all funds.')).toHaveLength(60);
  });
});
