/** A refusal names the limit, its numbers, the phase and what is still possible (B10). */
import { admissionOf, type Denial } from './admission.js';
import { limitOf, type CountName, type Ledger, type TimeLimit } from './ledger.js';
import { phaseOf } from './phase.js';
import { timesLeft } from './time-left.js';
import type { BudgetRefusal, Purpose } from './words.js';

const PURPOSES: readonly Purpose[] = ['explore', 'finish', 'summarize', 'review'];
const COUNT_LIMIT = {
  explore: 'exploreRequests',
  finish: 'finishRequests',
  physical: 'physicalRequests',
} as const satisfies Record<CountName, string>;
const TIME_LIMIT = { active: 'activeMs', wall: 'wallMs', user: 'userDeadlineMs' } as const satisfies Record<
  TimeLimit,
  string
>;

/** No limit is in the way: who asks, or how, is. */
export function refuseCaller(
  ledger: Ledger,
  code: 'fenced' | 'closed' | 'key_mismatch',
  message: string,
  now: number,
): BudgetRefusal {
  return {
    ...{ code, message, limit: null, unit: 'none' as const, size: 0, used: 0, reserved: 0, unknown: 0 },
    phase: phaseOf(ledger, now),
    possible: code === 'key_mismatch' ? possible(ledger, now) : code === 'closed' ? ['settle'] : [],
  };
}

export function refuseByLimit(ledger: Ledger, purpose: Purpose, denial: Denial, now: number): BudgetRefusal {
  const numbers = 'count' in denial ? countNumbers(ledger, denial.count) : timeNumbers(ledger, denial, now);
  return {
    code: denial.code,
    message: `no ${purpose} request: ${reasonFor(ledger, denial)}`,
    ...numbers,
    phase: phaseOf(ledger, now),
    possible: possible(ledger, now),
  };
}

/** Purposes that would be granted now. */
function possible(ledger: Ledger, now: number): string[] {
  if (ledger.closedAt !== null) return ['settle'];
  return PURPOSES.filter((purpose) => admissionOf(ledger, purpose, now).admitted);
}

function countNumbers(ledger: Ledger, count: CountName) {
  return {
    limit: COUNT_LIMIT[count],
    unit: 'requests' as const,
    size: limitOf(ledger, count),
    ...ledger.counts[count],
  };
}

/** Of a time, `unknown` is a part of `used`, and what is kept for the ending counts as reserved. */
function timeNumbers(ledger: Ledger, denial: Extract<Denial, { time: TimeLimit }>, now: number) {
  const limit = denial.time;
  const time = timesLeft(ledger, now).find((one) => one.limit === limit);
  return {
    limit: TIME_LIMIT[limit],
    unit: 'ms' as const,
    size: time?.limitMs ?? 0,
    used: time?.usedMs ?? 0,
    reserved: denial.code === 'output_time_reached' ? ledger.limits.outputMs : 0,
    unknown: limit === 'active' ? ledger.active.unknownMs : 0,
  };
}

function reasonFor(ledger: Ledger, denial: Denial): string {
  const { finishReserve, outputMs } = ledger.limits;
  switch (denial.code) {
    case 'explore_exhausted':
    case 'finish_exhausted':
    case 'physical_exhausted': {
      const { used, reserved, unknown } = ledger.counts[denial.count];
      const size = limitOf(ledger, denial.count);
      return `all ${size} ${denial.count} requests are taken (${used} used, ${reserved} reserved, ${unknown} unknown)`;
    }
    case 'finish_reserve_kept':
      return `the last ${finishReserve} physical requests are kept for finishing`;
    case 'main_request_kept':
      return `a main request must remain beside the ${finishReserve} physical requests kept for finishing`;
    case 'output_time_reached':
      return `the last ${outputMs} ms before the ${denial.time} limit are kept for the ending`;
    case 'active_time_over':
      return 'the active time is used up';
    case 'wall_time_over':
      return 'the wall time is used up';
    case 'user_deadline_over':
      return "the user's deadline has passed";
    default:
      return denial satisfies never;
  }
}
