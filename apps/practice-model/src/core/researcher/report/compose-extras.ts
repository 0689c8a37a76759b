import type { Document, Knowledge } from '../notes/knowledge.js';
import type { Scope } from '../question.js';
import { Citations } from './citations.js';
import type { Block } from './compose-block.js';
import type { Finding } from './findings.js';
import { wordsOf } from './words.js';

/** What could not be read; none when all was. */
export function composeGaps(known: Knowledge, { language }: Scope, unread: Document[]): Block | undefined {
  const w = wordsOf(language);
  const broken = known.documents.filter((d) => !d.ready).map((d) => d.name);
  const open = unread.map((d) => d.name);
  if (broken.length + open.length === 0) return undefined;
  const lines = [
    ...(broken.length > 0 ? [w.unreadable(w.list(broken.slice(0, 20)))] : []),
    ...(open.length > 0 ? [w.unread(w.list(open.slice(0, 20)))] : []),
  ];
  return { block: 'open-gaps', title: w.gapsTitle, text: lines.join('\n\n'), citations: [] };
}

/** Where no figure answers: the passages that search holds closest. */
export function composePassages(known: Knowledge, { language }: Scope): Block | undefined {
  const w = wordsOf(language);
  if (known.passages.length === 0) return undefined;
  const cited = new Citations(known.documents);
  const quotes = known.passages.slice(0, 6).map((p) => `> ${p.text} ${cited.mark(p)}`);
  return {
    block: 'passages',
    title: w.passagesTitle,
    text: [w.passagesLead, ...quotes].join('\n\n'),
    citations: cited.list,
  };
}

export function closingOf(findings: Finding[], known: Knowledge, scope: Scope): string {
  const w = wordsOf(scope.language);
  const cells = findings.flatMap((f) => [...f.cells.values()]);
  if (cells.length === 0) return known.passages.length > 0 ? w.closingPassages : w.closingEmpty;
  const labels = w.list(findings.filter((f) => f.cells.size > 0).map((f) => f.label));
  const expected = findings.reduce((n, f) => n + f.entities.length * f.periods.length, 0);
  const gaps = Math.max(0, expected - cells.length) + known.documents.filter((d) => !d.ready).length;
  return w.closing(
    cells.length,
    labels,
    cells.filter((c) => c.against.length > 0).length,
    cells.filter((c) => c.was).length,
    gaps,
  );
}
