import type { Report } from '@waymark/contracts/publication';
import { reasonOf } from './reasons.js';
import { WORDS } from './words.js';

/** What a reader must know before reading: the report is open, its evidence partial, some citations failed (P6, P7). */
export function headLines(report: Report): readonly string[] {
  const words = WORDS[report.language];
  const citations = report.blocks.flatMap((block) => block.citations);
  const failed = citations.filter(({ status }) => status === 'failed').length;
  return [
    report.state === 'open' ? words.open : null,
    report.outcome && words.state[report.outcome],
    failed > 0 ? words.failedCitations(failed, citations.length) : null,
  ].filter((line) => line !== null);
}

export const hasCitations = ({ blocks }: Report): boolean => blocks.some(({ citations }) => citations.length > 0);

/** The plain line with outcome and reason; null while the report is open. */
export function outcomeLine(report: Report): string | null {
  if (report.outcome === null) return null;
  const words = WORDS[report.language];
  return [words.outcomes[report.outcome], reasonOf(report)]
    .filter(Boolean)
    .join(report.language === 'zh' ? '。' : ' — ');
}
