import { findMetrics, metricKind } from './metrics.js';
import { findPeriods } from './periods.js';
import { unitAtEnd, unitInLabel } from './values.js';

/** What a label ("Ongoing charge 2024 (%)") says: measure, period, unit, and what is left of it. */
export interface Label {
  metric?: string;
  period?: string;
  unit?: string;
  rest: string;
}

export function labelOf(text: string): Label {
  const clean = text.replace(/\*\*|__|`/gu, '').trim();
  const periods = findPeriods(clean);
  const period = periods[0];
  const metric = findMetrics(clean).find((m) => !m.weak);
  const end = unitInLabel(clean) === undefined ? unitBehind(clean, periods, metric?.key) : undefined;
  const unit = unitInLabel(clean) ?? end?.unit;
  let rest = clean;
  const spans = [...periods, ...(metric ? [metric] : []), ...(end ? [end] : [])];
  for (const span of spans.sort((a, b) => b.start - a.start)) {
    rest = rest.slice(0, span.start) + rest.slice(span.end);
  }
  rest = rest.replace(/[(（\[][^)）\]]*[)）\]]/gu, ' ').replace(/(?:^|\s)(?:in|at|for|of|as|the|%)(?=\s|$)/giu, ' ');
  rest = rest.replace(/[\s,;:：%％]+/gu, ' ').trim();
  return {
    rest,
    ...(metric ? { metric: metric.key } : {}),
    ...(period && periods.length === 1 ? { period: period.period } : {}),
    ...(unit !== undefined ? { unit } : {}),
  };
}

/** The unit at the end, also where only periods stand behind it: "Revenue GBP million 2023". */
function unitBehind(
  text: string,
  periods: readonly { start: number; end: number }[],
  metric: string | undefined,
): { unit: string; start: number; end: number } | undefined {
  let end = text.length;
  for (const period of [...periods].sort((a, b) => b.end - a.end)) {
    if (/^[\s_,)]*$/u.test(text.slice(period.end, end))) end = period.start;
  }
  const head = text.slice(0, end).replace(/[\s_,(]+$/u, '');
  const ofMoney = metric !== undefined && metricKind(metric) === 'money';
  const found = unitAtEnd(head, ofMoney);
  if (found === undefined || (metric !== undefined && !ofMoney && /[A-Z]{3}|元/u.test(found.unit))) return undefined;
  return { ...found, end: head.length };
}
