/** The one place that decides how a run ends (L10): outcome, code, words and known gaps. */
import type { RunOutcome } from '@waymark/contracts/runtime';
import type { RecordFact, TextRef } from '@waymark/record';
import type { CutText } from './cut-closing.js';
import type { EndCause } from './decide-next.js';
import { hadBytes } from './reading.js';
import type { RunState } from './run-state.js';
import { writeGaps } from './write-gaps.js';

type RunEnding = Extract<RecordFact, { type: 'RunEnding' }>;

/** Gaps named in a report at most. */
const MOST_GAPS = 20;

/**
 * `completed`: the model finished by itself and exploring was not cut short. `partial`: a limit cut exploring short, or the
 * runtime closed. `cancelled`: stopped. `failed`: there is nothing to publish, and the report says why. A
 * limit that leaves nothing published is still a limit: `partial`, and it is named (F-B1). `cut` is the closing text as
 * the report will take it, when there is one.
 */
export function decideEnding(s: RunState, cause: EndCause, cut: CutText | null = null): RunEnding {
  // A finish without a word closes nothing: it stands for no text.
  const text: TextRef | null = s.closing?.text ?? null;
  const closing = text !== null && text.bytes > 0 ? text : null;
  const gaps = [...(cut && cut.kept < cut.total ? [cutGap(s, cut)] : []), ...knownGaps(s)];
  const end = (outcome: RunOutcome, code: string, reason: string): RunEnding => ({
    type: 'RunEnding',
    outcome,
    code,
    reason: reason.slice(0, 900).toWellFormed(),
    closing,
    gaps,
  });
  const anything = s.blocksWritten > 0 || closing !== null;
  switch (cause.kind) {
    case 'cancelled':
      return end(
        'cancelled',
        'cancelled',
        `The run was stopped${cause.reason === null ? '' : ` (${cause.reason})`}; the report holds what was published until then.`,
      );
    case 'set_aside':
      return end(
        anything ? 'partial' : 'failed',
        'set_aside',
        `The run was set aside after ${cause.claims} claims without progress; the report holds what was published until then.`,
      );
    case 'model_finished':
      if (!anything) return end('failed', 'nothing_published', 'The model finished without publishing anything.');
      return s.phase === 'exploring'
        ? end('completed', 'finished', 'The model finished by itself.')
        : end(
            'partial',
            s.phaseCode ?? 'limit',
            `Exploring was cut short: ${s.phaseReason ?? 'a limit was reached'}. The model closed the report.`,
          );
    case 'runtime_closes': {
      const why = s.phaseReason ? `Exploring was cut short: ${s.phaseReason}. ` : '';
      const code = s.phaseCode ?? cause.code;
      const how = anything ? 'The runtime closed the report from what was published' : 'Nothing could be published';
      return end(anything || isLimit(code) ? 'partial' : 'failed', code, `${why}${how}: ${cause.detail}.`);
    }
  }
}

/** Codes of limits: counts that are taken, and times that are near or over. */
const isLimit = (code: string): boolean => /_(exhausted|kept|near|over)$|^output_time_reached$/.test(code);

/** What the ending knows to be open: unconfirmed writes, sources read in part, a review without verdict. */
export function knownGaps(s: RunState): string[] {
  const zh = s.admitted?.language === 'zh';
  const gaps: string[] = writeGaps(s);
  for (const source of Object.values(s.reading)) {
    const had = hadBytes(source);
    if (had >= source.total) continue;
    gaps.push(
      zh
        ? `来源“${source.name}”只读了 ${had}/${source.total} 字节。`
        : `Source "${source.name}" was read in part: ${had} of ${source.total} bytes.`,
    );
  }
  if (s.review.running) gaps.push(zh ? '一次审阅没有给出结论。' : 'A review was under way and gave no verdict.');
  const more = gaps.length - MOST_GAPS;
  const shown = gaps.slice(0, MOST_GAPS);
  if (more > 0) shown.push(zh ? `另有 ${more} 项。` : `And ${more} more.`);
  return shown.map((g) => g.toWellFormed());
}

const cutGap = (s: RunState, { kept, total }: CutText): string =>
  s.admitted?.language === 'zh'
    ? `结束语过长，只显示前 ${kept}/${total} 字节；全文在运行记录中。`
    : `The closing text was cut: its first ${kept} of ${total} bytes are shown; the whole stands in the run's record.`;

/** What a report says when publication does not take the closing text at all. */
export const closingLeftOut = (s: RunState, code: string): string =>
  s.admitted?.language === 'zh'
    ? `结束语未能收入报告（${code}）；全文在运行记录中。`
    : `The closing text could not be taken into the report (${code}); it stands in the run's record.`;

/** The keyed steps of an ending, in order; each is asked again after a death until it is done (L10). */
export const ENDING_STEPS = ['budget_closed', 'settled', 'reviews_stopped', 'report_closed'] as const;
export type EndingStep = (typeof ENDING_STEPS)[number];

export const nextEndingStep = (s: RunState): EndingStep | null =>
  ENDING_STEPS.find((step) => !s.ending?.steps.includes(step)) ?? null;
