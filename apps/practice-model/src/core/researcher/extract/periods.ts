export interface PeriodMention {
  /** `2024`, `2024-Q1`, `2024-H2`, `2024-03`. A day at a year's end is that year. */
  period: string;
  start: number;
  end: number;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?`;

const PATTERNS: readonly [RegExp, (m: RegExpMatchArray) => string][] = [
  [/(?<!\d)((?:19|20)\d{2})-(\d{2})-(\d{2})(?!\d)/gu, (m) => month(m[1], Number(m[2]))],
  [/(?<!\d)((?:19|20)\d{2})\s?年\s?(\d{1,2})\s?月(?:\s?\d{1,2}\s?日)?/gu, (m) => month(m[1], Number(m[2]))],
  [new RegExp(String.raw`(?<!\d)\d{1,2}\s+(${MONTH}),?\s+((?:19|20)\d{2})(?!\d)`, 'giu'), (m) => named(m[2], m[1])],
  [new RegExp(String.raw`(${MONTH})\s+(?:\d{1,2},\s*)?((?:19|20)\d{2})(?!\d)`, 'giu'), (m) => named(m[2], m[1])],
  [/(?<![A-Za-z])([QH][1-4])[\s/-]?((?:19|20)\d{2})(?!\d)/giu, (m) => `${m[2]}-${(m[1] ?? '').toUpperCase()}`],
  [/(?<!\d)((?:19|20)\d{2})[\s/-]?([QH][1-4])(?!\d)/giu, (m) => `${m[1]}-${(m[2] ?? '').toUpperCase()}`],
  [/(?<!\d)((?:19|20)\d{2})\s?年?(?:上半年|第?一?半年)/gu, (m) => `${m[1]}-H1`],
  [/(?<!\d)((?:19|20)\d{2})\s?年?下半年/gu, (m) => `${m[1]}-H2`],
  [/(?<![\d.,])(?:FY\s?)?((?:19|20)\d{2})(?:\s?年(?:度|末|底)?)?(?![\d]|[.,]\d)/giu, (m) => m[1] ?? ''],
];

/** In order of place; an earlier pattern wins over a later one that meets the same text. */
export function findPeriods(text: string): PeriodMention[] {
  const out: PeriodMention[] = [];
  for (const [pattern, read] of PATTERNS) {
    for (const m of text.matchAll(pattern)) {
      const mention = { period: read(m), start: m.index, end: m.index + m[0].length };
      if (!out.some((k) => mention.start < k.end && k.start < mention.end)) out.push(mention);
    }
  }
  return out.sort((a, b) => a.start - b.start);
}

/** The period when the whole text is one. */
export function wholePeriod(text: string): string | undefined {
  const found = findPeriods(text);
  const only = found[0];
  if (!only || found.length !== 1) return undefined;
  const rest = (text.slice(0, only.start) + text.slice(only.end)).replace(
    /[\s()（）*.:：]|year|年度?|as of|at end/giu,
    '',
  );
  return rest === '' ? only.period : undefined;
}

const month = (year: string | undefined, n: number): string =>
  n === 12 ? (year ?? '') : `${year}-${String(n).padStart(2, '0')}`;
const named = (year: string | undefined, name = ''): string =>
  month(year, MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1);
