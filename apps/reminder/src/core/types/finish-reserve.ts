import { taken } from '../budget-counts.js';
import { ASK, exploringIntent } from '../exploring-advice.js';
import type { Facts } from '../facts.js';
import { RUN, type Measured, type TypeRule } from '../reminder-type.js';
import { fromTheStart, percentScale } from '../scale.js';
import { areLeft, areUsed } from '../words/plural.js';

/** Exploring: physical requests before the finish reserve (B4). Finishing: the finishing requests themselves (R18). */
interface ReserveMeasured extends Measured {
  readonly left: number;
  readonly reserve: number;
  /** Set in finishing. */
  readonly finishing: {
    /** Finishing requests that can still be made, this one included. */
    readonly countingThis: number;
    /** Set when physical requests, not finishing requests, are what ends them. */
    readonly physical: { readonly left: number; readonly limit: number } | null;
  } | null;
}

export const finishReserve: TypeRule<ReserveMeasured> = {
  type: 'finish-reserve',
  repeat: { state: 'every request while its condition holds', advice: 'once per stage while exploring' },
  measure: (facts) => [facts.phase === 'exploring' ? measureExploring(facts) : measureFinishing(facts)],
  state: {
    full: {
      en: (m) =>
        m.finishing
          ? finishingEn(m.finishing, m.limit)
          : `Model requests of every kind before finishing: ${m.value} of ${m.limit} used, counting this one; ${areLeft(m.left)}, and ${m.reserve} more are kept for finishing.`,
      zh: (m) =>
        m.finishing
          ? finishingZh(m.finishing, m.limit)
          : `收尾前各类模型请求：共 ${m.limit} 次，已用 ${m.value} 次（含本次），还剩 ${m.left} 次，另为收尾保留 ${m.reserve} 次。`,
    },
    short: {
      en: (m) =>
        m.finishing
          ? finishingEn({ ...m.finishing, physical: null }, m.limit)
          : `Model requests before finishing: ${m.value} of ${m.limit} used.`,
      zh: (m) =>
        m.finishing
          ? finishingZh({ ...m.finishing, physical: null }, m.limit)
          : `收尾前模型请求：已用 ${m.value}/${m.limit} 次。`,
    },
  },
  advice: {
    intent: exploringIntent,
    wording: {
      en: (m, { stage }) =>
        `${areUsed(m.value, m.limit, 'model requests before finishing')} and ${areLeft(m.left)}: ${ASK.en[exploringIntent(stage) ?? 'write']}.`,
      zh: (m, { stage }) =>
        `收尾前共 ${m.limit} 次模型请求已用 ${m.value} 次，还剩 ${m.left} 次：${ASK.zh[exploringIntent(stage) ?? 'write']}。`,
    },
  },
  quiet: (facts) => ({
    physicalUsed:
      facts.phase === 'exploring' ? Math.ceil(percentScale(facts.stages.percent, 0, beforeReserve(facts)).first) : 0,
  }),
};

function beforeReserve(facts: Facts): number {
  return Math.max(0, facts.budget.physical.limit - facts.budget.finishReserve);
}

function measureExploring(facts: Facts): ReserveMeasured {
  const { physical, finishReserve: reserve, version } = facts.budget;
  const limit = beforeReserve(facts);
  const value = taken(physical);
  return {
    subject: RUN,
    value,
    limit,
    unit: 'requests',
    version,
    scale: percentScale(facts.stages.percent, facts.stages.marginPercent, limit),
    left: Math.max(0, limit - value),
    reserve,
    finishing: null,
  };
}

function measureFinishing(facts: Facts): ReserveMeasured {
  const { finish, physical, finishReserve: reserve, version } = facts.budget;
  const value = taken(finish);
  const left = Math.max(0, finish.limit - value);
  const physicalLeft = Math.max(0, physical.limit - taken(physical));
  const bound = physicalLeft < left ? { left: physicalLeft, limit: physical.limit } : null;
  return {
    subject: RUN,
    value,
    limit: finish.limit,
    unit: 'requests',
    version,
    scale: fromTheStart(percentScale(facts.stages.percent, facts.stages.marginPercent, finish.limit)),
    left,
    reserve,
    finishing: { countingThis: Math.min(left, physicalLeft) + 1, physical: bound },
  };
}

type Finishing = NonNullable<ReserveMeasured['finishing']>;

function finishingEn({ countingThis, physical }: Finishing, limit: number): string {
  const why = physical ? `, as ${areLeft(physical.left)} of ${physical.limit} model requests of every kind` : '';
  return countingThis === 1
    ? `This is your last finishing request: 1 of ${limit} is left, counting this one${why}.`
    : `Finishing requests: ${countingThis} of ${limit} are left, counting this one${why}.`;
}

function finishingZh({ countingThis, physical }: Finishing, limit: number): string {
  const why = physical ? `，因为各类模型请求 ${physical.limit} 次中还剩 ${physical.left} 次` : '';
  return countingThis === 1
    ? `这是最后一次收尾请求：共 ${limit} 次，含本次还剩 1 次${why}。`
    : `收尾请求：共 ${limit} 次，含本次还剩 ${countingThis} 次${why}。`;
}
