/** A decision in the making: facts, the ledger after them, and what became of settled reservations. */
import { evolve } from './evolve.js';
import type { Ledger, SettledReservation } from './ledger.js';
import type { BudgetFact } from './words.js';

export interface Draft {
  readonly ledger: Ledger;
  readonly facts: readonly BudgetFact[];
  /** Settled reservations that were loaded for this command, and those that it settled. */
  readonly known: readonly SettledReservation[];
  /** Those that it settled or proved: their rows are written. */
  readonly changed: readonly SettledReservation[];
}

/** What a command decided: to be committed as one transaction, then answered. */
export interface Decision<Reply> {
  readonly draft: Draft;
  readonly reply: Reply;
}

export function draftOf(ledger: Ledger, known: readonly SettledReservation[] = []): Draft {
  return { ledger, facts: [], known, changed: [] };
}

export function record(draft: Draft, fact: BudgetFact): Draft {
  const row = rowOf(draft, fact);
  return {
    ledger: evolve(draft.ledger, fact),
    facts: [...draft.facts, fact],
    known: row ? replaced(draft.known, row) : draft.known,
    changed: row ? replaced(draft.changed, row) : draft.changed,
  };
}

function rowOf(draft: Draft, fact: BudgetFact): SettledReservation | undefined {
  if (fact.type === 'RequestSettled') {
    const open = draft.ledger.open.find(({ reservation }) => reservation === fact.reservation);
    if (!open) return undefined;
    const { reservation, key, purpose, at } = open;
    const { outcome, content, usage } = fact;
    const counted = outcome === 'unknown' ? usage : null;
    const failedWithContent = outcome === 'failed' && content;
    return { reservation, key, purpose, at, outcome, failedWithContent, proved: false, counted };
  }
  if (fact.type === 'SettlementProved') {
    const settled = draft.known.find(({ reservation }) => reservation === fact.reservation);
    return settled && { ...settled, outcome: fact.outcome, proved: true, counted: null };
  }
  return undefined;
}

function replaced(list: readonly SettledReservation[], row: SettledReservation): readonly SettledReservation[] {
  return [...list.filter(({ reservation }) => reservation !== row.reservation), row];
}
