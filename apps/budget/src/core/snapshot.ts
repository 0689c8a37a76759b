import { left, limitOf, type CountName, type Ledger, type OpenReservation } from './ledger.js';
import { phaseOf } from './phase.js';
import { timesLeft, type TimeLeft } from './time-left.js';
import type { BudgetSnapshot } from './words.js';

/** The numbers at `now`, each in its own unit (B1), with the version that they belong to (B12). */
export function snapshotOf(ledger: Ledger, now: number): BudgetSnapshot {
  const [active, wall, user] = timesLeft(ledger, now) as [TimeLeft, TimeLeft, TimeLeft | undefined];
  return {
    run: ledger.run,
    version: ledger.version,
    policyVersion: ledger.policyVersion,
    phase: phaseOf(ledger, now),
    explore: countState(ledger, 'explore'),
    finish: countState(ledger, 'finish'),
    physical: countState(ledger, 'physical'),
    finishReserve: ledger.limits.finishReserve,
    purposes: ledger.purposes,
    active: {
      ...timeState(active),
      unknownMs: ledger.active.unknownMs,
      overshootMs: Math.max(0, -active.leftMs),
      running: ledger.running.length > 0,
    },
    wall: timeState(wall),
    user: user ? timeState(user) : null,
    outputMs: ledger.limits.outputMs,
    usage: ledger.usage,
  };
}

/** An open reservation as the outside sees it: ages, never clock times (T3). */
export function openView(entry: OpenReservation, now: number) {
  const { reservation, key, holder, epoch, purpose, at } = entry;
  return { reservation, key, holder, epoch, purpose, grantedAgeMs: Math.max(0, now - at) };
}

function countState(ledger: Ledger, name: CountName): BudgetSnapshot['explore'] {
  return { limit: limitOf(ledger, name), ...ledger.counts[name], left: left(ledger, name) };
}

function timeState({ limitMs, usedMs, leftMs }: TimeLeft): BudgetSnapshot['wall'] {
  return { limitMs, usedMs, leftMs: Math.max(0, leftMs) };
}
