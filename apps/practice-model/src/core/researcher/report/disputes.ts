import type { DocumentFigure, Knowledge } from '../notes/knowledge.js';
import type { Scope } from '../question.js';
import { Citations } from './citations.js';
import type { Block } from './compose-block.js';
import type { Cell, Finding } from './findings.js';
import { wordsOf } from './words.js';

/** A figure on which sources differ, or that one of them corrects, with every passage that bears a value of it. */
export interface Dispute {
  name: string;
  period: string;
  label: string;
  figures: DocumentFigure[];
  corrected: boolean;
}

export function disputesOf(findings: readonly Finding[]): Dispute[] {
  return findings.flatMap((finding) =>
    finding.entities.flatMap(({ key, name }) =>
      finding.periods.flatMap((period): Dispute[] => {
        const figures = disputed(finding.cells.get(`${key}|${period}`));
        const corrected = finding.cells.get(`${key}|${period}`)?.was !== undefined;
        return figures.length < 2 ? [] : [{ name, period, label: finding.label, figures, corrected }];
      }),
    ),
  );
}

const disputed = (cell: Cell | undefined): DocumentFigure[] =>
  cell === undefined ? [] : [...(cell.was ? [cell.was] : []), cell.stands, ...cell.against];

/** The passages themselves, as far as they were read again; none when none was. */
export function composeDisputes(
  findings: readonly Finding[],
  known: Knowledge,
  { language }: Scope,
): Block | undefined {
  const w = wordsOf(language);
  const cited = new Citations(known.documents);
  const parts = disputesOf(findings).flatMap(({ name, period, label, figures, corrected }) => {
    const quotes = figures.flatMap((f) => {
      const quote = known.quotes.find((q) => q.document === f.document && q.start === f.start && q.end === f.end);
      if (!quote) return [];
      const source = known.documents.find((d) => d.index === f.document)?.name ?? '';
      return [`> ${asLine(quote.text)} ${cited.mark(f)} — ${source}`];
    });
    const head = corrected ? w.correctedHead(name, period, label) : w.disputedHead(name, period, label);
    return quotes.length === 0 ? [] : [`**${head}**`, ...quotes];
  });
  if (parts.length === 0) return undefined;
  return { block: 'sources-differ', title: w.disputesTitle, text: parts.join('\n\n'), citations: cited.list };
}

/** In one line; the edges of a table's cells part them still. */
const asLine = (text: string): string =>
  text
    .replace(/^\s*\||\|\s*$/gu, '')
    .replace(/\s*\|\s*/gu, ' · ')
    .replace(/\s+/gu, ' ')
    .trim();
