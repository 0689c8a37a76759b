import type { Decision } from './decision.js';
import type { ReportState } from './report-state.js';

/** A version shown to a viewer is recorded once, however often it is looked at (P8). It moves no version and no epoch. */
export function decideShown(
  state: ReportState,
  shown: { readonly viewer: string; readonly version: number },
  alreadyRecorded: boolean,
): Decision<null> {
  return { facts: alreadyRecorded ? [] : [{ type: 'ReportShown', ...shown }], after: state, reply: null };
}
