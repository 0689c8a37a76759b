import type { CountState } from '@waymark/contracts/budget';

/** What a count has taken, this very request included (R18): unknown counts as used (B3). */
export function taken(count: CountState): number {
  return count.used + count.reserved + count.unknown;
}
