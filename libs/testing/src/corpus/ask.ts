import type { Rng } from './rng.js';
import { isAt, type Spoiled } from './spoiled.js';
import { fullName, metricLabel, type Figure, type Language, type World } from './world.js';

export interface CorpusAnswers {
  /** What stands at the end, corrections taken in; figures in conflict are not among them. */
  figures: Figure[];
  conflicts: { entity: string; metric: string; period: string; values: { value: string; unit: string }[] }[];
  corrections: (Figure & { was: string })[];
}

export function ask(
  rng: Rng,
  world: World,
  language: Language,
  { everyName = false }: { everyName?: boolean } = {},
): string {
  const labels = world.metrics.map((m) => metricLabel(m, language).toLowerCase());
  const names = world.brands.map((brand) => fullName(world, brand, language));
  if (language === 'zh') {
    const whose = everyName || rng.chance(0.5) ? names.join('、') : '各基金';
    return `比较${whose}在${world.periods.join('年、')}年的${labels.join('、')}，并指出来源之间的矛盾和更正。`;
  }
  const whose = everyName || rng.chance(0.5) ? `of ${list(names)}` : 'of all funds';
  return rng.pick([
    `Compare the ${list(labels)} ${whose} for ${list(world.periods)}. Say where the sources disagree and what was corrected.`,
    `What were the ${list(labels)} ${whose} in ${list(world.periods)}? Point out conflicts and corrections.`,
  ]);
}

export function answersOf(world: World, language: Language, conflicts: Spoiled[], correction: Spoiled): CorpusAnswers {
  const named = (s: Spoiled): Figure => ({
    entity: fullName(world, s.brand, language),
    metric: metricLabel(s.metric, language).toLowerCase(),
    period: s.period,
    value: s.other,
    unit: s.metric.unit,
  });
  const figures = world.brands.flatMap((brand) =>
    world.metrics.flatMap((metric) =>
      world.periods
        .filter((period) => !conflicts.some((s) => isAt(s, brand, metric, period)))
        .map((period) => ({
          entity: fullName(world, brand, language),
          metric: metricLabel(metric, language).toLowerCase(),
          period,
          value: isAt(correction, brand, metric, period) ? correction.other : world.value(brand, metric, period),
          unit: metric.unit,
        })),
    ),
  );
  return {
    figures,
    conflicts: conflicts.map((conflict) => {
      const { entity, metric, period, unit } = named(conflict);
      return { entity, metric, period, values: [conflict.value, conflict.other].map((value) => ({ value, unit })) };
    }),
    corrections: [{ ...named(correction), was: correction.value }],
  };
}

const list = (items: string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
