import type { Verdict } from '@waymark/contracts/reviewer';

/** What callers see: a review is over for them as soon as its verdict stands. */
export function viewState(verdict: Verdict | null): 'running' | 'done' | 'stopped' {
  if (!verdict) return 'running';
  return verdict.code === 'stopped' ? 'stopped' : 'done';
}
