import type { noteProgress, WriteRefusal } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { isFenced, rememberEpoch, type Decision } from './decision.js';
import { fenced, reportClosed } from './refusals.js';
import type { KeyedEntry, ReportState } from './report-state.js';

type NoteReply = ReplyOf<typeof noteProgress>;

/** A progress note is a fact for viewers alone: no block, no revision, no version of the report (P10). Order as for writes. */
export function decideNote(
  before: ReportState,
  request: ParsedRequestOf<typeof noteProgress>,
  seen: KeyedEntry | null,
): Decision<NoteReply> {
  const state = rememberEpoch(before, request.epoch);
  if (isFenced(state, request.epoch)) return refused(state, fenced(state, request.epoch));
  if (seen) return { facts: [], after: state, reply: { outcome: 'noted', repeated: true, refusal: null } };
  if (state.closed) return refused(state, reportClosed());
  return {
    facts: [{ type: 'ProgressNoted', key: request.key, text: request.text }],
    after: state,
    reply: { outcome: 'noted', repeated: false, refusal: null },
  };
}

const refused = (state: ReportState, refusal: WriteRefusal): Decision<NoteReply> => ({
  facts: [],
  after: state,
  reply: { outcome: 'refused', repeated: false, refusal },
});
