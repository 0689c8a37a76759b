/** Step 3: one call at budget settles what ended, reports what ran, and reserves (B2, B3, B15). */
import {
  reserve as reserveContract,
  settle as settleContract,
  type ActivityReport,
  type BudgetRefusal,
  type Purpose,
  type Settlement,
} from '@waymark/contracts/budget';
import type { ReplyOf } from '@waymark/contracts';
import { askOwner, type Asked, type AskOptions } from '@waymark/messaging';
import { GrantActivity } from './grant-activity.js';
import type { HeldGrant, RunContext } from './run-context.js';
import { LeaseLost } from './run-log.js';

export type Reserved =
  | { readonly kind: 'granted'; readonly held: HeldGrant }
  | { readonly kind: 'refused'; readonly refusal: BudgetRefusal }
  /** Budget does not take the command as it is, and never will. */
  | { readonly kind: 'unusable'; readonly code: string; readonly message: string }
  | { readonly kind: 'away'; readonly code: 'budget_away' };

const TRY_MS = 2_000;

export async function reserve(c: RunContext, purpose: Purpose): Promise<Reserved> {
  const key = `${c.holder}/${c.epoch}/${c.state.requests + 1}`;
  closeActivity(c);
  c.platform.failpoint('before:reserve');
  const result = await orWithoutUsage(c, c.unsettled, async (settlements) =>
    askOwner(
      c.platform.bus,
      reserveContract,
      { run: c.run, holder: c.holder, epoch: c.epoch, key, purpose, settlements, activities: c.activities },
      { tryMs: TRY_MS, untilMs: c.platform.config.BUDGET_WAIT_MS, signal: c.signal },
    ),
  );
  if (result.kind === 'away') return { kind: 'away', code: 'budget_away' };
  if (result.kind === 'refused') return { kind: 'unusable', code: result.error.code, message: result.error.message };
  const { value } = result;
  c.platform.failpoint('after:reserve');
  c.unsettled = [];
  c.activities = [];
  c.budget = value.snapshot;
  if (value.outcome === 'refused' || !value.grant) {
    if (!value.refusal) return { kind: 'unusable', code: 'malformed_reply', message: 'neither grant nor refusal' };
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
  const options = { tryMs: TRY_MS, untilMs, signal: c.signal };
  const result = await askToSettle(c, c.unsettled, c.activities, options);
  if (result.kind === 'away') return false;
  if (result.kind === 'answered') c.budget = result.value.snapshot;
  // Refused even so: what stays open budget settles as unknown by itself (B15).
  else c.platform.logger.error({ run: c.run, ...result.error }, 'budget refused a settlement');
  c.unsettled = [];
  c.activities = [];
  return true;
}

/** One call that settles; a settlement that budget cannot take is told once more without its usage (B13). */
export async function askToSettle(
  c: RunContext,
  told: readonly Settlement[],
  activities: readonly ActivityReport[],
  options: AskOptions,
): Promise<Asked<ReplyOf<typeof settleContract>>> {
  return await orWithoutUsage(c, told, async (settlements) =>
    askOwner(
      c.platform.bus,
      settleContract,
      { run: c.run, holder: c.holder, epoch: c.epoch, settlements, activities: [...activities] },
      options,
    ),
  );
}

/** What a provider reports is its own; when it is what budget refuses, the outcome still counts and usage is unknown. */
async function orWithoutUsage<T>(
  c: RunContext,
  settlements: readonly Settlement[],
  ask: (settlements: Settlement[]) => Promise<Asked<T>>,
): Promise<Asked<T>> {
  const asked = await ask([...settlements]);
  if (asked.kind !== 'refused' || settlements.every((s) => s.usage === null)) return asked;
  c.platform.logger.error({ run: c.run, ...asked.error }, 'budget refused a settlement: told again without its usage');
  return await ask(settlements.map((s) => ({ ...s, usage: null })));
}
