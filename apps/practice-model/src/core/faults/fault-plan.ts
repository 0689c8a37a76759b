import type { FaultRule, FaultSubject } from './fault-rule.js';

/** The rules with how many requests each has seen match and how often it struck. */
export interface FaultPlan {
  rules: { rule: FaultRule; matched: number; struck: number }[];
}

export const planOf = (rules: FaultRule[]): FaultPlan => ({
  rules: rules.map((rule) => ({ rule, matched: 0, struck: 0 })),
});

/** The first rule that strikes this request, and the plan afterwards. Every rule counts every request that it matches. */
export function strike(plan: FaultPlan, subject: FaultSubject): { plan: FaultPlan; rule?: FaultRule } {
  let struck: FaultRule | undefined;
  const rules = plan.rules.map((entry) => {
    if (!matches(entry.rule, subject)) return entry;
    const matched = entry.matched + 1;
    if (struck || !due(entry.rule, matched, entry.struck)) return { ...entry, matched };
    struck = entry.rule;
    return { rule: entry.rule, matched, struck: entry.struck + 1 };
  });
  return { plan: { rules }, ...(struck ? { rule: struck } : {}) };
}

function matches({ match = {} }: FaultRule, subject: FaultSubject): boolean {
  return (
    (match.model === undefined || match.model === subject.model) &&
    (match.purpose === undefined || match.purpose === subject.purpose) &&
    (match.idPrefix === undefined || (subject.id ?? '').startsWith(match.idPrefix)) &&
    (match.minBytes === undefined || subject.size >= match.minBytes)
  );
}

function due({ match = {}, times }: FaultRule, matched: number, struck: number): boolean {
  if (times !== undefined && struck >= times) return false;
  if (match.nth !== undefined) return matched === match.nth;
  return match.every === undefined || matched % match.every === 0;
}
