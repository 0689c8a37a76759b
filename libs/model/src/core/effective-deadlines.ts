import type { OutcomeCode } from './outcome.js';

/** Milliseconds: to the first content, between two pieces of content, for the whole request. */
export interface RequestDeadlines {
  readonly firstContentMs: number;
  readonly progressMs: number;
  readonly totalMs: number;
}

export type LimitName = 'active' | 'wall' | 'user';
export type Bound = 'policy' | LimitName;

export interface EffectiveDeadlines extends RequestDeadlines {
  readonly leftMs: number;
  /** What the total comes from. */
  readonly bound: Bound;
  /** What each one comes from. */
  readonly bounds: { readonly firstContent: Bound; readonly progress: Bound; readonly total: Bound };
}

/**
 * T2: the smallest of what the policy and the time left allow. `leftMs` and `leftBound` are those of the grant; a user's
 * deadline is already in them.
 */
export function effectiveDeadlines(
  policy: RequestDeadlines,
  leftMs: number,
  leftBound: LimitName = 'active',
): EffectiveDeadlines {
  const left = Math.max(0, leftMs);
  const cut = (ms: number): [number, Bound] => (left < ms ? [left, leftBound] : [ms, 'policy']);
  const [totalMs, total] = cut(policy.totalMs);
  const [firstContentMs, firstContent] = cut(policy.firstContentMs);
  const [progressMs, progress] = cut(policy.progressMs);
  return {
    firstContentMs,
    progressMs,
    totalMs,
    leftMs: left,
    bound: total,
    bounds: { firstContent, progress, total },
  };
}

const LIMIT_CODES = {
  active: 'active_time_over',
  wall: 'wall_time_over',
  user: 'user_deadline_over',
} as const satisfies Record<LimitName, string>;

/** T1: the stage that really ended. A time-out that a run's limit had cut short is that limit's. */
export function endedStage(
  code: OutcomeCode | null,
  deadlines: EffectiveDeadlines,
): OutcomeCode | (typeof LIMIT_CODES)[LimitName] | null {
  const { bounds } = deadlines;
  const bound =
    code === 'total_timeout'
      ? bounds.total
      : code === 'first_content_timeout'
        ? bounds.firstContent
        : code === 'progress_timeout'
          ? bounds.progress
          : 'policy';
  return bound === 'policy' ? code : LIMIT_CODES[bound];
}
