/** What a report's tables say, against a corpus's answers: each figure exactly, with a passage that bears it. */
import type { Report } from '@waymark/contracts/publication';
import type { CorpusAnswers } from '@waymark/testing/corpus';

interface Told {
  /** `0.35 %`; several where the sources disagree. */
  readonly values: readonly string[];
  readonly passages: readonly string[];
}

/** Every answer that the report does not give, or gives without a passage that bears it, in words. */
export function wrongFigures(report: Report, answers: CorpusAnswers): string[] {
  const told = tableCells(report);
  const compare = (wanted: readonly string[], metric: string, entity: string, period: string): string[] => {
    const at = `${metric}|${entity}|${period}`;
    const got = told.get(at);
    if (got === undefined) return [`${at}: nothing is told`];
    const same = got.values.toSorted().join() === wanted.toSorted().join();
    return [
      ...(same ? [] : [`${at}: wanted ${wanted.join(' / ')}, told ${got.values.join(' / ')}`]),
      ...got.values.flatMap((value, i) =>
        bears(got.passages[i] ?? '', value) ? [] : [`${at}: the passage of ${value} is “${got.passages[i]}”`],
      ),
    ];
  };
  return [
    ...answers.figures.flatMap((f) => compare([unified(`${f.value} ${f.unit}`)], f.metric, f.entity, f.period)),
    ...answers.conflicts.flatMap((c) =>
      compare(
        c.values.map((v) => unified(`${v.value} ${v.unit}`)),
        c.metric,
        c.entity,
        c.period,
      ),
    ),
    ...answers.corrections.flatMap((c) => {
      const said = report.blocks.some(({ text }) => /corrected from|更正为/.test(text) && text.includes(c.was));
      return said ? [] : [`nothing says that ${c.was} was corrected`];
    }),
  ];
}

function tableCells({ blocks }: Report): Map<string, Told> {
  const cells = new Map<string, Told>();
  for (const { title, text, citations } of blocks) {
    const [head, , ...rows] = text
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    for (const [entity, ...row] of rows) {
      row.forEach((cell, c) => {
        const parts = cell.split(' / ').map((part) => /^(.*?)\s*\[(\d+)\]$/.exec(part));
        const values = parts.map((part) => unified(part?.[1] ?? ''));
        const passages = parts.map((part) => {
          const cited = citations[Number(part?.[2]) - 1];
          return cited?.status === 'ok' ? (cited.quote ?? '') : '';
        });
        cells.set(`${title.toLowerCase()}|${entity}|${head?.[c + 1]}`, { values, passages });
      });
    }
  }
  return cells;
}

/** One spelling a unit, whatever the language of the source that stands. */
const unified = (figure: string): string => figure.replace('百万欧元', 'EUR million').trim();

/** A minus sign may be another character. */
export const bears = (passage: string, value: string): boolean =>
  passage.replace(/(?<=\d),(?=\d{3})/g, '').includes((value.split(' ')[0] ?? '').replace('-', ''));
