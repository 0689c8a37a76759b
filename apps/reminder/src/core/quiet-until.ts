import type { QuietUntil } from '@waymark/contracts/reminder';
import type { Armed } from './arm.js';
import type { Facts } from './facts.js';
import type { Looked } from './look.js';

const NOTHING: QuietUntil = {
  exploreUsed: null,
  physicalUsed: null,
  activeMs: null,
  wallMs: null,
  contentBytes: null,
  runRevisions: null,
  blockRevisions: null,
  reviewExploreRequests: null,
  reviewMs: null,
  partlyReadSources: null,
};

/** What a reply to another than a main request says: it knows nothing of what comes. */
export const NEVER_QUIET: QuietUntil = {
  exploreUsed: 0,
  physicalUsed: 0,
  activeMs: 0,
  wallMs: 0,
  contentBytes: 0,
  runRevisions: 0,
  blockRevisions: 0,
  reviewExploreRequests: 0,
  reviewMs: 0,
  partlyReadSources: 0,
};

/**
 * For each measurement the smallest value at which something could be said. While a type's advice is in force its
 * measurements are never quiet: their fall has to be seen, or the advice would not be armed again (R3).
 */
export function quietUntil(facts: Facts, looked: readonly Looked[], armed: Armed): QuietUntil {
  const until: QuietUntil = { ...NOTHING };
  for (const { rule } of looked) {
    const own = rule.quiet(facts);
    for (const key of Object.keys(own) as (keyof QuietUntil)[]) {
      until[key] = armed.types.has(rule.type) ? 0 : (own[key] ?? null);
    }
  }
  return until;
}
