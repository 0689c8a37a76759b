import { evolve } from './evolve.js';
import type { Fact } from './fact.js';
import type { ReportState } from './report-state.js';

/** What a command comes to: the facts to record, the report afterwards, and the answer. No facts: nothing changed. */
export interface Decision<Reply> {
  readonly facts: readonly Fact[];
  readonly after: ReportState;
  readonly reply: Reply;
}

/** A higher epoch is remembered whatever becomes of its command; a lower one changes nothing (P5). */
export const rememberEpoch = (state: ReportState, epoch: number): ReportState =>
  epoch > state.epoch ? { ...state, epoch } : state;

export const isFenced = (state: ReportState, epoch: number): boolean => epoch < state.epoch;

export const applyAll = (state: ReportState, facts: readonly Fact[]): ReportState => facts.reduce(evolve, state);
