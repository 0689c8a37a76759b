import { charge, chargeUnknown } from './active-time.js';
import { unopened, type Ledger } from './ledger.js';
import { proved, reserved, settled } from './tally.js';
import { withReported } from './usage.js';
import type { BudgetFact } from './words.js';

/** The ledger after one more fact. Facts are true already: nothing is checked here. */
export function evolve(ledger: Ledger, fact: BudgetFact): Ledger {
  return { ...ledger, ...changes(ledger, fact), version: ledger.version + 1 };
}

/** The ledger rebuilt from all its facts. */
export function fold(run: string, facts: readonly BudgetFact[]): Ledger {
  return facts.reduce(evolve, unopened(run));
}

function changes(ledger: Ledger, fact: BudgetFact): Partial<Ledger> {
  switch (fact.type) {
    case 'BudgetOpened':
      return { limits: fact.limits, policyVersion: fact.policyVersion, admittedAt: fact.admittedAt };
    case 'HolderTakenOver':
      return { holders: { ...ledger.holders, [fact.holder]: fact.epoch } };
    case 'ReservationGranted': {
      const { reservation, key, holder, epoch, purpose, at, deadlineAt, bound } = fact;
      return {
        ...reserved(ledger, purpose),
        finishing: ledger.finishing || purpose === 'finish',
        open: [...ledger.open, { reservation, key, holder, epoch, purpose, at, deadlineAt, bound }],
        running: [...ledger.running, { reservation, holder, epoch, at, deadlineAt }],
      };
    }
    case 'RequestSettled': {
      const { reservation, outcome, content, usage } = fact;
      const entry = ledger.open.find((open) => open.reservation === reservation);
      if (!entry) return {};
      return {
        ...settled(ledger, entry.purpose, outcome, content),
        open: without(ledger.open, reservation),
        running: outcome === 'not_sent' ? without(ledger.running, reservation) : ledger.running,
        usage: withReported(ledger.usage, usage),
      };
    }
    case 'SettlementProved':
      return { ...proved(ledger, fact.purpose), usage: withReported(ledger.usage, fact.usage, fact.counted) };
    case 'ActivityClosed': {
      const running = without(ledger.running, fact.reservation);
      const from = Math.min(...running.map(({ at }) => at));
      const active =
        fact.unknownFrom === null
          ? charge(ledger.active, fact.intervals, from)
          : chargeUnknown(ledger.active, fact.intervals, fact.unknownFrom, from);
      return { running, active };
    }
    case 'LimitNeared':
      return { alarms: [...ledger.alarms, `${fact.limit}/neared`] };
    case 'LimitReached':
      return { alarms: [...ledger.alarms, `${fact.limit}/reached`] };
    case 'BudgetClosed':
      return { closedAt: fact.at };
    default:
      return fact satisfies never;
  }
}

function without<T extends { readonly reservation: string }>(list: readonly T[], reservation: string): readonly T[] {
  return list.filter((entry) => entry.reservation !== reservation);
}
