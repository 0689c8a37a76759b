/** Figures of a Markdown report: the tables under its headings, one cell a figure. */
export interface Figure {
  readonly entity: string;
  readonly metric: string;
  readonly period: string;
  readonly value: string;
  readonly unit: string;
}
export interface DemoAnswers {
  readonly figures: readonly Figure[];
  readonly conflicts: readonly {
    readonly entity: string;
    readonly metric: string;
    readonly period: string;
    readonly values: readonly { readonly value: string; readonly unit: string }[];
  }[];
  readonly corrections: readonly (Figure & { readonly was: string })[];
}

const key = (metric: string, entity: string, period: string): string =>
  [metric.toLowerCase(), entity, period].join('|');

/** What stands in a report for each measure, name and period: `45.0 %`, or several where sources disagree. */
export function figuresIn(markdown: string): Map<string, string[]> {
  const figures = new Map<string, string[]>();
  let metric = '';
  let periods: string[] = [];
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) [metric, periods] = [line.slice(3).trim(), []];
    if (!line.startsWith('|')) continue;
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const [entity = '', ...values] = cells;
    if (/^-+$/.test(entity)) continue;
    if (periods.length === 0) periods = values;
    else for (const [i, value] of values.entries()) figures.set(key(metric, entity, periods[i] ?? ''), shown(value));
  }
  return figures;
}

const shown = (cell: string): string[] => cell.split(' / ').map((part) => part.replace(/\s*\[\d+\]/g, '').trim());

/** Every answer that the report does not give exactly, in words. */
export function wrongFigures(markdown: string, answers: DemoAnswers): string[] {
  const found = figuresIn(markdown);
  const expectOne = (wanted: readonly string[], at: string): string[] => {
    const got = found.get(at) ?? [];
    return got.toSorted().join() === wanted.toSorted().join()
      ? []
      : [`${at}: wanted ${wanted.join(' and ')}, got ${got.join(' and ')}`];
  };
  return [
    ...answers.figures.flatMap((f) => expectOne([`${f.value} ${f.unit}`.trim()], key(f.metric, f.entity, f.period))),
    ...answers.conflicts.flatMap((c) =>
      expectOne(
        c.values.map((v) => `${v.value} ${v.unit}`.trim()),
        key(c.metric, c.entity, c.period),
      ),
    ),
    ...answers.corrections.flatMap((c) =>
      markdown.includes(`corrected from ${c.was}`) ? [] : [`no correction from ${c.was}`],
    ),
  ];
}
