import { limitOf, type CountName, type Ledger } from './ledger.js';
import { nearest, timesLeft } from './time-left.js';
import type { BudgetSnapshot } from './words.js';

/**
 * `finishing` once exploring has become impossible. What is only reserved may come back, so it does not end the phase:
 * the grant of the last exploring request still says `exploring`.
 */
export function phaseOf(ledger: Ledger, now: number): BudgetSnapshot['phase'] {
  if (ledger.closedAt !== null) return 'closed';
  const over =
    ledger.finishing ||
    unspent(ledger, 'explore') <= 0 ||
    unspent(ledger, 'physical') <= ledger.limits.finishReserve ||
    nearest(timesLeft(ledger, now)).leftMs <= ledger.limits.outputMs;
  return over ? 'finishing' : 'exploring';
}

function unspent(ledger: Ledger, name: CountName): number {
  const { used, unknown } = ledger.counts[name];
  return limitOf(ledger, name) - used - unknown;
}
