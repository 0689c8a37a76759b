import { record, type Decision, type Draft } from './draft.js';
import { holderOf, isFenced, withHolder } from './holder.js';
import { withActivities } from './report-activity.js';
import { snapshotOf } from './snapshot.js';
import type { SettledReservation } from './ledger.js';
import type { Settlement, SettlementResult } from './words.js';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts';
import type { budgetContracts } from '@waymark/contracts/budget';

type Command = ParsedRequestOf<typeof budgetContracts.settle>;

/** Settlements and activity reports, without a reservation. Also after the close: what was sent is charged. */
export function decideSettle(
  draft: Draft,
  command: Command,
  now: number,
): Decision<ReplyOf<typeof budgetContracts.settle>> {
  const ended = withSettlements(draft, command, now);
  return { draft: ended.draft, reply: { settled: ended.settled, snapshot: snapshotOf(ended.draft.ledger, now) } };
}

/**
 * What ended and what ran. Of a fenced owner nothing is taken but proof (B3, L2). Settlements come first, so that the
 * activity of a request that was not sent is gone before reports are looked at.
 */
export function withSettlements(
  draft: Draft,
  { holder, epoch, settlements, activities }: Omit<Command, 'run'>,
  now: number,
): { readonly draft: Draft; readonly settled: SettlementResult[] } {
  const settled: SettlementResult[] = [];
  let next = holder in draft.ledger.holders ? withHolder(draft, holder, epoch) : draft;
  for (const settlement of settlements) {
    const one = settleOne(next, holder, epoch, settlement);
    next = one.draft;
    settled.push({ reservation: settlement.reservation, ...one.result });
  }
  return { draft: withActivities(next, holder, epoch, activities, now), settled };
}

type Result = Omit<SettlementResult, 'reservation'>;

function settleOne(
  draft: Draft,
  holder: string,
  epoch: number,
  { reservation, outcome, content, code, usage }: Settlement,
): { draft: Draft; result: Result } {
  const open = draft.ledger.open.find((entry) => entry.reservation === reservation);
  if (open?.holder === holder) {
    if (isFenced(draft.ledger, holder, epoch)) return { draft, result: { result: 'fenced', outcome: null } };
    return {
      draft: record(draft, { type: 'RequestSettled', reservation, outcome, content, code, usage, by: 'holder' }),
      result: { result: 'settled', outcome },
    };
  }
  const settled = draft.known.find((entry) => entry.reservation === reservation);
  if (!settled || holderOf(settled.key) !== holder) {
    return { draft, result: { result: 'unknown_reservation', outcome: null } };
  }
  if (settled.outcome === 'unknown' && (outcome === 'completed' || outcome === 'failed')) {
    const { purpose, counted } = settled;
    return {
      draft: record(draft, { type: 'SettlementProved', reservation, purpose, outcome, usage, counted }),
      result: { result: 'proved', outcome },
    };
  }
  const result = isSame(settled, outcome, content) ? 'repeated' : 'contradicts';
  return { draft, result: { result, outcome: settled.outcome } };
}

/** Content matters where it decides what is charged: a failure that was settled as such. */
function isSame(settled: SettledReservation, outcome: Settlement['outcome'], content: boolean): boolean {
  if (settled.proved && outcome === 'unknown') return true;
  if (settled.outcome !== outcome) return false;
  return outcome !== 'failed' || settled.proved || settled.failedWithContent === content;
}
