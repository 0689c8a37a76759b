import type { Candidate, ComposeReply, ReminderType } from '@waymark/contracts/reminder';
import { keyOf, type Armed } from './arm.js';
import { candidateOf } from './candidate.js';
import type { Facts } from './facts.js';
import type { Looked } from './look.js';
import type { Intent } from './reminder-type.js';

/** What cannot stand beside "finish now" (R17). */
const BEATEN_BY_FINISH: ReadonlySet<Intent> = new Set<Intent>(['plan', 'review', 'read-more']);

export interface SelectedAdvice {
  readonly advice: Candidate[];
  readonly combined: ComposeReply['combined'];
}

/**
 * Advice that is due, in presentation order: the highest stage of each key, once (R3, R4). "Finish now" holds as long as its
 * stage is reached, whether or not it is due itself: else the request after it would advise the contrary.
 */
export function selectAdvice(facts: Facts, looked: readonly Looked[], armed: Armed): SelectedAdvice {
  const advice: Candidate[] = [];
  const combined: ComposeReply['combined'] = [];
  const finishing = finishNow(looked);
  for (const { rule, seen, advises } of looked) {
    if (!advises) continue;
    for (const { m, stage } of seen) {
      const intent = stage > 0 ? rule.advice.intent(stage, m) : null;
      if (intent === null || stage <= (armed.inForce.get(keyOf(rule.type, m.subject)) ?? 0)) continue;
      if (finishing && BEATEN_BY_FINISH.has(intent)) {
        combined.push({ type: rule.type, subject: m.subject, stage, by: finishing });
      } else {
        const text = rule.advice.wording[facts.language](m, { stage, rest: 0, from: 0 });
        advice.push(candidateOf(facts, rule.type, 'advice', { m, stage }, text));
      }
    }
  }
  return { advice, combined };
}

/** The first type that says "finish now", if exploring goes on. */
function finishNow(looked: readonly Looked[]): ReminderType | null {
  const found = looked.find(
    ({ rule, seen, advises }) =>
      advises && seen.some(({ m, stage }) => stage > 0 && rule.advice.intent(stage, m) === 'finish-now'),
  );
  return found?.rule.type ?? null;
}
