import type { Facts } from './facts.js';
import { REGISTRY } from './registry.js';
import { reachedStage, type Measured, type TypeRule } from './reminder-type.js';

export interface Seen {
  readonly m: Measured;
  /** Highest stage reached; 0: none. */
  readonly stage: number;
}

/** One type with its subjects, tightest first. */
export interface Looked {
  readonly rule: TypeRule;
  readonly seen: readonly Seen[];
  /** Whether the type gives advice in this phase: exploring advice ends with exploring (R17). */
  readonly advises: boolean;
}

/** All types in presentation order (R2). */
export function look(facts: Facts): readonly Looked[] {
  return REGISTRY.map((rule) => ({
    rule,
    seen: rule
      .measure(facts)
      .map((m) => ({ m, stage: reachedStage(m) }))
      .sort(byTightness),
    advises: facts.phase === 'exploring' || rule.repeat.advice === 'once per stage',
  }));
}

function byTightness(a: Seen, b: Seen): number {
  return share(b.m) - share(a.m) || (a.m.subject < b.m.subject ? -1 : 1);
}

function share(m: Measured): number {
  return m.limit > 0 ? m.value / m.limit : 1;
}
