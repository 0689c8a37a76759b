import { pendingAlarms, type PendingAlarm } from './alarms.js';
import { draftOf, record, type Decision, type Draft } from './draft.js';
import { timesLeft } from './time-left.js';
import type { Ledger } from './ledger.js';

/** Settled by the budget itself: nobody said how the request ended. */
export const NOT_SETTLED = 'not_settled_in_time';

/**
 * What time alone decides, looked at afresh when it is due: alarms of limits, and what is open past its deadline and a
 * lease, settled as `unknown` also after the run's end (B15). The reply lists the alarms given.
 */
export function decideSweep(ledger: Ledger, now: number, leaseMs: number): Decision<readonly PendingAlarm[]> {
  const settled = overdue(ledger.open, now, leaseMs).reduce(
    (draft: Draft, { reservation }) =>
      record(draft, {
        type: 'RequestSettled',
        reservation,
        outcome: 'unknown',
        content: false,
        code: NOT_SETTLED,
        usage: null,
        by: 'budget',
      }),
    draftOf(ledger),
  );
  const stopped = overdue(ledger.running, now, leaseMs).reduce(
    // It could act until its deadline; how much of that it did, nobody knows.
    (draft: Draft, { reservation, at, deadlineAt }) =>
      record(draft, { type: 'ActivityClosed', reservation, intervals: [[at, deadlineAt]], unknownFrom: at }),
    settled,
  );
  const due = pendingAlarms(stopped.ledger, now).filter(({ inMs }) => inMs <= 0);
  return { draft: due.reduce((draft, alarm) => given(draft, alarm, now), stopped), reply: due };
}

/** When the sweep must look at this ledger next; null while nothing waits for time. */
export function nextDue(ledger: Ledger, now: number, leaseMs: number): number | null {
  const first = Math.min(
    ...pendingAlarms(ledger, now).map(({ inMs }) => now + Math.max(0, inMs)),
    ...[...ledger.open, ...ledger.running].map(({ deadlineAt }) => deadlineAt + leaseMs),
  );
  return Number.isFinite(first) ? Math.ceil(first) : null;
}

/** Whether time may still decide something about this ledger. */
export function isLive({ closedAt, open, running }: Ledger): boolean {
  return closedAt === null || open.length > 0 || running.length > 0;
}

function given(draft: Draft, { limit, stage }: PendingAlarm, now: number): Draft {
  if (stage === 'neared') return record(draft, { type: 'LimitNeared', limit, at: now });
  const time = timesLeft(draft.ledger, now).find((one) => one.limit === limit);
  const overshootMs = Math.max(0, -(time?.leftMs ?? 0));
  return record(draft, { type: 'LimitReached', limit, overshootMs, at: now });
}

function overdue<T extends { readonly deadlineAt: number }>(list: readonly T[], now: number, leaseMs: number) {
  return list.filter(({ deadlineAt }) => deadlineAt + leaseMs <= now);
}
