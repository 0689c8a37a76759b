/** Whether compose may be skipped: nothing stood or was raised last time and nothing can come yet (architecture, one turn). */
import type { BudgetSnapshot } from '@waymark/contracts/budget';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import type { ComposeReply, QuietUntil } from '@waymark/contracts/reminder';

export interface Measured {
  readonly budget: BudgetSnapshot;
  readonly contentBytes: number;
  readonly publication: PublicationSnapshot;
  readonly sinceReviewExplore: number;
  readonly sinceReviewMs: number;
  readonly partlyReadSources: number;
}

export const isSilent = (reply: ComposeReply): boolean =>
  reply.state.length === 0 &&
  reply.advice.length === 0 &&
  reply.combined.length === 0 &&
  reply.rearmed.length === 0 &&
  reply.reviewCandidate === null;

/** True only if every measurement of this grant is below the value that `quiet` names for it. */
export function isQuiet(quiet: QuietUntil, m: Measured): boolean {
  const used = (c: { limit: number; left: number }) => c.limit - c.left;
  const below = (value: number, bound: number | null) => bound === null || value < bound;
  return (
    below(used(m.budget.explore), quiet.exploreUsed) &&
    below(used(m.budget.physical), quiet.physicalUsed) &&
    below(m.budget.active.usedMs, quiet.activeMs) &&
    below(m.budget.wall.usedMs, quiet.wallMs) &&
    below(m.contentBytes, quiet.contentBytes) &&
    below(m.publication.revisions.used, quiet.runRevisions) &&
    below(Math.max(0, ...m.publication.blocks.map((b) => b.revisions.used)), quiet.blockRevisions) &&
    below(m.sinceReviewExplore, quiet.reviewExploreRequests) &&
    below(m.sinceReviewMs, quiet.reviewMs) &&
    below(m.partlyReadSources, quiet.partlyReadSources)
  );
}
