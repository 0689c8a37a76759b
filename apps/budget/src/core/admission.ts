/**
 * May a request of this purpose be granted now, and for how long?
 *
 * 1. No count limit is overshot by even one (B11).
 * 2. Nothing but `finish` takes a physical request of the finish reserve; `summarize` and `review` leave one main
 *    request besides (B4).
 * 3. Everything but `finish` ends before each time limit by the output time; a finishing turn gets its share of what is
 *    left to the nearest limit (B4).
 */
import { left, type CountName, type Ledger, type TimeLimit } from './ledger.js';
import { nearest, timesLeft } from './time-left.js';
import type { Purpose } from './words.js';

export type Admission =
  | { readonly admitted: true; readonly leftMs: number; readonly bound: TimeLimit }
  | { readonly admitted: false; readonly denial: Denial };

/** Why not, and which limit says so. */
export type Denial =
  | { readonly code: `${CountName}_exhausted`; readonly count: CountName }
  | { readonly code: 'finish_reserve_kept' | 'main_request_kept'; readonly count: CountName }
  | { readonly code: 'output_time_reached'; readonly time: TimeLimit }
  | { readonly code: 'active_time_over' | 'wall_time_over' | 'user_deadline_over'; readonly time: TimeLimit };

const OVER = { active: 'active_time_over', wall: 'wall_time_over', user: 'user_deadline_over' } as const;

export function admissionOf(ledger: Ledger, purpose: Purpose, now: number): Admission {
  const denial = countDenial(ledger, purpose);
  return denial ? { admitted: false, denial } : timeFor(ledger, purpose, now);
}

function countDenial(ledger: Ledger, purpose: Purpose): Denial | null {
  const physical = left(ledger, 'physical');
  if (physical < 1) return { code: 'physical_exhausted', count: 'physical' };
  switch (purpose) {
    case 'finish':
      return left(ledger, 'finish') < 1 ? { code: 'finish_exhausted', count: 'finish' } : null;
    case 'explore':
      if (left(ledger, 'explore') < 1) return { code: 'explore_exhausted', count: 'explore' };
      return physical - 1 < ledger.limits.finishReserve ? { code: 'finish_reserve_kept', count: 'physical' } : null;
    case 'summarize':
    case 'review':
      if (physical - 1 < ledger.limits.finishReserve) return { code: 'finish_reserve_kept', count: 'physical' };
      if (physical - 1 < ledger.limits.finishReserve + 1) return { code: 'main_request_kept', count: 'physical' };
      return left(ledger, 'explore') < 1 ? { code: 'main_request_kept', count: 'explore' } : null;
    default:
      return purpose satisfies never;
  }
}

function timeFor(ledger: Ledger, purpose: Purpose, now: number): Admission {
  const { limit, leftMs } = nearest(timesLeft(ledger, now));
  const given = Math.floor(purpose === 'finish' ? leftMs / left(ledger, 'finish') : leftMs - ledger.limits.outputMs);
  if (given > 0) return { admitted: true, leftMs: given, bound: limit };
  return { admitted: false, denial: { code: purpose === 'finish' ? OVER[limit] : 'output_time_reached', time: limit } };
}
