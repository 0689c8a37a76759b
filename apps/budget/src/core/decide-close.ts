import { draftOf, record, type Decision, type Draft } from './draft.js';
import { isFenced, withHolder } from './holder.js';
import { openView, snapshotOf } from './snapshot.js';
import type { Ledger } from './ledger.js';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts';
import type { budgetContracts } from '@waymark/contracts/budget';

type Reply = ReplyOf<typeof budgetContracts.close>;

/** No later grant, whoever asks (B15, L6). Only the run's owner closes; closing again reads the same fact. */
export function decideClose(
  ledger: Ledger,
  { epoch, reason }: ParsedRequestOf<typeof budgetContracts.close>,
  now: number,
): Decision<Reply> {
  if (ledger.closedAt !== null) return answer(draftOf(ledger), 'already_closed', now);
  if (isFenced(ledger, 'run', epoch)) return answer(draftOf(ledger), 'fenced', now);
  const draft = record(withHolder(draftOf(ledger), 'run', epoch), { type: 'BudgetClosed', reason, at: now });
  return answer(draft, 'closed', now);
}

function answer(draft: Draft, outcome: Reply['outcome'], now: number): Decision<Reply> {
  const open = draft.ledger.open.map((entry) => openView(entry, now));
  return { draft, reply: { outcome, snapshot: snapshotOf(draft.ledger, now), open } };
}
