import type { Facts } from '../facts.js';
import { RUN, type Measured, type TypeRule } from '../reminder-type.js';
import { percentScale } from '../scale.js';

/** In percent of the report's revisions. */
const SPARE_FROM = 75;

interface RunMeasured extends Measured {
  readonly left: number;
  readonly unconfirmed: number;
}

/** Revisions of all blocks together; what has no version yet costs none (P3), so new blocks go on. */
export const runRevisions: TypeRule<RunMeasured> = {
  type: 'run-revisions',
  repeat: { state: 'every request while its condition holds', advice: 'once per stage' },
  measure(facts) {
    const { revisions, version } = facts.publication;
    const { limit, used } = revisions;
    const value = Math.max(used, Math.min(limit, used + unconfirmedRevisions(facts)));
    return [
      {
        subject: RUN,
        value,
        limit,
        unit: 'revisions',
        version,
        scale: percentScale(facts.stages.percent, facts.stages.marginPercent, limit),
        left: Math.max(0, limit - value),
        unconfirmed: value - used,
      },
    ];
  },
  state: {
    full: {
      en(m) {
        const unsure = m.unconfirmed > 0 ? `, counting ${m.unconfirmed} not confirmed yet` : '';
        return `All blocks together have ${m.left} of ${m.limit} revisions left${unsure}; new blocks and the ending are not affected.`;
      },
      zh(m) {
        const unsure = m.unconfirmed > 0 ? `（已计入 ${m.unconfirmed} 次尚未确认的写入）` : '';
        return `所有区块合计共 ${m.limit} 次修订，还剩 ${m.left} 次${unsure}；新区块和收尾不受影响。`;
      },
    },
    short: {
      en: (m) => `Revisions of all blocks: ${m.left} of ${m.limit} left.`,
      zh: (m) => `全部区块修订：还剩 ${m.left}/${m.limit} 次。`,
    },
  },
  advice: {
    intent: (stage) => (stage >= SPARE_FROM ? 'spare-revisions' : null),
    wording: {
      en: (m) =>
        m.left === 0
          ? `All blocks together have 0 of ${m.limit} revisions left: put what is new into new blocks or the closing text.`
          : `All blocks together have ${m.left} of ${m.limit} revisions left: keep them for corrections that change a conclusion.`,
      zh: (m) =>
        m.left === 0
          ? `所有区块合计共 ${m.limit} 次修订，还剩 0 次：新的内容请写入新区块或结束语。`
          : `所有区块合计共 ${m.limit} 次修订，还剩 ${m.left} 次：请留给会改变结论的更正。`,
    },
  },
  quiet: (facts) => ({
    runRevisions: Math.ceil(percentScale(facts.stages.percent, 0, facts.publication.revisions.limit).first),
  }),
};

/** A sent write of a block that exists is a revision; of one that does not, its first version. */
function unconfirmedRevisions(facts: Facts): number {
  const known = new Set(facts.publication.blocks.map(({ block }) => block));
  return facts.unconfirmed.filter((block) => known.has(block)).length;
}
