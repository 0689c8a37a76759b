import type { Knowledge } from '../notes/knowledge.js';
import { readBackOf, type Span } from '../read-back.js';
import { disputesOf } from '../report/disputes.js';
import type { Finding } from '../report/findings.js';
import type { Step } from './step.js';

/** What a reviewer's advice asks for; wording may change, so only its gist is read. */
export interface Asked {
  /** The passages of a conflict or correction, word for word. */
  quotes: boolean;
  /** Something that the report does not say yet. */
  more: boolean;
}

const QUOTES = /\bquot(?:e|ing|ation)|word for word|引用原文|逐字/iu;
const MORE = /says nothing of|leaves? out|\badd (?:a|the) (?:block|section)|缺少|遗漏/iu;
/** Stored results are many and a request is small. */
const MOST_PASSAGES = 8;

export const asked = (advice: string | undefined): Asked => ({
  quotes: advice !== undefined && QUOTES.test(advice),
  more: advice !== undefined && MORE.test(advice),
});

/** Reads again, out of stored results, the passages that are to be quoted: notes keep figures, not words. */
export function readAgain(findings: readonly Finding[], known: Knowledge): Step | undefined {
  if (known.done.has('quote')) return undefined;
  const spans = disputesOf(findings)
    .flatMap((dispute): Span[] => dispute.figures)
    .filter((s, i, all) => all.findIndex((o) => o.document === s.document && o.start === s.start) === i);
  const calls = spans.slice(0, MOST_PASSAGES).flatMap((span) => {
    const args = readBackOf(span, known);
    return args ? [{ name: 'read_back', args }] : [];
  });
  if (calls.length === 0) return undefined;
  return { say: 'I read the passages again, to quote them.', calls, notes: [['n', 'quote']] };
}
