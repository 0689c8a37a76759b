import type { open } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { applyAll, rememberEpoch, type Decision } from './decision.js';
import type { Fact } from './fact.js';
import type { ReportState } from './report-state.js';
import { snapshotOf } from './snapshot-of.js';

/** Opens a report once per run; again, it is read as it was opened (P3: quotas stay as admitted) and the epoch remembered. */
export function decideOpen(
  state: ReportState | null,
  request: ParsedRequestOf<typeof open>,
): Decision<ReplyOf<typeof open>> {
  const { run, question, language, revisions, policyVersion, epoch } = request;
  if (state) {
    const after = rememberEpoch(state, epoch);
    return { facts: [], after, reply: { created: false, snapshot: snapshotOf(after) } };
  }
  const facts: Fact[] = [{ type: 'ReportOpened', question, language, quotas: revisions, policyVersion, epoch }];
  const empty: ReportState = { run, version: 0, epoch, closed: false, quotas: revisions, blocks: [] };
  const after = applyAll(empty, facts);
  return { facts, after, reply: { created: true, snapshot: snapshotOf(after) } };
}
