/** Step 3: one call at budget settles what ended, reports what ran, and reserves (B2, B3, B15). */
import {
  reserve as reserveContract,
  settle as settleContract,
  type BudgetRefusal,
  type Purpose,
} from '@waymark/contracts/budget';
import { askOwner } from '@waymark/messaging';
import { GrantActivity } from './grant-activity.js';
import type { HeldGrant, RunContext } from './run-context.js';
import { LeaseLost } from './run-log.js';

export type Reserved =
  | { readonly kind: 'granted'; readonly held: HeldGrant }
  | { readonly kind: 'refused'; readonly refusal: BudgetRefusal }
  | { readonly kind: 'away'; readonly code: string };

const TRY_MS = 2_000;

export async function reserve(c: RunContext, purpose: Purpose): Promise<Reserved> {
  const key = `${c.holder}/${c.epoch}/${c.state.requests + 1}`;
  closeActivity(c);
  c.platform.failpoint('before:reserve');
  const result = await askOwner(
    c.platform.bus,
    reserveContract,
    { run: c.run, holder: c.holder, epoch: c.epoch, key, purpose, settlements: c.unsettled, activities: c.activities },
    { tryMs: TRY_MS, untilMs: c.platform.config.BUDGET_WAIT_MS, signal: c.signal },
  );
  if (!result.ok) return { kind: 'away', code: result.error.code };
  const { value } = result;
  c.platform.failpoint('after:reserve');
  c.unsettled = [];
  c.activities = [];
  c.budget = value.snapshot;
  if (value.outcome === 'refused' || !value.grant) {
    if (!value.refusal) return { kind: 'away', code: 'malformed_reply' };
    if (value.refusal.code === 'fenced') throw new LeaseLost('budget has seen a higher epoch');
    return { kind: 'refused', refusal: value.refusal };
  }
  const held: HeldGrant = {
    grant: value.grant,
    snapshot: value.snapshot,
    activity: new GrantActivity(value.grant.reservation),
    used: false,
  };
  c.held = held;
  return { kind: 'granted', held };
}

/** The grant's activity is over: its exact intervals ride with the next call. */
export function closeActivity(c: RunContext): void {
  if (!c.held) return;
  if (c.held.used) c.activities.push(c.held.activity.report(true));
  else giveBack(c, c.held);
  c.held = null;
}

/** Nothing was sent under this grant, and nothing can be any more. */
function giveBack(c: RunContext, held: HeldGrant): void {
  c.unsettled.push({
    reservation: held.grant.reservation,
    outcome: 'not_sent',
    content: false,
    code: 'not_composed',
    usage: null,
  });
}

/** Settlement alone: before a wait over 5 s, parking, ending, stop or hand-over. True when nothing is left to tell. */
export async function settleAlone(c: RunContext, untilMs: number): Promise<boolean> {
  closeActivity(c);
  if (c.unsettled.length === 0 && c.activities.length === 0) return true;
  const result = await askOwner(
    c.platform.bus,
    settleContract,
    { run: c.run, holder: c.holder, epoch: c.epoch, settlements: c.unsettled, activities: c.activities },
    { tryMs: TRY_MS, untilMs, signal: c.signal },
  );
  if (!result.ok) return false;
  c.unsettled = [];
  c.activities = [];
  c.budget = result.value.snapshot;
  return true;
}
