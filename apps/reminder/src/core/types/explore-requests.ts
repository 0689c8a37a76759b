import { taken } from '../budget-counts.js';
import { ASK, exploringIntent } from '../exploring-advice.js';
import { RUN, type Measured, type TypeRule } from '../reminder-type.js';
import { percentScale } from '../scale.js';
import { areLeft, areUsed } from '../words/plural.js';

interface ExploreMeasured extends Measured {
  readonly left: number;
}

const intentOf = (stage: number): 'plan' | 'write' | 'finish-now' => exploringIntent(stage) ?? 'plan';

export const exploreRequests: TypeRule<ExploreMeasured> = {
  type: 'explore-requests',
  repeat: { state: 'every request while its condition holds', advice: 'once per stage while exploring' },
  measure(facts) {
    if (facts.phase !== 'exploring') return []; // finish-reserve speaks then
    const { explore, version } = facts.budget;
    const value = taken(explore);
    const scale = percentScale(facts.stages.percent, facts.stages.marginPercent, explore.limit);
    const left = Math.max(0, explore.limit - value);
    return [{ subject: RUN, value, limit: explore.limit, unit: 'requests', version, scale, left }];
  },
  state: {
    full: {
      en: (m) =>
        m.left === 0
          ? `Explore requests: ${m.value} of ${m.limit} used, this is the last one; only finishing requests follow.`
          : `Explore requests: ${m.value} of ${m.limit} used, counting this one; ${areLeft(m.left)}.`,
      zh: (m) =>
        m.left === 0
          ? `探索请求：共 ${m.limit} 次，已用 ${m.value} 次，本次是最后一次，之后只有收尾请求。`
          : `探索请求：共 ${m.limit} 次，已用 ${m.value} 次（含本次），还剩 ${m.left} 次。`,
    },
    short: {
      en: (m) => `Explore requests: ${m.value} of ${m.limit} used.`,
      zh: (m) => `探索请求：已用 ${m.value}/${m.limit} 次。`,
    },
  },
  advice: {
    intent: intentOf,
    wording: {
      en: (m, { stage }) =>
        `${areUsed(m.value, m.limit, 'explore requests')} and ${areLeft(m.left)}: ${ASK.en[intentOf(stage)]}.`,
      zh: (m, { stage }) =>
        `共 ${m.limit} 次探索请求已用 ${m.value} 次，还剩 ${m.left} 次：${ASK.zh[intentOf(stage)]}。`,
    },
  },
  quiet: (facts) => ({
    exploreUsed:
      facts.phase === 'exploring'
        ? Math.ceil(percentScale(facts.stages.percent, 0, facts.budget.explore.limit).first)
        : null,
  }),
};
