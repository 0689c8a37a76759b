import type { BudgetSnapshot } from '@waymark/contracts/budget';
import { ASK, exploringIntent } from './exploring-advice.js';
import type { Facts } from './facts.js';
import { RUN, type Measured, type TypeRule } from './reminder-type.js';
import { percentScale } from './scale.js';
import { duration } from './words/duration.js';

/**
 * A time limit as the model has to know it: while exploring, the part before the output time, because exploring ends
 * there (B4) and its stages must be heard before (F-M4); in finishing the whole limit.
 */
export interface TimeMeasured extends Measured {
  readonly left: number;
  /** Kept free for the ending; null in finishing, where it is being used. */
  readonly kept: number | null;
}

/** A type that measures one time limit of the budget, in its own words and unit (B1). */
export function timeType(of: {
  readonly type: 'active-time' | 'wall-clock';
  readonly en: { readonly sentence: string; readonly noun: string };
  readonly zh: string;
  readonly quiet: 'activeMs' | 'wallMs';
  time(budget: BudgetSnapshot): { readonly limitMs: number; readonly usedMs: number };
}): TypeRule<TimeMeasured> {
  const measure = (facts: Facts): TimeMeasured => {
    const { limitMs, usedMs } = of.time(facts.budget);
    const exploring = facts.phase === 'exploring';
    const limit = exploring ? Math.max(0, limitMs - facts.budget.outputMs) : limitMs;
    return {
      subject: RUN,
      value: usedMs,
      limit,
      unit: 'ms',
      version: facts.budget.version,
      scale: percentScale(facts.stages.percent, facts.stages.marginPercent, limit),
      left: Math.max(0, limit - usedMs),
      kept: exploring ? limitMs - limit : null,
    };
  };
  return {
    type: of.type,
    repeat: { state: 'every request while its condition holds', advice: 'once per stage while exploring' },
    measure: (facts) => [measure(facts)],
    state: {
      full: {
        en(m) {
          const numbers = `${used(m, 'en')} of ${limit(m, 'en')} used, ${left(m, 'en')} left`;
          return m.kept === null
            ? `${of.en.sentence}: ${numbers}.`
            : `${of.en.sentence} before finishing: ${numbers}; ${duration(m.kept, 'en', 'down')} more for finishing.`;
        },
        zh(m) {
          const numbers = `共 ${limit(m, 'zh')}，已用 ${used(m, 'zh')}，还剩 ${left(m, 'zh')}`;
          return m.kept === null
            ? `${of.zh}：${numbers}。`
            : `收尾前${of.zh}：${numbers}，另留 ${duration(m.kept, 'zh', 'down')}用于收尾。`;
        },
      },
      short: {
        en: (m) => `${of.en.sentence}: ${used(m, 'en')} of ${limit(m, 'en')} used.`,
        zh: (m) => `${of.zh}：共 ${limit(m, 'zh')}，已用 ${used(m, 'zh')}。`,
      },
    },
    advice: {
      intent: exploringIntent,
      wording: {
        en: (m, { stage }) =>
          `${used(m, 'en')} of ${limit(m, 'en')} ${of.en.noun} before finishing is used and ${left(m, 'en')} is left: ${ASK.en[exploringIntent(stage) ?? 'write']}.`,
        zh: (m, { stage }) =>
          `收尾前${of.zh}共 ${limit(m, 'zh')}，已用 ${used(m, 'zh')}，还剩 ${left(m, 'zh')}：${ASK.zh[exploringIntent(stage) ?? 'write']}。`,
      },
    },
    quiet: (facts) => ({ [of.quiet]: measure(facts).scale.first }),
  };
}

type Spoken = 'en' | 'zh';
const used = (m: TimeMeasured, language: Spoken): string => duration(m.value, language, 'up');
const limit = (m: TimeMeasured, language: Spoken): string => duration(m.limit, language, 'down');
const left = (m: TimeMeasured, language: Spoken): string => duration(m.left, language, 'down');
