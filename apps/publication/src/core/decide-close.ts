import type { close } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { applyAll, isFenced, rememberEpoch, type Decision } from './decision.js';
import type { Fact } from './fact.js';
import type { ReportState } from './report-state.js';
import { snapshotOf } from './snapshot-of.js';

type CloseReply = ReplyOf<typeof close>;

/**
 * Closes the report for good (L10). Closing again, by whoever, reads the first close: the ending that a sweep resumes
 * changes nothing. Nothing already published is touched (P7).
 */
export function decideClose(before: ReportState, request: ParsedRequestOf<typeof close>): Decision<CloseReply> {
  const state = rememberEpoch(before, request.epoch);
  if (state.closed) return answered('already_closed', state, []);
  if (isFenced(state, request.epoch)) return answered('fenced', state, []);
  const { outcome, code, reason, closing, gaps } = request;
  const facts: Fact[] = [{ type: 'ReportClosed', outcome, code, reason, closing, gaps }];
  return answered('closed', applyAll(state, facts), facts);
}

const answered = (
  outcome: CloseReply['outcome'],
  after: ReportState,
  facts: readonly Fact[],
): Decision<CloseReply> => ({
  facts,
  after,
  reply: { outcome, snapshot: snapshotOf(after) },
});
