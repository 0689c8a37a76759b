/** How a settlement moves counts (B3, B14). */
import { countsOf, type CountName, type Ledger, type Tally } from './ledger.js';
import type { Purpose, SettlementOutcome } from './words.js';

type Counts = Pick<Ledger, 'counts' | 'purposes'>;

export function reserved({ counts, purposes }: Counts, purpose: Purpose): Counts {
  const taken = countsOf(purpose).map((name): [CountName, Tally] => [name, move(counts[name], { reserved: 1 })]);
  return {
    counts: { ...counts, ...Object.fromEntries(taken) },
    purposes: { ...purposes, [purpose]: purposes[purpose] + 1 },
  };
}

/**
 * Every attempt that left is one physical request. The explore or finish count is taken on content, completion or
 * `unknown`; `not_sent` gives everything back, `failed` before content only the explore or finish count.
 */
export function settled(
  { counts, purposes }: Counts,
  purpose: Purpose,
  outcome: SettlementOutcome,
  content: boolean,
): Counts {
  const moved = countsOf(purpose).map((name): [CountName, Tally] => [
    name,
    move(counts[name], { reserved: -1, ...chargeFor(name, outcome, content) }),
  ]);
  const gone = outcome === 'not_sent' ? 1 : 0;
  return {
    counts: { ...counts, ...Object.fromEntries(moved) },
    purposes: { ...purposes, [purpose]: purposes[purpose] - gone },
  };
}

/** Proof moves `unknown` to `used`: the class, never the counts (B3). */
export function proved({ counts, purposes }: Counts, purpose: Purpose): Counts {
  const moved = countsOf(purpose).map((name): [CountName, Tally] => [
    name,
    move(counts[name], { unknown: -1, used: 1 }),
  ]);
  return { counts: { ...counts, ...Object.fromEntries(moved) }, purposes };
}

function chargeFor(name: CountName, outcome: SettlementOutcome, content: boolean): Partial<Tally> {
  switch (outcome) {
    case 'completed':
      return { used: 1 };
    case 'failed':
      return name === 'physical' || content ? { used: 1 } : {};
    case 'unknown':
      return { unknown: 1 };
    case 'not_sent':
      return {};
    default:
      return outcome satisfies never;
  }
}

function move(tally: Tally, by: Partial<Tally>): Tally {
  return {
    used: tally.used + (by.used ?? 0),
    reserved: tally.reserved + (by.reserved ?? 0),
    unknown: tally.unknown + (by.unknown ?? 0),
  };
}
