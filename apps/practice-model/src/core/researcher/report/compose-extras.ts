import { merged } from '../notes/condense-notes.js';
import type { Document, Knowledge } from '../notes/knowledge.js';
import { namesWithoutFigures, type Scope } from '../question.js';
import { meaningWords } from '../meaning-words.js';
import { answeredByFigures, asksForCause, openParts, quotesFor } from '../question-parts.js';
import { quoteOf } from '../quote.js';
import { Citations } from './citations.js';
import type { Block } from './compose-block.js';
import type { Finding } from './findings.js';
import { atAGlance } from './at-a-glance.js';
import { wordsOf } from './words.js';

/** The documents that were not read, or not to the end; none when all were. */
export function composeUnread(known: Knowledge, { language }: Scope, unread: Document[]): Block | undefined {
  const w = wordsOf(language);
  const broken = known.documents.filter((d) => !d.ready).map((d) => d.name);
  const open = unread.map((d) => d.name);
  if (broken.length + open.length === 0) return undefined;
  const lines = [
    ...(broken.length > 0 ? [w.unreadable(w.list(broken.slice(0, 20)))] : []),
    ...(open.length > 0 ? [w.unread(w.list(open.slice(0, 20)))] : []),
  ];
  return { block: 'unread-documents', title: w.unreadTitle, text: lines.join('\n\n'), citations: [] };
}

/** Where no figure answers: the passages that search holds closest. */
export function composePassages(question: string, known: Knowledge, { language }: Scope): Block | undefined {
  const w = wordsOf(language);
  if (known.passages.length === 0) return undefined;
  const places = new Set<string>();
  const once = known.passages.filter((p) => {
    const place = `${p.document} ${p.start} ${p.end}`;
    return !places.has(place) && places.add(place);
  });
  const cited = new Citations(known.documents);
  const words = meaningWords(question);
  const quotes = once.slice(0, 6).flatMap((p) => {
    const cause = asksForCause(question) ? quoteOf(p.text, { words, cause: true }) : undefined;
    const text = cause ?? quoteOf(p.text, { words, cause: false });
    return text === undefined ? [] : [`> ${text} ${cited.mark(p)}`];
  });
  if (quotes.length === 0) return undefined;
  return {
    block: 'passages',
    title: w.passagesTitle,
    text: [w.passagesLead, ...quotes].join('\n\n'),
    citations: cited.list,
  };
}

/** The parts of the question that ask for something else than figures, with the passages that answer them. */
export function composeParts(question: string, known: Knowledge, { language }: Scope): Block | undefined {
  const w = wordsOf(language);
  const cited = new Citations(known.documents);
  const answers = openParts(question).flatMap((part) => {
    const quotes = quotesFor(part, known).map((p) => `> ${p.text} ${cited.mark(p)}`);
    return quotes.length === 0 ? [] : [`**${part.text}**`, ...quotes];
  });
  if (answers.length === 0) return undefined;
  return { block: 'other-parts', title: w.partsTitle, text: answers.join('\n\n'), citations: cited.list };
}

/** What the report comes to, and each part of the question that it does not answer. */
export function closingOf(question: string, findings: Finding[], known: Knowledge, scope: Scope): string {
  const w = wordsOf(scope.language);
  const open = openParts(question)
    .filter((part) => quotesFor(part, known).length === 0 && !answeredByFigures(part, known))
    .map((part) => part.text);
  const empty = findings.filter((f) => f.cells.size === 0).map((f) => f.label);
  const strangers = findings.length === 0 ? [] : namesWithoutFigures(question, known);
  const left = known.documents.length === 0 ? [] : [...new Set([...empty, ...strangers, ...open])];
  const sum = sumOf(findings, known, scope);
  const said = left.length === 0 ? sum : [sum, w.open(left)].join(scope.language === 'zh' ? '' : ' ');
  return [...atAGlance(findings, known, scope), said].join('\n\n');
}

function sumOf(findings: Finding[], known: Knowledge, scope: Scope): string {
  const w = wordsOf(scope.language);
  const cells = findings.flatMap((f) => [...f.cells.values()]);
  if (cells.length === 0) return known.passages.length > 0 ? w.closingPassages : w.closingEmpty;
  const labels = w.list(findings.filter((f) => f.cells.size > 0).map((f) => f.label));
  const expected = findings.reduce((n, f) => n + f.entities.length * f.periods.length, 0);
  return w.closing({
    labels,
    figures: cells.length,
    conflicts: cells.filter((c) => c.against.length > 0).length,
    corrected: cells.filter((c) => c.was).length,
    missing: Math.max(0, expected - cells.length),
    unread: known.documents.filter((d) => !wasRead(d)).length,
  });
}

/** To its end: of what merely was not asked about nobody can say that it holds nothing. */
const wasRead = (d: Document): boolean =>
  d.ready && merged(d.read).reduce((n, [start, end]) => n + end - start, 0) >= d.bytes;
