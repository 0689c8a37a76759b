/** What a new owner does first: opens by key, takes its holder over, and settles what its predecessor left (crash table). */
import { open as openBudget, takeOver } from '@waymark/contracts/budget';
import { open as openReport } from '@waymark/contracts/publication';
import type { Claim } from '@waymark/persistence/holder';
import { textOf } from '@waymark/record';
import { askOwner, type Asked } from '@waymark/messaging';
import { settlementFromRecord } from './end-run.js';
import { take } from './publication-tools.js';
import type { RunContext } from './run-context.js';
import { LeaseLost } from './run-log.js';

const TRY_MS = 2_000;

/** `away`: asking again later may help. `refused`: this owner will never take the run as it is, so it cannot go on. */
export type Recovered =
  | { readonly kind: 'ready' }
  | { readonly kind: 'away'; readonly code: 'budget_away' | 'publication_away' }
  | { readonly kind: 'refused'; readonly code: 'budget_refused' | 'publication_refused'; readonly detail: string };

export async function recover(c: RunContext, claim: Claim): Promise<Recovered> {
  const { bus, config, failpoint } = c.platform;
  const { policy, language, question } = c.admitted;
  const options = { tryMs: TRY_MS, untilMs: config.BUDGET_WAIT_MS, signal: c.signal };
  const limits = policy.limits;
  failpoint('after:claim');
  await c.bodies.load([question]);
  const [budget, report] = await Promise.all([
    askOwner(
      bus,
      openBudget,
      { run: c.run, limits, policyVersion: policy.version, admittedAgeMs: c.admittedAgeMs },
      options,
    ),
    askOwner(
      bus,
      openReport,
      {
        run: c.run,
        question: textOf(question, (ref) => c.bodies.get(ref)),
        language,
        revisions: policy.revisions,
        policyVersion: policy.version,
        epoch: c.epoch,
      },
      options,
    ),
  ]);
  failpoint('after:open');
  if (report.kind === 'answered') take(c, report.value.snapshot);
  if (budget.kind !== 'answered') return failure('budget', budget);
  if (report.kind !== 'answered') return failure('publication', report);
  return await takeOverHolder(c, claim, config.BUDGET_WAIT_MS);
}

/** Fences the dead owner at budget, closes its activities, and takes over what it left open (B6, B15). */
export async function takeOverHolder(c: RunContext, claim: Claim, untilMs: number): Promise<Recovered> {
  const taken = await askOwner(
    c.platform.bus,
    takeOver,
    {
      run: c.run,
      holder: c.holder,
      epoch: c.epoch,
      heartbeatAgeMs: Math.max(0, claim.heartbeatAgeMs ?? 0),
      leaseEndAgeMs: Math.max(0, claim.leaseEndAgeMs ?? 0),
    },
    { tryMs: TRY_MS, untilMs, signal: c.signal },
  );
  if (taken.kind !== 'answered') return failure('budget', taken);
  if (taken.value.outcome === 'fenced') throw new LeaseLost('budget has seen a higher epoch');
  c.budget = taken.value.snapshot;
  c.platform.failpoint('after:take-over');
  for (const reservation of taken.value.open) {
    if (reservation.holder === c.holder) c.unsettled.push(settlementFromRecord(c, reservation));
  }
  return { kind: 'ready' };
}

function failure(owner: 'budget' | 'publication', asked: Exclude<Asked<unknown>, { kind: 'answered' }>): Recovered {
  if (asked.kind === 'away') return { kind: 'away', code: `${owner}_away` };
  const { code, message, field } = asked.error;
  const detail = `${owner} does not take this run: ${code}, ${message}${field === undefined ? '' : ` (${field})`}`;
  return { kind: 'refused', code: `${owner}_refused`, detail };
}

/** An intent without an outcome: nobody can say whether it was read. The run goes on with a new request (L4). */
export async function recordUnknown(c: RunContext): Promise<void> {
  const open = c.state.open;
  if (!open) return;
  await c.log.append([
    {
      type: 'RequestSettled',
      request: open.request,
      outcome: 'unknown',
      content: false,
      code: 'owner_died',
      status: null,
      delivery: 'uncertain',
      answer: null,
      empty: false,
      finish: null,
      usage: null,
      actions: [],
      ms: { firstContent: null, total: 0 },
    },
  ]);
}
