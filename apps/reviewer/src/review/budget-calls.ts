/** The review's side of budget: take over, reserve, settle (B2, B3, B15). Each call may be repeated. */
import {
  reserve as reserveContract,
  settle as settleContract,
  snapshot as snapshotContract,
  takeOver as takeOverContract,
  type Grant,
  type OpenReservation,
  type Settlement,
} from '@waymark/contracts/budget';
import { askOwner, type Asked } from '@waymark/messaging';
import { LeaseLost } from './review-log.js';
import type { ReviewContext } from './review-context.js';

export type Reserved =
  | { readonly kind: 'granted'; readonly grant: Grant; readonly receivedAt: number }
  | { readonly kind: 'refused'; readonly code: string };

/** Budget is waited for at most so long, and not past the review's deadline; an owner's first call waits for a while. */
const BUDGET_MS = 30_000;
const FIRST_CALL_MS = 5_000;
/** After this budget settles by itself (B15). */
const SETTLE_MS = 60_000;

/** The first call of every owner: fences older ones off and learns what they left open. A code when it failed. */
export async function takeOver(c: ReviewContext): Promise<string | null> {
  const { claim, holder, epoch, run } = c;
  const heartbeatAgeMs = Math.max(0, claim.heartbeatAgeMs ?? 0);
  const leaseEndAgeMs = Math.max(0, claim.leaseEndAgeMs ?? 0);
  const untilMs = Math.min(BUDGET_MS, Math.max(FIRST_CALL_MS, c.deadlineLeftMs));
  const request = { run, holder, epoch, heartbeatAgeMs, leaseEndAgeMs };
  const taken = await askOwner(c.platform.bus, takeOverContract, request, { untilMs, signal: c.life.signal });
  c.checkLease();
  if (taken.kind !== 'answered') {
    c.unsettled.push(...toldByRecord(c)); // nobody says which of them are open: settling again changes nothing (B3)
    return taken.kind === 'refused' ? taken.error.code : 'budget_unavailable';
  }
  if (taken.value.outcome === 'fenced') throw new LeaseLost('budget has seen a higher epoch');
  settleOpen(c, taken.value.open);
  return null;
}

/** Reservations without an intent were never sent; those with an outcome are told from the record. */
function settleOpen(c: ReviewContext, open: readonly OpenReservation[]): void {
  const told = toldByRecord(c);
  for (const { reservation } of open) {
    const intended = c.log.state.requests.some(({ intent }) => intent.reservation === reservation);
    const known = told.find((one) => one.reservation === reservation);
    if (known) c.unsettled.push(known);
    else if (!intended) c.unsettled.push(notSent(reservation));
  }
}

const toldByRecord = (c: ReviewContext): Settlement[] =>
  c.log.state.requests.flatMap(({ intent, answer }) => {
    if (!answer) return [];
    const { outcome, content, code, usage } = answer;
    return [{ reservation: intent.reservation, outcome, content, code, usage }];
  });

export const notSent = (reservation: string): Settlement => ({
  ...{ reservation, outcome: 'not_sent', content: false, code: 'not_composed', usage: null },
});

/** Settles what ended, reports what ran, and reserves one request of purpose `review`. */
export async function reserve(c: ReviewContext, request: number): Promise<Reserved> {
  const { run, holder, epoch, activities } = c;
  // A refusal is not remembered under the key, so each request of an epoch has its own; its number says which.
  const key = `${holder}/${epoch}/${request}`;
  const untilMs = Math.min(BUDGET_MS, Math.max(0, c.deadlineLeftMs));
  const asked = await orWithoutUsage(c, c.unsettled, async (settlements) =>
    askOwner(
      c.platform.bus,
      reserveContract,
      { run, holder, epoch, key, purpose: 'review', settlements, activities },
      { untilMs, signal: c.life.signal },
    ),
  );
  const receivedAt = performance.now();
  c.checkLease();
  if (asked.kind !== 'answered') {
    c.mayHoldMore = asked.kind === 'away' && asked.sent;
    return { kind: 'refused', code: asked.kind === 'refused' ? asked.error.code : 'budget_unavailable' };
  }
  c.unsettled = [];
  c.activities = [];
  const { outcome, grant, refusal } = asked.value;
  if (outcome === 'granted' && grant) return { kind: 'granted', grant, receivedAt };
  if (refusal?.code === 'fenced') throw new LeaseLost('budget has seen a higher epoch');
  return { kind: 'refused', code: refusal?.code ?? 'budget_unavailable' };
}

/** Tells budget what is left to tell. True when nothing is. */
export async function settleAll(c: ReviewContext, untilMs = SETTLE_MS): Promise<boolean> {
  const { run, holder, epoch, platform } = c;
  const options = { untilMs, signal: c.life.signal };
  if (c.mayHoldMore) {
    const seen = await askOwner(platform.bus, snapshotContract, { run }, options);
    if (seen.kind !== 'answered') return false;
    settleOpen(
      c,
      seen.value.open.filter((one) => one.holder === holder && one.epoch <= epoch && !isKnown(c, one)),
    );
    c.mayHoldMore = false;
  }
  if (c.unsettled.length === 0 && c.activities.length === 0) return true;
  const { activities } = c;
  const told = await orWithoutUsage(c, c.unsettled, async (settlements) =>
    askOwner(platform.bus, settleContract, { run, holder, epoch, settlements, activities }, options),
  );
  c.checkLease();
  if (told.kind !== 'answered') return false;
  c.unsettled = [];
  c.activities = [];
  return true;
}

/** What a provider reports is its own; when it is what budget refuses, the outcome still counts and usage is unknown. */
async function orWithoutUsage<T>(
  c: ReviewContext,
  settlements: readonly Settlement[],
  ask: (settlements: Settlement[]) => Promise<Asked<T>>,
): Promise<Asked<T>> {
  const asked = await ask([...settlements]);
  if (asked.kind !== 'refused' || settlements.every((s) => s.usage === null)) return asked;
  const { run, platform } = c;
  platform.logger.error({ run, ...asked.error }, 'budget refused a settlement: told again without its usage');
  return await ask(settlements.map((s) => ({ ...s, usage: null })));
}

const isKnown = (c: ReviewContext, { reservation }: OpenReservation): boolean =>
  c.unsettled.some((one) => one.reservation === reservation);
