import type { ComposeReply, ReminderType } from '@waymark/contracts/reminder';
import type { Facts } from './facts.js';
import type { Looked } from './look.js';
import { levelOf } from './reminder-type.js';

export interface Armed {
  /** Highest stage in force by key; a missing key is armed from the start. */
  readonly inForce: ReadonlyMap<string, number>;
  readonly types: ReadonlySet<ReminderType>;
  readonly rearmed: ComposeReply['rearmed'];
}

export const keyOf = (type: ReminderType, subject: string): string => `${type} ${subject}`;

/**
 * Which advice was given and still counts (R3, R4): watermarks of this policy version, *uncertain* ones too (R8), of types
 * that advise in this phase. A key is armed again when its measurement has fallen or all its watermarks are of another
 * policy version. State lines are never held back, so only advice is armed (R5).
 */
export function arm(facts: Facts, looked: readonly Looked[]): Armed {
  const advising = new Map(looked.filter(({ advises }) => advises).map((entry) => [entry.rule.type, entry]));
  const inForce = new Map<string, number>();
  const types = new Set<ReminderType>();
  const rearmed: ComposeReply['rearmed'] = [];
  for (const [key, { type, subject, stage }] of highest(facts, advising)) {
    const found = advising.get(type)?.seen.find(({ m }) => m.subject === subject);
    const fallen = found ? found.m.scale.hasFallen(stage, levelOf(found.m)) : true;
    if (stage === OTHER_POLICY || fallen) rearmed.push({ type, kind: 'advice', subject });
    else {
      inForce.set(key, stage);
      types.add(type);
    }
  }
  return { inForce, types, rearmed };
}

/** Stands for a key of which all watermarks are of another policy version. */
const OTHER_POLICY = -1;

interface Given {
  readonly type: ReminderType;
  readonly subject: string;
  readonly stage: number;
}

function highest(facts: Facts, advising: ReadonlyMap<ReminderType, Looked>): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  for (const { type, kind, subject, stage, policyVersion } of facts.watermarks) {
    if (kind !== 'advice' || !advising.has(type)) continue;
    const key = keyOf(type, subject);
    const counted = policyVersion === facts.policyVersion ? stage : OTHER_POLICY;
    if (counted >= (given.get(key)?.stage ?? counted)) given.set(key, { type, subject, stage: counted });
  }
  return given;
}
