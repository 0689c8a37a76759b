import { findMetrics } from './metrics.js';
import { findPeriods } from './periods.js';
import { unitInLabel } from './values.js';

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
  const unit = unitInLabel(clean);
  const metric = findMetrics(clean).find((m) => !m.weak);
  let rest = clean;
  for (const span of [...periods, ...(metric ? [metric] : [])].sort((a, b) => b.start - a.start)) {
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
