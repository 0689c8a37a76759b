import { openView, snapshotOf } from './snapshot.js';
import type { Ledger } from './ledger.js';
import type { ReplyOf } from '@waymark/contracts';
import type { budgetContracts } from '@waymark/contracts/budget';

/** The numbers now and all that is open. */
export function snapshotReply(ledger: Ledger, now: number): ReplyOf<typeof budgetContracts.snapshot> {
  return { snapshot: snapshotOf(ledger, now), open: ledger.open.map((entry) => openView(entry, now)) };
}
