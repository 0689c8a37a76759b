import { admissionOf } from './admission.js';
import { withSettlements } from './decide-settle.js';
import { record, type Decision, type Draft } from './draft.js';
import { isFenced, keyPrefix, withHolder } from './holder.js';
import { refuseByLimit, refuseCaller } from './refusal.js';
import { reservationId } from './reservation-id.js';
import { snapshotOf } from './snapshot.js';
import type { BudgetRefusal, Grant } from './words.js';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts';
import type { budgetContracts } from '@waymark/contracts/budget';

type Command = ParsedRequestOf<typeof budgetContracts.reserve>;
type Reply = ReplyOf<typeof budgetContracts.reserve>;
type Answer =
  { readonly draft: Draft; readonly grant: Grant } | { readonly draft: Draft; readonly refusal: BudgetRefusal };

/** Settle, report, reserve as one: the settlement stands also beside a refusal, and a refusal leaves no trace (B2). */
export function decideReserve(draft: Draft, command: Command, now: number): Decision<Reply> {
  const ended = withSettlements(draft, command, now);
  const answer = reserveOne(ended.draft, command, now);
  const granted = 'grant' in answer;
  return {
    draft: answer.draft,
    reply: {
      outcome: granted ? 'granted' : 'refused',
      grant: granted ? answer.grant : null,
      refusal: granted ? null : answer.refusal,
      settled: ended.settled,
      snapshot: snapshotOf(answer.draft.ledger, now),
    },
  };
}

function reserveOne(draft: Draft, { holder, epoch, key, purpose }: Command, now: number): Answer {
  const { ledger } = draft;
  const refuse = (code: 'fenced' | 'closed' | 'key_mismatch', message: string): Answer => ({
    draft,
    refusal: refuseCaller(ledger, code, message, now),
  });
  if (!key.startsWith(keyPrefix(holder, epoch)))
    return refuse('key_mismatch', `a key of this caller starts with "${keyPrefix(holder, epoch)}"`);
  if (ledger.closedAt !== null) return refuse('closed', "the run's budget is closed: nothing is granted any more");
  if (isFenced(ledger, holder, epoch))
    return refuse('fenced', `epoch ${epoch} of ${holder} is over: the current one is ${ledger.holders[holder]}`);

  const earlier = earlierGrant(draft, key, holder, epoch, now);
  if (earlier) return { draft, grant: earlier };

  const admission = admissionOf(ledger, purpose, now);
  if (!admission.admitted) return { draft, refusal: refuseByLimit(ledger, purpose, admission.denial, now) };
  const held = withHolder(draft, holder, epoch);
  const reservation = reservationId(held.ledger.version + 1);
  const { leftMs, bound } = admission;
  return {
    draft: record(held, {
      type: 'ReservationGranted',
      reservation,
      key,
      holder,
      epoch,
      purpose,
      at: now,
      deadlineAt: now + leftMs,
      bound,
    }),
    grant: { reservation, key, holder, epoch, purpose, leftMs, bound, settled: null },
  };
}

/** One key, one reservation: the one that was granted, open or settled (B2). */
function earlierGrant({ ledger, known }: Draft, key: string, holder: string, epoch: number, now: number): Grant | null {
  const open = ledger.open.find((entry) => entry.key === key);
  if (open) {
    const { reservation, purpose, bound, deadlineAt } = open;
    const leftMs = Math.max(0, deadlineAt - now);
    return { reservation, key, holder, epoch, purpose, leftMs, bound, settled: null };
  }
  const settled = known.find((entry) => entry.key === key);
  if (!settled) return null;
  const { reservation, purpose, outcome } = settled;
  return { reservation, key, holder, epoch, purpose, leftMs: 0, bound: 'active', settled: outcome };
}
