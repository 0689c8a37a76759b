import { lengthOf, clip, type Interval } from './intervals.js';
import { draftOf, record, type Decision, type Draft } from './draft.js';
import { isFenced, withHolder } from './holder.js';
import { openView, snapshotOf } from './snapshot.js';
import type { Ledger } from './ledger.js';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts';
import type { budgetContracts } from '@waymark/contracts/budget';

type Command = ParsedRequestOf<typeof budgetContracts.takeOver>;
type Reply = ReplyOf<typeof budgetContracts.takeOver>;

/**
 * A new owner takes its holder over (B15). Activities of older owners close at the end of the lease, the latest moment
 * at which they could still have acted: known to the last heartbeat, unknown from there, both charged (B6).
 * After the close it still learns what is open.
 */
export function decideTakeOver(ledger: Ledger, command: Command, now: number): Decision<Reply> {
  const { holder, epoch } = command;
  if (isFenced(ledger, holder, epoch)) return answer(draftOf(ledger), 'fenced', holder, [], now);
  const taken = withHolder(draftOf(ledger), holder, epoch);
  const orphans = ledger.running.filter((activity) => activity.holder === holder && activity.epoch < epoch);
  const closed = orphans.map(({ reservation, at }) => {
    const end = clamp(now - Math.round(command.leaseEndAgeMs), at, now);
    const known = clamp(now - Math.round(command.heartbeatAgeMs), at, end);
    return { reservation, at, known, end };
  });
  const draft = closed.reduce((next: Draft, { reservation, at, known, end }) => {
    const intervals: readonly Interval[] = clip([[at, end]], at);
    return record(next, { type: 'ActivityClosed', reservation, intervals, unknownFrom: known < end ? known : null });
  }, taken);
  const told = closed.map(({ reservation, at, known, end }) => ({
    reservation,
    knownMs: lengthOf([[at, known]]),
    unknownMs: lengthOf([[known, end]]),
  }));
  return answer(draft, ledger.closedAt === null ? 'taken' : 'closed', holder, told, now);
}

function answer(
  draft: Draft,
  outcome: Reply['outcome'],
  holder: string,
  closedActivities: Reply['closedActivities'],
  now: number,
): Decision<Reply> {
  const own = draft.ledger.open.filter((entry) => entry.holder === holder);
  const open = own.map((entry) => openView(entry, now));
  return { draft, reply: { outcome, snapshot: snapshotOf(draft.ledger, now), open, closedActivities } };
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(value, Math.max(low, high)));
}
