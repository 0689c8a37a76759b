import { isGreater } from '../extract/decimal.js';
import type { DocumentFigure } from '../notes/knowledge.js';
import { cellKey, type Finding } from './findings.js';

/** The latest period in which at least two names have an undisputed figure in one unit. */
export interface Comparison {
  period: string;
  lowest: { name: string; figure: DocumentFigure };
  highest: { name: string; figure: DocumentFigure };
  /** For `calculate`. */
  difference: string;
  average: string;
}

export function comparisonOf(finding: Finding): Comparison | undefined {
  for (const period of [...finding.periods].reverse()) {
    const rows = rowsOf(finding, period);
    const first = rows[0];
    if (!first || rows.length < 2 || isMixed(rows)) continue;
    const lowest = rows.reduce((a, b) => (isGreater(a.figure.value, b.figure.value) ? b : a));
    const highest = rows.reduce((a, b) => (isGreater(b.figure.value, a.figure.value) ? b : a));
    const term = (value: string): string => (value.startsWith('-') ? `(${value})` : value);
    const decimals = Math.max(...rows.map((r) => r.figure.value.split('.')[1]?.length ?? 0), 1);
    return {
      period,
      lowest,
      highest,
      difference: `${term(highest.figure.value)} - ${term(lowest.figure.value)}`,
      average: `round(avg(${rows.map((r) => r.figure.value).join(', ')}), ${decimals})`,
    };
  }
  return undefined;
}

/** Later periods than the compared one that are passed over since their figures are in several units, or one has none. */
export function mixedPeriods(finding: Finding): string[] {
  const compared = comparisonOf(finding)?.period;
  return finding.periods.filter(
    (period) => (compared === undefined || period > compared) && isMixed(rowsOf(finding, period)),
  );
}

type Row = Comparison['lowest'];

/** The undisputed figures of a period. */
const rowsOf = (finding: Finding, period: string): Row[] =>
  finding.entities.flatMap(({ key, name }) => {
    const cell = finding.cells.get(cellKey(key, period));
    return cell && cell.against.length === 0 ? [{ name, figure: cell.stands }] : [];
  });

const isMixed = (rows: readonly Row[]): boolean => rows.some((row) => row.figure.unit !== rows[0]?.figure.unit);
