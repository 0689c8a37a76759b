import type { QuietUntil, ReminderType } from '@waymark/contracts/reminder';
import type { Facts } from './facts.js';
import type { Scale } from './scale.js';

/** One subject as measured. `value` and `limit` are in `unit`; `version` is that of the owner's snapshot. */
export interface Measured {
  readonly subject: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
  /** 0: measured for this very request, no owner's snapshot behind it. */
  readonly version: number;
  readonly scale: Scale;
  /** What the scale measures, where that is not the value itself. */
  readonly level?: number;
}

/** The highest stage that a subject has reached; 0: none (R3). */
export function reachedStage(m: Measured): number {
  return m.scale.reached(levelOf(m));
}

export function levelOf(m: Measured): number {
  return m.level ?? m.value;
}

/** What a sentence says besides the tightest subject. */
export interface Said {
  readonly stage: number;
  /** Further subjects for which the condition holds. */
  readonly rest: number;
  /** The lowest stage in percent: from where the condition holds. */
  readonly from: number;
}

/** One sentence in each language, with number, unit and denominator (R15). */
export interface Wording<M extends Measured> {
  en(m: M, said: Said): string;
  zh(m: M, said: Said): string;
}

/** What advice asks for; which of them go out together is decided in select-advice (R17). */
export type Intent = 'plan' | 'write' | 'finish-now' | 'read-narrowly' | 'spare-revisions' | 'review' | 'read-more';

/** One type of reminder: one file under types/. */
export interface TypeRule<M extends Measured = Measured> {
  readonly type: ReminderType;
  /** How often it is said (R4). */
  readonly repeat: {
    readonly state: 'every request while its condition holds' | 'never';
    readonly advice: 'once per stage while exploring' | 'once per stage';
  };
  /** One entry a subject, in any order; none when there is nothing to measure now. */
  measure(facts: Facts): readonly M[];
  /** `short` is the counted form for a notice room that is too small for `full`. */
  readonly state: { readonly full: Wording<M>; readonly short: Wording<M> } | null;
  readonly advice: { intent(stage: number, m: M): Intent | null; readonly wording: Wording<M> };
  /** The smallest value of each of its measurements at which it could say something; null: it will not. */
  quiet(facts: Facts): Partial<QuietUntil>;
}

export const RUN = 'run';
