/** What the run does next, from its state alone (architecture, step 9). */
import type { RunState } from './run-state.js';

export type Next =
  | { readonly do: 'continue-ending' }
  | { readonly do: 'cancel' }
  | { readonly do: 'run-actions' }
  | { readonly do: 'end'; readonly cause: EndCause }
  | { readonly do: 'finish-phase'; readonly code: string; readonly reason: string }
  | { readonly do: 'request'; readonly purpose: 'explore' | 'finish' };

/** Why a run ends; {@link decideEnding} makes outcome and words of it (L10). */
export type EndCause =
  | { readonly kind: 'model_finished' }
  | { readonly kind: 'cancelled'; readonly reason: string | null }
  | { readonly kind: 'set_aside'; readonly claims: number }
  /** Finishing could not be used, or is used up: the runtime closes (L11). */
  | { readonly kind: 'runtime_closes'; readonly code: string; readonly detail: string };

/** Empty or cut-off answers in a row that end a phase. */
const EMPTY_ANSWERS = 2;

export function decideNext(s: RunState, cancelled: boolean): Next {
  if (s.phase === 'ending' || s.phase === 'ended') return { do: 'continue-ending' };
  if (cancelled) return { do: 'cancel' };
  if (s.transcript.openTurn) return { do: 'run-actions' };
  if (s.closing) return { do: 'end', cause: { kind: 'model_finished' } };
  if (s.emptyInRow >= EMPTY_ANSWERS) {
    return s.phase === 'exploring'
      ? {
          do: 'finish-phase',
          code: 'empty_answers',
          reason: `the model gave ${s.emptyInRow} answers in a row that were empty or cut off`,
        }
      : {
          do: 'end',
          cause: { kind: 'runtime_closes', code: 'empty_answers', detail: 'the finishing answers were empty' },
        };
  }
  if (s.phase === 'exploring') {
    const limit = (['user', 'active', 'wall'] as const).find((l) => s.limits[l] !== undefined);
    if (limit) {
      return {
        do: 'finish-phase',
        code: LIMIT_CODES[limit],
        reason: `the ${LIMIT_NAMES[limit]} came within its output time`,
      };
    }
    return { do: 'request', purpose: 'explore' };
  }
  const over = (['user', 'active', 'wall'] as const).find((l) => s.limits[l] === 'reached');
  if (over) {
    return {
      do: 'end',
      cause: { kind: 'runtime_closes', code: OVER_CODES[over], detail: `the ${LIMIT_NAMES[over]} is over` },
    };
  }
  return { do: 'request', purpose: 'finish' };
}

const LIMIT_NAMES = { user: 'user deadline', active: 'active time limit', wall: 'wall clock limit' } as const;
const LIMIT_CODES = { user: 'user_deadline_near', active: 'active_time_near', wall: 'wall_time_near' } as const;
const OVER_CODES = { user: 'user_deadline_over', active: 'active_time_over', wall: 'wall_time_over' } as const;
