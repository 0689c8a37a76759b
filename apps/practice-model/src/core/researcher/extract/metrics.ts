import { PLAIN_WORDS } from './plain-words.js';

/**
 * Measures that reports on funds and companies commonly give, in English and Chinese. A measure that stands in no entry is
 * still found where a table header or a label names it.
 */
export type MetricKind = 'percent' | 'money' | 'count' | 'any';

export interface Metric {
  /** Its name in English, which is its key. */
  key: string;
  zh: string;
  kind: MetricKind;
  /** Alternatives of a regular expression, matched as whole words in any case. */
  words: string;
  /** Topic words of questions that mean this measure among others. */
  topic: 'cost' | 'tracking' | 'size' | 'portfolio' | 'return' | 'risk';
}

const M = (key: string, zh: string, kind: MetricKind, topic: Metric['topic'], words: string): Metric => ({
  key,
  zh,
  kind,
  topic,
  words,
});

export const METRICS: readonly Metric[] = [
  M(
    'ongoing charge',
    '综合费率',
    'percent',
    'cost',
    'ongoing charges?(?: figure| ratio)?|OCF|total expense ratio|TER|expense ratio|cost ratio|annual (?:fee|cost|charge)|' +
      '综合费率|综合费用率|总费率|总费用率|年度?费率|运作费率|运营费率|费用率|费率',
  ),
  M('management fee', '管理费率', 'percent', 'cost', 'management (?:fee|charge)s?|AMC|管理费率?'),
  M('custody fee', '托管费率', 'percent', 'cost', 'custody fees?|depositary fees?|托管费率?'),
  M('transaction cost', '交易成本', 'percent', 'cost', 'transaction costs?|trading costs?|交易成本|交易费用'),
  M('entry charge', '申购费率', 'percent', 'cost', 'entry (?:charge|fee)s?|subscription fees?|申购费率?'),
  M('exit charge', '赎回费率', 'percent', 'cost', 'exit (?:charge|fee)s?|redemption fees?|赎回费率?'),
  M('performance fee', '业绩报酬', 'percent', 'cost', 'performance fees?|业绩报酬'),
  M('tracking difference', '跟踪偏离', 'percent', 'tracking', 'tracking difference|跟踪偏离度?|跟踪差异'),
  M('tracking error', '跟踪误差', 'percent', 'tracking', 'tracking error|跟踪误差'),
  M(
    'assets under management',
    '资产规模',
    'money',
    'size',
    'assets under management|AUM|net assets|fund size|total assets|fund volume|资产管理规模|资产规模|管理规模|基金规模|净资产|规模',
  ),
  M(
    'number of holdings',
    '持仓数量',
    'count',
    'portfolio',
    'number of (?:holdings|positions|constituents|securities)|holdings count|holdings|positions|constituents|' +
      '持仓数量|持股数量|成份股数量|成分股数量|持仓数',
  ),
  M(
    'top-ten weight',
    '前十大权重',
    'percent',
    'portfolio',
    '(?:combined )?weight of (?:the )?(?:ten largest|top ten|top 10)(?: holdings| positions)?|' +
      'top[- ](?:ten|10) (?:holdings )?(?:weight|share|concentration)|前十大(?:持仓|重仓股?|成份股)?(?:合计)?(?:权重|占比)',
  ),
  M(
    'largest weight',
    '最大权重',
    'percent',
    'portfolio',
    'largest (?:weight|holding weight|position weight)|最大(?:持仓)?权重',
  ),
  M('turnover', '换手率', 'percent', 'portfolio', 'portfolio turnover|turnover(?: rate| ratio)?|换手率'),
  M(
    'annual return',
    '年度收益率',
    'percent',
    'return',
    '(?:total|annual|net|yearly) returns?|return|年度?收益率|收益率|回报率|年度?回报',
  ),
  M(
    'distribution yield',
    '分红收益率',
    'percent',
    'return',
    '(?:distribution|dividend|running) yield|yield|股息率|分红收益率|分红率',
  ),
  M('volatility', '波动率', 'percent', 'risk', '(?:annual )?volatility|年化波动率|波动率'),
  M('maximum drawdown', '最大回撤', 'percent', 'risk', 'max(?:imum)? drawdown|最大回撤'),
  M('duration', '久期', 'any', 'risk', '(?:effective |modified )?duration|久期'),
  M('revenue', '营业收入', 'money', 'size', 'revenues?|turnover revenue|营业收入|营收'),
  M('net profit', '净利润', 'money', 'return', 'net (?:profit|income)|净利润'),
  M('headcount', '员工人数', 'count', 'size', 'headcount|number of employees|employees|员工人数|员工数'),
];

/** Words that mean a measure only where nothing better stands in the sentence. */
const WEAK: readonly [key: string, words: string][] = [
  ['ongoing charge', 'charged?|charges|fees?|costs?'],
  ['annual return', 'returned|gained'],
];

export interface MetricMention {
  key: string;
  start: number;
  end: number;
  weak?: true;
}

const latin = (words: string): RegExp => new RegExp(`(?<![A-Za-z])(?:${words})(?![A-Za-z])`, 'giu');
const STRONG = METRICS.map((metric) => ({ key: metric.key, pattern: latin(metric.words) }));
const FAINT = WEAK.map(([key, words]) => ({ key, pattern: latin(words) }));
const BY_KEY = new Map(METRICS.map((metric) => [metric.key, metric]));

/** Mentions in order of place; of two that overlap the longer stands. */
export function findMetrics(text: string): MetricMention[] {
  const all: MetricMention[] = [];
  for (const { key, pattern } of STRONG) {
    for (const m of text.matchAll(pattern)) all.push({ key, start: m.index, end: m.index + m[0].length });
  }
  const kept = withoutOverlaps(all.filter((mention) => !endsName(text, mention, all)));
  if (kept.length > 0) return kept;
  const faint: MetricMention[] = [];
  for (const { key, pattern } of FAINT) {
    for (const m of text.matchAll(pattern)) faint.push({ key, start: m.index, end: m.index + m[0].length, weak: true });
  }
  return withoutOverlaps(faint);
}

/** "Holdings" behind a capitalised word that is no plain one and no measure is the end of a firm's name. */
function endsName(text: string, { start, end }: MetricMention, all: readonly MetricMention[]): boolean {
  if (text.slice(start, end) !== 'Holdings') return false;
  const before = /(?<![\p{L}\p{N}])(\p{Lu}[\p{L}\p{N}'’-]*)\s$/u.exec(text.slice(0, start))?.[1];
  if (before === undefined || PLAIN_WORDS.has(before.toLowerCase())) return false;
  return !all.some((other) => other.end === start - 1);
}

export const metricKind = (key: string): MetricKind => BY_KEY.get(key)?.kind ?? 'any';
export const isKnownMetric = (key: string): boolean => BY_KEY.has(key);
export const metricName = (key: string, language: 'en' | 'zh'): string =>
  language === 'zh' ? (BY_KEY.get(key)?.zh ?? key) : key;

function withoutOverlaps(mentions: MetricMention[]): MetricMention[] {
  const kept: MetricMention[] = [];
  for (const mention of [...mentions].sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)) {
    if (!kept.some((k) => mention.start < k.end && k.start < mention.end)) kept.push(mention);
  }
  return kept.sort((a, b) => a.start - b.start);
}
