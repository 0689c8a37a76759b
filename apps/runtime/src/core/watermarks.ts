/** The highest stage of a type and subject that really went into a request: rebuilt from the record alone (R8, R12). */
import type { Watermark } from '@waymark/contracts/reminder';
import type { NoticeLine } from '@waymark/record';

interface Key {
  readonly type: string;
  readonly kind: string;
  readonly subject: string;
}
const same = (a: Key, b: Key): boolean => a.type === b.type && a.kind === b.kind && a.subject === b.subject;

/** Submitted and uncertain lines raise their watermark; rejected ones leave it, so they are due again (R8). */
export function submit(
  watermarks: Watermark[],
  lines: readonly NoticeLine[],
  delivery: 'submitted' | 'rejected' | 'uncertain',
): void {
  if (delivery === 'rejected') return;
  for (const line of lines) {
    const at = watermarks.findIndex((w) => same(w, line) && w.policyVersion === line.policyVersion);
    const before = watermarks[at];
    if (before && before.stage > line.stage) continue;
    if (before && before.stage === line.stage && before.delivery === 'submitted') continue;
    const mark: Watermark = {
      type: line.type as Watermark['type'],
      kind: line.kind,
      subject: line.subject,
      policyVersion: line.policyVersion,
      stage: line.stage,
      delivery,
    };
    if (before) watermarks[at] = mark;
    else watermarks.push(mark);
  }
}

/** A measurement fell, or the policy changed: the key is armed again, at every policy version. The record keeps what was submitted (R3). */
export function disarm(watermarks: Watermark[], rearmed: readonly Key[]): void {
  for (const key of rearmed) {
    for (let at = watermarks.length - 1; at >= 0; at -= 1) {
      const mark = watermarks[at];
      if (mark && same(mark, key)) watermarks.splice(at, 1);
    }
  }
}
