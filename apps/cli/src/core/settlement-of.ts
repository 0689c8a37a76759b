/** How a reservation was settled, from the budget's own facts (B3): a fold over its events. */
import type { BudgetFact } from '@waymark/contracts/budget';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { nameOf } from './progress.js';

export type KnownSettlement = {
  readonly outcome: string;
  readonly by: string;
  readonly code: string | null;
  /** True when `unknown` was proven to be something else later. */
  readonly proved: boolean;
  readonly seq: number;
} | null;

type Settled = Extract<BudgetFact, { type: 'RequestSettled' }>;
type Proved = Extract<BudgetFact, { type: 'SettlementProved' }>;

export function settlementOf(known: KnownSettlement, event: WaymarkEvent, reservation: string): KnownSettlement {
  if (event.owner !== 'budget' || event.data['reservation'] !== reservation) return known;
  if (nameOf(event) === 'RequestSettled') {
    const { outcome, by, code } = event.data as unknown as Settled;
    return { outcome, by, code, proved: false, seq: event.seq };
  }
  if (nameOf(event) === 'SettlementProved') {
    const { outcome } = event.data as unknown as Proved;
    return { outcome, by: known?.by ?? 'holder', code: known?.code ?? null, proved: true, seq: event.seq };
  }
  return known;
}
