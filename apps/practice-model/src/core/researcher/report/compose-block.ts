import { isKnownMetric } from '../extract/metrics.js';
import type { DocumentFigure, Knowledge } from '../notes/knowledge.js';
import { digestOf } from '../observe-results.js';
import type { Scope } from '../question.js';
import { Citations, type Citation } from './citations.js';
import { comparisonOf, mixedPeriods } from './comparison.js';
import { cellKey, type Finding } from './findings.js';
import { wordsOf } from './words.js';

export interface Block {
  block: string;
  title: string;
  text: string;
  citations: Citation[];
}

/** A table of names by periods, then what stands out: range, conflicts, corrections, gaps; each figure with its source. */
export function composeBlock(finding: Finding, known: Knowledge, { language }: Scope): Block {
  const w = wordsOf(language);
  const cited = new Citations(known.documents);
  const show = (f: DocumentFigure): string => `${shown(f)} ${cited.mark(f)}`.trim();
  const missing: string[] = [];
  const disputes: string[] = [];
  const corrections: string[] = [];
  const rows = finding.entities.map(({ key, name }) => {
    const cells = finding.periods.map((period) => {
      const cell = finding.cells.get(cellKey(key, period));
      if (!cell) {
        missing.push(`${name}${period === '' ? '' : ` ${period}`}`);
        return w.none;
      }
      if (cell.against.length > 0) {
        const values = [cell.stands, ...cell.against].map(show);
        disputes.push(w.disagree(name, period, w.list(values)));
        return values.join(' / ');
      }
      if (cell.was) corrections.push(w.corrected(name, period, show(cell.was), show(cell.stands)));
      return show(cell.stands);
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  if (finding.cells.size === 0) {
    return { block: slugOf(finding), title: w.title(finding.label), text: w.nothing(finding.label), citations: [] };
  }
  const header = [w.name, ...finding.periods.map((p) => (p === '' ? w.undated : p))];
  const table = [`| ${header.join(' | ')} |`, `|${header.map(() => '---').join('|')}|`, ...rows].join('\n');
  const mixed = mixedPeriods(finding);
  const sentences = [
    ...range(finding, known, language, show),
    ...(mixed.length > 0 ? [w.mixed(w.list(mixed.filter((period) => period !== '')))] : []),
    ...disputes,
    ...corrections,
  ];
  if (missing.length > 0) sentences.push(w.missing(w.list(missing.slice(0, 12))));
  return {
    block: slugOf(finding),
    title: w.title(finding.label),
    text: [table, sentences.join(language === 'zh' ? '' : ' ')].filter((part) => part !== '').join('\n\n'),
    citations: cited.list,
  };
}

function range(
  finding: Finding,
  known: Knowledge,
  language: Scope['language'],
  show: (f: DocumentFigure) => string,
): string[] {
  const w = wordsOf(language);
  const c = comparisonOf(finding);
  if (!c) return [];
  const { lowest, highest } = c;
  const first = w.range(c.period, finding.label, show(lowest.figure), lowest.name, show(highest.figure), highest.name);
  const difference = known.calculated.get(c.difference);
  const average = known.calculated.get(c.average);
  if (!difference || !average) return [first];
  const unit = lowest.figure.unit;
  // Per cents lie percentage points apart.
  const gap = withUnit(difference, unit === '%' ? w.points : unit);
  return [first, w.apart(gap, withUnit(average, unit))];
}

const shown = (f: DocumentFigure): string => withUnit(f.value, f.unit);
export const withUnit = (value: string, unit: string): string => (unit === '' ? value : `${value} ${unit}`);

/** A block's name: the measure's in Latin letters, or a digest of it. */
function slugOf({ metric }: Finding): string {
  const slug = metric
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-+|-+$/gu, '')
    .slice(0, 60);
  return isKnownMetric(metric) || slug.length >= 3 ? slug : `measure-${digestOf(metric)}`;
}
