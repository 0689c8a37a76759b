/** Snapshots of budget and publication as their owners would give them, for the pure core's tests. */
import type { BudgetSnapshot, CountState } from '@waymark/contracts/budget';
import type { BlockState, PublicationSnapshot } from '@waymark/contracts/publication';
import { RUN } from './played-run.js';

const MINUTE = 60_000;

export const countOf = (limit: number, used: number, more: Partial<CountState> = {}): CountState => {
  const { reserved = 0, unknown = 0 } = more;
  return { limit, used, reserved, unknown, left: limit - used - reserved - unknown };
};

export const timeOf = (limitMs: number, usedMs: number) => ({ limitMs, usedMs, leftMs: Math.max(0, limitMs - usedMs) });

export function budgetOf(over: Partial<BudgetSnapshot> = {}): BudgetSnapshot {
  return {
    run: RUN,
    version: 7,
    policyVersion: 1,
    phase: 'exploring',
    explore: countOf(40, 4),
    finish: countOf(2, 0),
    physical: countOf(86, 4),
    finishReserve: 6,
    purposes: { explore: 4, finish: 0, summarize: 0, review: 0 },
    active: { ...timeOf(60 * MINUTE, MINUTE), unknownMs: 0, overshootMs: 0, running: false },
    wall: timeOf(120 * MINUTE, MINUTE),
    user: null,
    outputMs: 6 * MINUTE,
    usage: { inputTokens: null, outputTokens: null, cachedInputTokens: null, costMicros: null },
    ...over,
  };
}

export const blockOf = (block: string, used = 0, limit = 2): BlockState => ({
  block,
  title: block,
  version: 1 + used,
  bytes: 900,
  citations: 1,
  failedCitations: 0,
  revisions: { limit, used, left: limit - used },
});

export function publicationOf(over: Partial<PublicationSnapshot> = {}): PublicationSnapshot {
  return {
    run: RUN,
    version: 3,
    closed: false,
    epoch: 1,
    revisions: { limit: 8, used: 0, left: 8 },
    blocks: [],
    ...over,
  };
}
