/**
 * Which request an entry of a provider's log without an id stands for. A retry often has the very bytes of the request
 * before it, so a digest can name several.
 */
import type { RequestSettled } from './facts.js';

type Settlement = Pick<RequestSettled, 'outcome' | 'content' | 'status'>;

/** Something came back: the request had arrived. */
export const wasAnswered = ({ outcome, content, status }: Settlement): boolean =>
  content || status !== null || outcome === 'completed';

/**
 * Of the requests with an entry's bytes, one that has not arrived by another entry: one that was answered before one of
 * which nobody knows, and one of which nothing was sent last. The first of them when all have arrived.
 */
export function likeliestArrival<K>(
  same: readonly K[],
  hasArrived: (key: K) => boolean,
  settlementOf: (key: K) => Settlement | undefined,
): K | undefined {
  const rank = (key: K): number => {
    const settlement = settlementOf(key);
    if (settlement === undefined) return 1;
    return wasAnswered(settlement) ? 0 : settlement.outcome === 'not_sent' ? 2 : 1;
  };
  const left = same.filter((key) => !hasArrived(key)).sort((a, b) => rank(a) - rank(b));
  return left[0] ?? same[0];
}
