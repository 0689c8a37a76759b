import type { DocumentFigure, Knowledge } from '../notes/knowledge.js';
import type { Scope } from '../question.js';
import { comparisonOf } from './comparison.js';
import { composeBlock, withUnit } from './compose-block.js';
import { disputesOf } from './disputes.js';
import type { Finding } from './findings.js';
import { wordsOf } from './words.js';

/** The answer before its grounds: lowest and highest of each measure, then what is in conflict and what was corrected. */
export function atAGlance(findings: readonly Finding[], known: Knowledge, scope: Scope): string[] {
  const w = wordsOf(scope.language);
  const marks = new Map(findings.map((finding) => [finding, marker(finding, known, scope)]));
  const rows = findings.flatMap((finding) => {
    const c = comparisonOf(finding);
    if (!c) return [];
    const show = ({ name, figure }: typeof c.lowest): string => `${name}: ${marks.get(finding)?.(figure) ?? ''}`;
    return [`| ${[w.title(finding.label), c.period, show(c.lowest), show(c.highest)].join(' | ')} |`];
  });
  if (rows.length === 0) return [];
  const table = [`| ${w.glance.join(' | ')} |`, `|${w.glance.map(() => '---').join('|')}|`, ...rows].join('\n');
  const disputes = findings.flatMap((finding) => {
    const mark = marks.get(finding);
    return disputesOf([finding]).map(({ name, period, label, figures, corrected }) => {
      const values = figures.map((f) => mark?.(f) ?? '');
      const head = corrected ? w.correctedHead(name, period, label) : w.disputedHead(name, period, label);
      return `- ${head}${scope.language === 'zh' ? '，' : ', '}${values.join(corrected ? ' → ' : ' / ')}`;
    });
  });
  return disputes.length === 0 ? [table] : [table, disputes.join('\n')];
}

/** A figure with the link to its ground in its section, where the section is published as it would be written now. */
function marker(finding: Finding, known: Knowledge, scope: Scope): (figure: DocumentFigure) => string {
  const { block, citations } = composeBlock(finding, known, scope);
  return (figure) => {
    const locator = known.documents.find((d) => d.index === figure.document)?.locator;
    const at = citations.findIndex((c) => c.locator === locator && c.start === figure.start && c.end === figure.end);
    return `${withUnit(figure.value, figure.unit)}${at < 0 ? '' : ` [${block}:${at + 1}]`}`;
  };
}
