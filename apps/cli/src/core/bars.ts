/** Limits as bars, from their owners' own numbers: each in its own unit, never added up (B1). */
import type { BudgetSnapshot } from '@waymark/contracts/budget';
import type { PublicationSnapshot } from '@waymark/contracts/publication';
import { durationText, table } from './words.js';

export interface LimitBar {
  readonly name: string;
  readonly limit: number;
  readonly used: number;
  /** Reserved or unknown: taken, and not known to be used. */
  readonly pending: number;
  /** The numbers in words. */
  readonly text: string;
  /** True for a clock: it goes on while nothing happens. */
  readonly clock?: boolean;
}

const ACTIVE = 'active time';

const CELLS = {
  unicode: { used: '█', pending: '▒', free: '░' },
  ascii: { used: '#', pending: '?', free: '.' },
} as const;
export type BarStyle = keyof typeof CELLS;

/** Any use at all is seen, so is anything pending, and a bar is full only when nothing is left. */
export function bar({ limit, used, pending }: LimitBar, width: number, style: BarStyle): string {
  const cells = CELLS[style];
  const taken = cellsOf(used + pending, limit, width);
  const sure = pending > 0 && taken > 0 ? Math.min(taken - 1, cellsOf(used, limit, width)) : taken;
  return cells.used.repeat(sure) + cells.pending.repeat(taken - sure) + cells.free.repeat(width - taken);
}

function cellsOf(amount: number, limit: number, width: number): number {
  if (amount <= 0) return 0;
  if (amount >= limit) return width;
  return Math.min(width - 1, Math.max(1, Math.round((amount / limit) * width)));
}

export function limitBars(budget: BudgetSnapshot | null, publication: PublicationSnapshot | null): LimitBar[] {
  const bars: LimitBar[] = [];
  if (budget) {
    for (const [name, state] of [
      ['explore requests', budget.explore],
      ['finish requests', budget.finish],
      ['physical requests', budget.physical],
    ] as const) {
      const pending = state.reserved + state.unknown;
      const unknown = state.unknown > 0 ? `, ${state.unknown} unknown` : '';
      bars.push({
        name,
        limit: state.limit,
        used: state.used,
        pending,
        text: `${state.used + pending} of ${state.limit}${unknown}`,
      });
    }
    for (const [name, state] of [
      [ACTIVE, budget.active],
      ['wall clock', budget.wall],
      ['your deadline', budget.user],
    ] as const) {
      if (!state) continue;
      const text = `${durationText(state.usedMs)} of ${durationText(state.limitMs)}`;
      bars.push({ name, limit: state.limitMs, used: state.usedMs, pending: 0, text, clock: name !== ACTIVE });
    }
  }
  if (publication) {
    const { limit, used } = publication.revisions;
    bars.push({ name: 'revisions', limit, used, pending: 0, text: `${used} of ${limit}` });
  }
  return bars;
}

/**
 * A time that was taken while it ran and given back later (B5: until the exact intervals are known it counts from the grant) does not make a bar go
 * back: it stays taken, and the words say so. `most`: the most active time seen, ms.
 */
export function withoutStepBack(bars: readonly LimitBar[], most: number): LimitBar[] {
  return bars.map((b) => {
    const back = most - b.used;
    if (b.name !== ACTIVE || back <= 0) return b;
    const note = back < UNSAID_MS ? '' : `, ${durationText(back)} of it given back: nothing ran in it`;
    return { ...b, pending: back, text: `${durationText(most)} of ${durationText(b.limit)}${note}` };
  });
}

/** Smaller corrections come with every settlement, which knows the exact time. */
const UNSAID_MS = 1_000;

/** One line a limit: name, bar, numbers. */
export const barLines = (bars: readonly LimitBar[], width: number, style: BarStyle): string[] =>
  table(bars.map((b) => [b.name, `[${bar(b, width, style)}]`, b.text]));
