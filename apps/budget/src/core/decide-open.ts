import { draftOf, record, type Decision } from './draft.js';
import { unopened, type Ledger } from './ledger.js';
import { snapshotOf } from './snapshot.js';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts';
import type { budgetContracts } from '@waymark/contracts/budget';

type OpenReply = ReplyOf<typeof budgetContracts.open>;

/** Opens the ledger of a run, or reads the one that it has, whatever is asked now (B7). */
export function decideOpen(
  existing: Ledger | null,
  { run, limits, policyVersion, admittedAgeMs }: ParsedRequestOf<typeof budgetContracts.open>,
  now: number,
): Decision<OpenReply> {
  if (existing) return { draft: draftOf(existing), reply: { snapshot: snapshotOf(existing, now), created: false } };
  const admittedAt = now - Math.round(admittedAgeMs);
  const draft = record(draftOf(unopened(run)), { type: 'BudgetOpened', limits, policyVersion, admittedAt });
  return { draft, reply: { snapshot: snapshotOf(draft.ledger, now), created: true } };
}
