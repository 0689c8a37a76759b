import type { BudgetSnapshot } from '@waymark/contracts/budget';
import { bar, barLines, limitBars, withoutStepBack, type LimitBar } from './bars.js';
import { budgetNumbers } from '../../test/explained.js';

const of = (used: number, limit: number, pending = 0): LimitBar => ({ name: 'x', used, limit, pending, text: '' });

describe('a limit as a bar', () => {
  it('shows any use, and is full only when nothing is left', () => {
    expect(bar(of(0, 100), 10, 'ascii')).toBe('..........');
    expect(bar(of(1, 1000), 10, 'ascii')).toBe('#.........');
    expect(bar(of(999, 1000), 10, 'ascii')).toBe('#########.');
    expect(bar(of(1000, 1000), 10, 'ascii')).toBe('##########');
    expect(bar(of(1200, 1000), 10, 'ascii')).toBe('##########');
    expect(bar(of(0, 0), 4, 'ascii')).toBe('....');
  });

  it('keeps what is reserved or unknown apart from what is used', () => {
    expect(bar(of(5, 10, 2), 10, 'ascii')).toBe('#####??...');
    expect(bar(of(5, 10, 5), 10, 'unicode')).toBe('█████▒▒▒▒▒');
  });

  it('B5: time that was given back does not make a bar go back; the words say so', () => {
    const bars = limitBars(budgetNumbers(), null); // 4.0 s of 10.0 s
    const active = (most: number): string | undefined =>
      barLines(withoutStepBack(bars, most), 10, 'ascii').find((line) => line.startsWith('active time'));
    expect(active(0)).toBe('active time        [####......]  4.0 s of 10.0 s');
    expect(active(4_300)).toMatch(/4\.3 s of 10\.0 s$/);
    expect(active(7_000)).toBe(
      'active time        [####???...]  7.0 s of 10.0 s, 3.0 s of it given back: nothing ran in it',
    );
    expect(bars.filter(({ clock }) => clock).map(({ name }) => name)).toEqual(['wall clock']);
  });

  it('B1: limits stand one below the other, each in its own unit', () => {
    const budget: BudgetSnapshot = budgetNumbers();
    const lines = barLines(limitBars(budget, null), 10, 'ascii');
    expect(lines).toEqual([
      'explore requests   [###?......]  4 of 10, 1 unknown',
      'finish requests    [..........]  0 of 2',
      'physical requests  [#?........]  5 of 26, 1 unknown',
      'active time        [####......]  4.0 s of 10.0 s',
      'wall clock         [##........]  20.0 s of 1 min 40 s',
    ]);
  });
});
