/** Which notices stand in the bytes (R4, R7): state lines first, then advice in order, within the notice room. */
import type { Candidate, ComposeReply } from '@waymark/contracts/reminder';
import type { NoticeLine, NoticesRecord } from '@waymark/record';

const encoder = new TextEncoder();
/** The notices' message around its lines: role, heading, quotes, comma. */
const FRAME_BYTES = 40;

/** Bytes of one line inside the JSON string, with its line break. */
const lineBytes = (text: string): number => encoder.encode(JSON.stringify(text)).length - 2 + 2;

export function fitNotices(reply: ComposeReply, roomBytes: number): NoticesRecord {
  let left = roomBytes - FRAME_BYTES;
  const included: NoticeLine[] = [];
  const omitted: NoticeLine[] = [];
  const texts: string[] = [];
  for (const candidate of [...reply.state, ...reply.advice]) {
    const text = oneLine(candidate.text);
    const size = lineBytes(text);
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
