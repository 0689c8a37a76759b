import type { Draft, Kind, Part } from './document.js';
import { DISCLAIMER } from './document.js';
import type { Rng } from './rng.js';
import { fullName, metricLabel, spoken, unitLabel, type Language, type MetricSpec, type World } from './world.js';

/** One measure of one fund as a sentence. */
export function sentence(
  rng: Rng,
  world: World,
  brand: string,
  metric: MetricSpec,
  period: string,
  value: string,
  language: Language,
): string {
  const name = fullName(world, brand, language);
  const figure = spoken(metric, value, language);
  if (language === 'zh') {
    return rng.pick([
      `${period}年，${name}的${metric.zh}为${figure}。`,
      `截至${period}年末，${name}的${metric.zh}为${figure}。`,
      `${name}${period}年的${metric.zh}是${figure}。`,
    ]);
  }
  const m = metric.en;
  const plural = m.startsWith('assets');
  const some = plural ? m : `${/^[aeiou]/.test(m) ? 'an' : 'a'} ${m}`;
  return rng.pick([
    `The ${m} of ${name} ${plural ? 'were' : 'was'} ${figure} in ${period}.`,
    `In ${period}, ${name} had ${some} of ${figure}.`,
    `For ${period} the ${m} of the ${name} came to ${figure}.`,
    `${name} reported ${some} of ${figure} for ${period}.`,
    `At the end of ${period}, ${name}'s ${m} stood at ${figure}.`,
  ]);
}

/** A letter that tells everything in sentences, one paragraph a fund. */
export function letter(
  rng: Rng,
  world: World,
  metrics: MetricSpec[],
  kind: Kind,
  language: Language,
  n: number,
): Draft {
  const parts: Part[] = [{ kind: 'paragraph', text: DISCLAIMER[language] }];
  for (const brand of world.brands) {
    const lines = metrics.flatMap((metric) =>
      world.periods.map((period) =>
        sentence(rng, world, brand, metric, period, world.value(brand, metric, period), language),
      ),
    );
    parts.push({ kind: 'paragraph', text: lines.join(language === 'zh' ? '' : ' ') });
  }
  const aside =
    language === 'zh' ? '同类平均水平未列入本信。' : 'The sector average, at 77.77 %, is not part of this letter.';
  parts.push({ kind: 'paragraph', text: aside });
  return {
    name: `letter-to-investors-${n}.${kind}`,
    kind,
    language,
    title: language === 'zh' ? '致投资者的信' : 'Letter to investors',
    parts,
  };
}

/** Key-value lists, one section a fund and year. */
export function factsheets(
  rng: Rng,
  world: World,
  metrics: MetricSpec[],
  kind: Kind,
  language: Language,
  n: number,
): Draft {
  const parts: Part[] = [{ kind: 'paragraph', text: DISCLAIMER[language] }];
  const yearInLabel = rng.chance(0.5);
  for (const brand of world.brands) {
    const name = fullName(world, brand, language);
    if (yearInLabel) {
      parts.push({ kind: 'heading', text: name });
      const pairs = metrics.flatMap((metric) =>
        world.periods.map((period): [string, string] => [
          `${metricLabel(metric, language)} ${language === 'zh' ? `（${period}年）` : `(${period})`}`,
          spoken(metric, world.value(brand, metric, period), language),
        ]),
      );
      parts.push({ kind: 'pairs', pairs });
    } else {
      for (const period of world.periods) {
        parts.push({
          kind: 'heading',
          text: language === 'zh' ? `${name}：${period}年概况` : `${name}: key figures ${period}`,
        });
        parts.push({
          kind: 'pairs',
          pairs: metrics.map((metric) => [
            metricLabel(metric, language),
            spoken(metric, world.value(brand, metric, period), language),
          ]),
        });
      }
    }
  }
  return {
    name: `fact-sheets-${n}.${kind}`,
    kind,
    language,
    title: language === 'zh' ? '基金概况' : 'Fact sheets',
    parts,
  };
}

/** One table a measure (funds by years), one a year (funds by measures), or one a year (measures by funds). */
export function tables(
  rng: Rng,
  world: World,
  metrics: MetricSpec[],
  kind: Kind,
  language: Language,
  n: number,
): Draft {
  const parts: Part[] = [{ kind: 'paragraph', text: DISCLAIMER[language] }];
  const fund = language === 'zh' ? '基金' : world.type === 'ETF' ? 'ETF' : 'Fund';
  const names = world.brands.map((brand) => fullName(world, brand, language));
  const withUnit = (metric: MetricSpec): string => {
    const unit = unitLabel(metric, language);
    if (unit === '') return metricLabel(metric, language);
    return language === 'zh'
      ? `${metricLabel(metric, language)}（${unit}）`
      : `${metricLabel(metric, language)} (${unit})`;
  };
  const year = (period: string): string => (language === 'zh' ? `${period}年` : period);
  const shape = rng.pick(['by-metric', 'by-year', 'crossed'] as const);
  if (shape === 'by-metric') {
    for (const metric of metrics) {
      parts.push({ kind: 'heading', text: withUnit(metric) });
      const rows = world.brands.map((brand, i) => [
        names[i] ?? '',
        ...world.periods.map((p) => world.value(brand, metric, p)),
      ]);
      parts.push({ kind: 'table', header: [fund, ...world.periods.map(year)], rows });
    }
  }
  if (shape === 'by-year') {
    for (const period of world.periods) {
      parts.push({ kind: 'heading', text: language === 'zh' ? `${period}年比较` : `Comparison ${period}` });
      const rows = world.brands.map((brand, i) => [
        names[i] ?? '',
        ...metrics.map((m) => world.value(brand, m, period)),
      ]);
      parts.push({ kind: 'table', header: [fund, ...metrics.map(withUnit)], rows });
    }
  }
  if (shape === 'crossed') {
    for (const period of world.periods) {
      parts.push({ kind: 'heading', text: language === 'zh' ? `${period}年指标` : `Indicators for ${period}` });
      const rows = metrics.map((m) => [withUnit(m), ...world.brands.map((brand) => world.value(brand, m, period))]);
      parts.push({ kind: 'table', header: [language === 'zh' ? '指标' : 'Indicator', ...names], rows });
    }
  }
  return {
    name: `comparison-${n}.${kind}`,
    kind,
    language,
    title: language === 'zh' ? '基金比较' : 'Comparison of funds',
    parts,
  };
}

/** One row a figure, or one row a fund and year with a column a measure. */
export function sheet(rng: Rng, world: World, metrics: MetricSpec[], language: Language, n: number): Draft {
  const zh = language === 'zh';
  const rows: string[][] = [];
  const long = rng.chance(0.5);
  for (const brand of world.brands) {
    const name = fullName(world, brand, language);
    for (const period of world.periods) {
      if (!long)
        rows.push([name, period, ...metrics.map((m) => world.value(brand, m, period)), zh ? '虚构' : 'invented']);
      for (const m of long ? metrics : []) {
        rows.push([
          name,
          metricLabel(m, language),
          period,
          world.value(brand, m, period),
          unitLabel(m, language),
          zh ? '虚构' : 'invented',
        ]);
      }
    }
  }
  const wide = metrics.map((m) => {
    const unit = unitLabel(m, language);
    return unit === '' ? metricLabel(m, language) : `${metricLabel(m, language)} (${unit})`;
  });
  const header = long
    ? zh
      ? ['基金名称', '指标', '年份', '数值', '单位', '备注']
      : ['fund', 'metric', 'year', 'value', 'unit', 'remark']
    : zh
      ? ['基金名称', '年份', ...wide, '备注']
      : ['fund', 'year', ...wide, 'remark'];
  return {
    name: `fund-data-${n}.csv`,
    kind: 'csv',
    language,
    title: '',
    parts: [{ kind: 'table', header, rows: rng.shuffle(rows) }],
  };
}
