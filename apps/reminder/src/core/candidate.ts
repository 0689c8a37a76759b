import type { Candidate, ReminderType } from '@waymark/contracts/reminder';
import type { Facts } from './facts.js';
import type { Seen } from './look.js';

/** A candidate with the basis on which its words rest. */
export function candidateOf(
  facts: Facts,
  type: ReminderType,
  kind: Candidate['kind'],
  { m, stage }: Seen,
  text: string,
): Candidate {
  const basis = { value: m.value, limit: m.limit, unit: m.unit, version: m.version };
  return { type, kind, subject: m.subject, stage, policyVersion: facts.policyVersion, text, basis };
}
