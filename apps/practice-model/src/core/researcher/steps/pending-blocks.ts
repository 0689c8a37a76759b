import type { Knowledge } from '../notes/knowledge.js';
import { digestOf } from '../observe-results.js';
import { composeBlock, type Block } from '../report/compose-block.js';
import { composeParts, composePassages, composeUnread } from '../report/compose-extras.js';
import { composeDisputes } from '../report/disputes.js';
import { comparisonOf } from '../report/comparison.js';
import type { Finding } from '../report/findings.js';
import type { Scope } from '../question.js';
import { unreadParts } from './plan-reading.js';

/** A block that has not been written, or whose text would now be another. */
export interface PendingBlock extends Block {
  expectVersion: number;
}

/** Those on the measures that were asked for, and where the sources disagree on them. */
export function pendingFindings(findings: Finding[], known: Knowledge, scope: Scope): PendingBlock[] {
  const blocks = findings
    .filter((f) => f.cells.size > 0 || known.documents.length > 0)
    .map((f) => composeBlock(f, known, scope));
  return [...blocks, composeDisputes(findings, known, scope)].flatMap((block) => (block ? pending(block, known) : []));
}

/** All that the report is to have at its end. */
export function pendingBlocks(question: string, findings: Finding[], known: Knowledge, scope: Scope): PendingBlock[] {
  const unread = [...new Set(unreadParts(known).map((part) => part.document))];
  const extras = [
    findings.every((f) => f.cells.size === 0)
      ? composePassages(question, known, scope)
      : composeParts(question, known, scope),
    composeUnread(known, scope, unread),
  ].filter((block): block is Block => block !== undefined);
  return [...pendingFindings(findings, known, scope), ...extras.flatMap((block) => pending(block, known))];
}

/** A block that was refused twice, or for good, is let be: what is published of it stands. */
export function pending(block: Block, known: Knowledge): PendingBlock[] {
  const refusals = known.refused.get(block.block) ?? [];
  if (refusals.length >= 2 || refusals.some((code) => /exhausted|closed|too_many/u.test(code))) return [];
  const written = known.blocks.get(block.block);
  // A block of this name that was written in a turn which is no longer known is version 1 at least.
  const blind = refusals.some((code) => code === 'block_exists') ? 1 : 0;
  if (!written) return [{ ...block, expectVersion: blind }];
  return written.digest === digestOf(block.text) ? [] : [{ ...block, expectVersion: written.version }];
}

/** What `calculate` is still to be asked for these findings. */
export const missingSums = (findings: Finding[], known: Knowledge): string[] =>
  findings
    .flatMap((finding) => {
      const c = comparisonOf(finding);
      return c ? [c.difference, c.average] : [];
    })
    .filter((expression, i, all) => !known.calculated.has(expression) && all.indexOf(expression) === i);
