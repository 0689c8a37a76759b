/** Which notices stand in the bytes (R4, R7): state lines first, then advice in order, within the notice room. */
import { noticeLineBytes, type Candidate, type ComposeReply } from '@waymark/contracts/reminder';
import type { NoticeLine, NoticesRecord } from '@waymark/record';

/** The notices' message around its lines: role, heading, quotes, comma. */
const FRAME_BYTES = 40;

/** What a notice room leaves for the lines themselves. */
export const lineRoom = (roomBytes: number): number => Math.max(0, roomBytes - FRAME_BYTES);

export function fitNotices(reply: ComposeReply, roomBytes: number): NoticesRecord {
  let left = lineRoom(roomBytes);
  const included: NoticeLine[] = [];
  const omitted: NoticeLine[] = [];
  const texts: string[] = [];
  for (const candidate of [...reply.state, ...reply.advice]) {
    const text = oneLine(candidate.text);
    const size = noticeLineBytes(text);
    if (size > left) {
      omitted.push(toLine(candidate));
      continue;
    }
    left -= size;
    included.push(toLine(candidate));
    texts.push(text);
  }
  return {
    source: 'reminder',
    included,
    omitted,
    combined: reply.combined,
    rearmed: reply.rearmed,
    text: texts.length === 0 ? null : texts.join('\n'),
  };
}

/** A line is one line, whatever a source's name holds. */
export const oneLine = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').toWellFormed();

function toLine(c: Candidate): NoticeLine {
  return {
    type: c.type,
    kind: c.kind,
    subject: c.subject.toWellFormed(),
    stage: c.stage,
    policyVersion: c.policyVersion,
    value: c.basis.value,
    limit: c.basis.limit,
  };
}

export const NO_NOTICES: NoticesRecord = {
  source: 'none',
  included: [],
  omitted: [],
  combined: [],
  rearmed: [],
  text: null,
};
