import type { ComposeReply } from '@waymark/contracts/reminder';
import type { Facts } from './facts.js';
import { hasTimePoints } from './types/work-review.js';

/**
 * Known conditions make a review worth considering (V1). Nothing of the reminders goes in here: a review is raised or not
 * whatever became of the advice (R11), and whether one is dispatched is the runtime's.
 */
export function reviewCandidate(facts: Facts): ComposeReply['reviewCandidate'] {
  const { enabled, running, everyExploreRequests, everyMs, sinceExploreRequests, sinceMs } = facts.review;
  if (!enabled || running || facts.phase !== 'exploring' || facts.publication.blocks.length === 0) return null;
  const version = facts.budget.version;
  if (sinceExploreRequests >= everyExploreRequests) {
    const basis = { value: sinceExploreRequests, limit: everyExploreRequests, unit: 'requests', version };
    return { reason: 'explore_requests', basis };
  }
  if (hasTimePoints(facts) && sinceMs >= everyMs) {
    return { reason: 'time', basis: { value: sinceMs, limit: everyMs, unit: 'ms', version } };
  }
  return null;
}
