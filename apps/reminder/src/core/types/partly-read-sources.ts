import type { Facts } from '../facts.js';
import { reachedStage, RUN, type Measured, type TypeRule } from '../reminder-type.js';
import { doublingScale } from '../scale.js';
import { quoted } from '../words/quoted.js';
import { activeTime } from './active-time.js';
import { exploreRequests } from './explore-requests.js';
import { finishReserve } from './finish-reserve.js';
import { wallClock } from './wall-clock.js';

interface PartlyMeasured extends Measured {
  readonly name: string;
  readonly rest: number;
}

/**
 * Sources of which the model has had a part (C5). Every range read makes one, so it is said only once exploring is on its
 * way to its end (E4), and again when their number has doubled.
 */
export const partlyReadSources: TypeRule<PartlyMeasured> = {
  type: 'partly-read-sources',
  repeat: { state: 'never', advice: 'once per stage while exploring' },
  measure(facts) {
    const sources = partly(facts);
    const [tightest] = sources;
    if (!tightest || !isPastFirstStage(facts)) return [];
    return [
      {
        subject: RUN,
        value: tightest.hadBytes,
        limit: tightest.totalBytes,
        unit: 'bytes',
        version: 0,
        scale: doublingScale(facts.stages.marginPercent),
        level: sources.length,
        name: tightest.name,
        rest: sources.length - 1,
      },
    ];
  },
  state: null,
  advice: {
    intent: () => 'read-more',
    wording: {
      en(m) {
        const more =
          m.rest === 0 ? '' : ` and ${m.rest} more ${m.rest === 1 ? 'source is' : 'sources are'} read in part`;
        return `Of source ${quoted(m.name)} ${m.value} of ${m.limit} bytes were read${more}: read more where it matters, or say so in the report.`;
      },
      zh(m) {
        const more = m.rest === 0 ? '' : `，另有 ${m.rest} 份资料只读了一部分`;
        return `资料 ${quoted(m.name)} 共 ${m.limit} 字节，只读了 ${m.value} 字节${more}：重要之处请继续读，否则请在报告中说明。`;
      },
    },
  },
  quiet: (facts) => ({ partlyReadSources: facts.phase === 'exploring' && isPastFirstStage(facts) ? 1 : null }),
};

function partly(facts: Facts): Facts['partlyRead'] {
  return facts.partlyRead.filter(({ hadBytes, totalBytes }) => hadBytes > 0 && hadBytes < totalBytes);
}

/** A limit on exploring has reached its first stage, so that its state line stands. */
function isPastFirstStage(facts: Facts): boolean {
  const limits: readonly TypeRule[] = [exploreRequests, finishReserve, activeTime, wallClock];
  return facts.phase === 'exploring' && limits.some((rule) => rule.measure(facts).some((m) => reachedStage(m) > 0));
}
