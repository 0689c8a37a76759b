import type { Rng } from './rng.js';

export type Language = 'en' | 'zh';

export interface MetricSpec {
  key: string;
  en: string;
  zh: string;
  unit: string;
  unitZh: string;
  /** Smallest, largest and decimals of a value, before the point moves. */
  min: number;
  max: number;
  decimals: number;
  /** False for measures that only a table or label can give. */
  prose: boolean;
}

export interface Figure {
  entity: string;
  /** As the question names it, in lower case. */
  metric: string;
  period: string;
  value: string;
  unit: string;
}

/** The invented world that the documents tell of. */
export interface World {
  /** Brand names; a document writes them as "Brand Fund" or "Brand 基金". */
  brands: string[];
  /** `Fund`, `ETF` or `Trust`. */
  type: string;
  metrics: MetricSpec[];
  periods: string[];
  value(brand: string, metric: MetricSpec, period: string): string;
}

const S = (
  key: string,
  zh: string,
  unit: string,
  range: [min: number, max: number, decimals: number],
  more: { unitZh?: string; prose?: boolean; en?: string } = {},
): MetricSpec => ({
  key,
  en: more.en ?? key,
  zh,
  unit,
  unitZh: more.unitZh ?? unit,
  min: range[0],
  max: range[1],
  decimals: range[2],
  prose: more.prose ?? true,
});

export const METRIC_POOL: readonly MetricSpec[] = [
  S('ongoing charge', '综合费率', '%', [5, 95, 2]),
  S('tracking difference', '跟踪偏离度', '%', [-45, 60, 2]),
  S('assets under management', '资产规模', 'EUR million', [400, 98_000, 1], { unitZh: '百万欧元' }),
  S('number of holdings', '持仓数量', '', [35, 1900, 0]),
  S('top-ten weight', '前十大权重', '%', [80, 620, 1]),
  S('turnover', '换手率', '%', [40, 900, 1]),
  S('distribution yield', '分红收益率', '%', [60, 480, 2]),
  S('volatility', '波动率', '%', [600, 2900, 2]),
  S('voting rate', '投票参与率', '%', [600, 995, 1], { prose: false }),
  S('carbon intensity', '碳强度', 't', [220, 2900, 1], { prose: false }),
];

const BRANDS =
  'Alder Birch Cedar Dogwood Elmwood Foxglove Gorse Hawthorn Juniper Kestrel Larkspur Marram Nightjar Osprey Pinewood Quillon Rowan Saltmarsh Tamarisk Umberfield Vetiver Willowmere Yarrow Zephyr'.split(
    ' ',
  );

export interface WorldOptions {
  /** Keys of measures that are always there; some others join them. */
  core?: readonly string[];
  /** How many years; two or three by seed unless given. */
  years?: number;
}

export function inventWorld(rng: Rng, options: WorldOptions = {}): World {
  const brands = rng.shuffle(BRANDS).slice(0, rng.int(3, 5));
  const metrics = options.core === undefined ? drawMetrics(rng) : withCore(rng, options.core);
  const last = rng.int(2021, 2025);
  const years = options.years ?? rng.int(2, 3);
  const periods = Array.from({ length: years }, (_, i) => String(last - i)).reverse();
  const values = new Map<string, string>();
  for (const brand of brands) {
    for (const metric of metrics)
      for (const period of periods) values.set(`${brand}|${metric.key}|${period}`, drawValue(rng, metric));
  }
  const value = (brand: string, metric: MetricSpec, period: string): string => {
    const found = values.get(`${brand}|${metric.key}|${period}`);
    if (found === undefined) throw new Error(`no such figure: ${brand} ${metric.key} ${period}`);
    return found;
  };
  return { brands, type: rng.pick(['Fund', 'ETF', 'Trust']), metrics, periods, value };
}

function drawMetrics(rng: Rng): MetricSpec[] {
  const known = rng.shuffle(METRIC_POOL.filter((m) => m.prose)).slice(0, rng.int(3, 4));
  return rng.chance(0.5) ? [...known, rng.pick(METRIC_POOL.filter((m) => !m.prose))] : known;
}

function withCore(rng: Rng, core: readonly string[]): MetricSpec[] {
  const always = METRIC_POOL.filter((m) => core.includes(m.key));
  const others = rng.shuffle(METRIC_POOL.filter((m) => m.prose && !core.includes(m.key)));
  return [...always, ...others.slice(0, rng.int(1, 2))];
}

/** Another value of the same measure, plainly different. */
export function otherValue(rng: Rng, metric: MetricSpec, value: string): string {
  for (;;) {
    const other = drawValue(rng, metric);
    if (other !== value) return other;
  }
}

export function drawValue(rng: Rng, { min, max, decimals }: MetricSpec): string {
  const n = rng.int(min, max);
  const digits = String(Math.abs(n)).padStart(decimals + 1, '0');
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
  return n < 0 ? `-${text}` : text;
}

export const fullName = (world: World, brand: string, language: Language): string =>
  language === 'zh' ? `${brand} 基金` : `${brand} ${world.type}`;
export const metricLabel = (metric: MetricSpec, language: Language): string =>
  language === 'zh' ? metric.zh : capital(metric.en);
export const unitLabel = (metric: MetricSpec, language: Language): string =>
  language === 'zh' ? metric.unitZh : metric.unit;

/** "0.35 %", "EUR 1,234.5 million", "1234.5 百万欧元", "312". */
export function spoken(metric: MetricSpec, value: string, language: Language): string {
  if (metric.unit === '') return value;
  if (language === 'zh') return metric.unit === '%' ? `${value}%` : `${value} ${metric.unitZh}`;
  if (metric.unit === 'EUR million') return `EUR ${grouped(value)} million`;
  return `${value} ${metric.unit}`;
}

export function grouped(value: string): string {
  const [whole = '', part] = value.split('.');
  const groups = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return part === undefined ? groups : `${groups}.${part}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
