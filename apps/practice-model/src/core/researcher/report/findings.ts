import { inBase, normal } from '../extract/decimal.js';
import { nameKey } from '../extract/names.js';
import type { DocumentFigure, Knowledge } from '../notes/knowledge.js';
import type { Scope } from '../question.js';

/** What stands for one name and period: the figure, and why it is or is not alone. */
export interface Cell {
  stands: DocumentFigure;
  /** Other values that no correction explains. */
  against: DocumentFigure[];
  /** What a correction replaced. */
  was: DocumentFigure | undefined;
}

export interface Finding {
  metric: string;
  label: string;
  entities: { key: string; name: string }[];
  periods: string[];
  cells: Map<string, Cell>;
}

export const cellKey = (entity: string, period: string): string => `${entity}|${period}`;

/** One finding a measure in the scope, with figures or without. */
export function findingsOf(known: Knowledge, scope: Scope): Finding[] {
  return scope.metrics.map(({ key: metric, label }) => {
    const figures = known.figures.filter((f) => f.metric === metric && inScope(f, scope));
    const dated = figures.some((f) => f.period !== '');
    const used = dated ? figures.filter((f) => f.period !== '') : figures;
    const entities = [...scope.entities].map(([key, name]) => ({ key, name }));
    const cells = new Map<string, Cell>();
    for (const f of used) {
      const key = cellKey(nameKey(f.entity), f.period);
      if (!cells.has(key)) cells.set(key, cellOf(used.filter((g) => cellKey(nameKey(g.entity), g.period) === key)));
    }
    const periods = [...new Set([...scope.periods, ...used.map((f) => f.period)])].sort();
    return { metric, label, entities, periods: periods.filter((p) => p !== '' || !dated), cells };
  });
}

const inScope = (f: DocumentFigure, scope: Scope): boolean =>
  scope.entities.has(nameKey(f.entity)) && (scope.periods.size === 0 || f.period === '' || scope.periods.has(f.period));

/** The last correction stands; else the value that most sources give, the first of equals that states its unit. */
function cellOf(figures: DocumentFigure[]): Cell {
  const corrections = figures.filter((f) => f.corrected);
  const others = figures.filter((f) => !f.corrected);
  const last = corrections.at(-1);
  if (last) {
    const correction = withItsUnit(last, corrections);
    return { stands: correction, against: [], was: others.find((f) => !sameValue(f, correction)) };
  }
  const support = (f: DocumentFigure): number =>
    new Set(others.filter((g) => sameValue(f, g)).map((g) => g.document)).size;
  const most = others.reduce((best, f) => (support(f) > support(best) ? f : best));
  const stands = withItsUnit(most, others);
  const against: DocumentFigure[] = [];
  for (const f of others) if (!sameValue(f, stands) && !against.some((a) => sameValue(a, f))) against.push(f);
  return { stands, against, was: undefined };
}

/** The same figure from the first source that states a unit, if this one does not. */
const withItsUnit = (figure: DocumentFigure, all: readonly DocumentFigure[]): DocumentFigure =>
  figure.unit !== '' ? figure : (all.find((f) => f.unit !== '' && normal(f.value) === normal(figure.value)) ?? figure);

/** 35 bp is 0.35 %; a value without a unit agrees with the same number in any. */
export function sameValue(a: DocumentFigure, b: DocumentFigure): boolean {
  if (normal(a.value) === normal(b.value) && (a.unit === '' || b.unit === '' || a.unit === b.unit)) return true;
  const [x, y] = [inBase(a.value, a.unit), inBase(b.value, b.unit)];
  return x.value === y.value && x.unit === y.unit;
}

/** Every name has a figure for every period that any has one for. */
export const isComplete = (finding: Finding): boolean =>
  finding.cells.size > 0 &&
  finding.entities.every((e) => finding.periods.every((p) => finding.cells.has(cellKey(e.key, p))));
