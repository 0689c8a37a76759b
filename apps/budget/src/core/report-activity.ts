import { usedMs, charge } from './active-time.js';
import { record, type Draft } from './draft.js';
import { holderOf, isFenced } from './holder.js';
import { union, type Interval } from './intervals.js';
import type { Ledger } from './ledger.js';
import type { ActivityReport } from '@waymark/contracts/budget';

/**
 * Exact intervals take the place of "running since the grant" (B5). A report on an activity that is closed already adds
 * what is new, so a repeated report changes nothing. One that says `closed: false` leaves a running activity running.
 */
export function withActivities(
  draft: Draft,
  holder: string,
  epoch: number,
  reports: readonly ActivityReport[],
  now: number,
): Draft {
  return isFenced(draft.ledger, holder, epoch)
    ? draft
    : reports.reduce((next, report) => withActivity(next, holder, report, now), draft);
}

function withActivity(draft: Draft, holder: string, report: ActivityReport, now: number): Draft {
  const { reservation, closed } = report;
  const running = draft.ledger.running.find((activity) => activity.reservation === reservation);
  const at = running ? ownGrant(running, holder) : closedGrant(draft, holder, reservation);
  if (at === null || (running && !closed)) return draft;
  const intervals = onClock(report, at, Math.max(at, now));
  if (!running && !addsTime(draft.ledger, intervals)) return draft;
  return record(draft, { type: 'ActivityClosed', reservation, intervals, unknownFrom: null });
}

function ownGrant(entry: { readonly holder: string; readonly at: number } | undefined, holder: string): number | null {
  return entry?.holder === holder ? entry.at : null;
}

/** When the grant of an activity that is closed already was given; null if it is not this holder's or was not sent. */
function closedGrant(draft: Draft, holder: string, reservation: string): number | null {
  const open = draft.ledger.open.find((entry) => entry.reservation === reservation);
  if (open) return ownGrant(open, holder);
  const settled = draft.known.find((entry) => entry.reservation === reservation);
  if (!settled || settled.outcome === 'not_sent') return null;
  return ownGrant({ holder: holderOf(settled.key), at: settled.at }, holder);
}

/** Durations since the grant, mapped on the budget's clock and kept within [grant, now] (T3). */
function onClock({ intervals }: ActivityReport, at: number, now: number): readonly Interval[] {
  const place = (ms: number): number => Math.min(at + Math.round(ms), now);
  return union(intervals.map(({ startMs, endMs }): Interval => [place(startMs), place(endMs)]));
}

function addsTime(ledger: Ledger, intervals: readonly Interval[]): boolean {
  const charged = charge(ledger.active, intervals, 0);
  return usedMs(charged, [], 0) > usedMs(ledger.active, [], 0);
}
