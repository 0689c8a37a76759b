/** Admission of a review (V1): a candidate is not a dispatch, and a submitted reminder permits nothing (R11). */
import type { BudgetSnapshot } from '@waymark/contracts/budget';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import type { RunState } from './run-state.js';

export type ReviewAdmission =
  | { readonly admit: true }
  | {
      readonly admit: false;
      readonly code:
        | 'reviews_disabled'
        | 'not_exploring'
        | 'nothing_published'
        | 'review_running'
        | 'too_soon'
        | 'no_main_request_after'
        | 'finish_reserve_kept';
    };

/** Allowed? Something to review? One already running? Too soon? Budget for it and one main request after the verdict? */
export function admitReview(
  s: RunState,
  budget: BudgetSnapshot,
  publication: PublicationSnapshot | null,
  asked: 'model' | 'candidate',
): ReviewAdmission {
  const policy = s.admitted?.policy;
  if (!policy?.review.enabled) return { admit: false, code: 'reviews_disabled' };
  if (s.phase !== 'exploring' || budget.phase !== 'exploring') return { admit: false, code: 'not_exploring' };
  if (!publication || publication.blocks.length === 0) return { admit: false, code: 'nothing_published' };
  if (s.review.running) return { admit: false, code: 'review_running' };
  // A candidate keeps the policy's distance by itself.
  const near =
    s.exploreIntended - s.review.atExplore < policy.review.everyExploreRequests &&
    budget.active.usedMs - s.review.atActiveMs < policy.review.everyMs;
  if (asked === 'model' && s.review.dispatched > 0 && near) return { admit: false, code: 'too_soon' };
  // A model that has closed its report asks for nothing more.
  if (budget.explore.left < 1 || s.closing !== null) return { admit: false, code: 'no_main_request_after' };
  // The review's own request and one main request after it, beside the finish reserve.
  if (budget.physical.left < budget.finishReserve + 2) return { admit: false, code: 'finish_reserve_kept' };
  return { admit: true };
}
