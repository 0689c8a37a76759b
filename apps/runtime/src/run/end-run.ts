/**
 * The ending: a sequence of keyed steps that any owner resumes (L10): `RunEnding` → close the budget → settle → stop
 * reviews → close the report → `RunEnded`. An owner that is away is waited for; the run stays `ending`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  close as closeBudget,
  open as openBudget,
  settle,
  type OpenReservation,
  type Settlement,
} from '@waymark/contracts/budget';
import { close as closeReport, open as openReport } from '@waymark/contracts/publication';
import { stopReviews } from '@waymark/contracts/reviewer';
import { storedAnswer, textOf } from '@waymark/record';
import { decideEnding, nextEndingStep, type EndingStep } from '../core/decide-ending.js';
import type { EndCause } from '../core/decide-next.js';
import { askOwner } from '@waymark/messaging';
import { confirmOpenWrites } from './publication-tools.js';
import { settleAlone } from './reserve.js';
import type { RunContext } from './run-context.js';
import { LeaseLost } from './run-log.js';

const TRY_MS = 3_000;
const STEP_MS = 20_000;
const BETWEEN_MS = 1_000;
/** A reviewer that is not there has nothing to stop: the budget is closed already. */
const REVIEWER_MS = 2_000;
const CONFIRM_MS = 5_000;

/** A stop that was acknowledged before this commit wins over every other cause (L6, F-T3). */
export async function beginEnding(c: RunContext, cause: EndCause): Promise<void> {
  if (c.state.unconfirmed.length > 0) await confirmOpenWrites(c, CONFIRM_MS);
  c.platform.failpoint('before:ending');
  const ending = (why: EndCause) => {
    const fact = decideEnding(c.state, why);
    const view = JSON.stringify({ outcome: fact.outcome, code: fact.code, reason: fact.reason });
    return { fact, patch: { state: 'ending', view } } as const;
  };
  if (cause.kind !== 'cancelled') {
    const { fact, patch } = ending(cause);
    if ((await c.log.appendUnlessCancelled(fact, { patch })) === 'cancelled') c.cancelled = true;
  }
  if (c.state.phase !== 'ending') {
    const { fact, patch } = ending({ kind: 'cancelled' });
    await c.log.append([fact], { patch });
  }
  c.platform.failpoint('after:ending');
}

/** Goes on until the run is ended, or the lease is lost. */
export async function continueEnding(c: RunContext): Promise<void> {
  for (let step = nextEndingStep(c.state); step !== null; step = nextEndingStep(c.state)) {
    c.platform.failpoint(`before:${step}`);
    if (await STEPS[step](c)) {
      await c.log.append([{ type: 'EndingStepDone', step }]);
      c.platform.failpoint(`after:${step}`);
      continue;
    }
    if (c.signal.aborted) throw new LeaseLost(c.log.lost ?? 'the replica was told to go');
    c.platform.logger.warn({ run: c.run, step }, 'the ending waits for an owner');
    await pause(BETWEEN_MS, undefined, { signal: c.signal }).catch(() => undefined);
  }
  const ending = c.state.ending;
  if (!ending || c.state.phase === 'ended') return;
  c.platform.failpoint('before:ended');
  const view = JSON.stringify({ phase: 'ended', endedAt: new Date().toISOString() });
  await c.log.append([{ type: 'RunEnded', outcome: ending.outcome, code: ending.code }], {
    patch: { state: 'ended', release: true, view },
  });
  c.platform.failpoint('after:ended');
}

const STEPS: Readonly<Record<EndingStep, (c: RunContext) => Promise<boolean>>> = {
  budget_closed: async (c) => {
    await settleAlone(c, TRY_MS);
    return (await closeLedger(c)) !== null;
  },
  settled: async (c) => {
    const open = await closeLedger(c);
    if (open === null) return false;
    // Reviews settle their own; what they leave open budget settles by itself (B15).
    const mine = open.filter((r) => r.holder === c.holder).map((r) => settlementFromRecord(c, r));
    if (mine.length === 0) return true;
    const settled = await askOwner(
      c.platform.bus,
      settle,
      { run: c.run, holder: c.holder, epoch: c.epoch, settlements: mine, activities: [] },
      { tryMs: TRY_MS, untilMs: STEP_MS, signal: c.signal },
    );
    return settled.ok;
  },
  reviews_stopped: async (c) => {
    if (c.state.review.dispatched === 0) return true;
    await askOwner(
      c.platform.bus,
      stopReviews,
      { run: c.run },
      { tryMs: TRY_MS, untilMs: REVIEWER_MS, signal: c.signal },
    );
    return true;
  },
  report_closed: async (c) => {
    const ending = c.state.ending;
    if (!ending) return true;
    const { policy, language, question } = c.admitted;
    await c.bodies.load([question]);
    const opened = await askOwner(
      c.platform.bus,
      openReport,
      {
        run: c.run,
        question: textOf(question, (ref) => c.bodies.get(ref)),
        language,
        revisions: policy.revisions,
        policyVersion: policy.version,
        epoch: c.epoch,
      },
      { tryMs: TRY_MS, untilMs: STEP_MS, signal: c.signal },
    );
    if (!opened.ok) return false;
    const reply = await askOwner(
      c.platform.bus,
      closeReport,
      {
        run: c.run,
        epoch: c.epoch,
        outcome: ending.outcome,
        code: ending.code,
        reason: ending.reason,
        closing: await closingText(c),
        gaps: [...ending.gaps],
      },
      { tryMs: TRY_MS, untilMs: STEP_MS, signal: c.signal },
    );
    if (!reply.ok) return false;
    if (reply.value.outcome === 'fenced') throw new LeaseLost('publication has seen a higher epoch');
    return true;
  },
};

/**
 * Closes the budget for all holders (B15) and returns what is still open, or null while budget does not answer. A run
 * that ends before its ledger was opened gets one that is closed, so that nobody can open it later.
 */
async function closeLedger(c: RunContext): Promise<readonly OpenReservation[] | null> {
  const options = { tryMs: TRY_MS, untilMs: STEP_MS, signal: c.signal };
  const request = { run: c.run, epoch: c.epoch, reason: c.state.ending?.code ?? 'ended' };
  let reply = await askOwner(c.platform.bus, closeBudget, request, options);
  if (!reply.ok && reply.error.code === 'unknown_run') {
    const { limits, version } = c.admitted.policy;
    const ledger = { run: c.run, limits, policyVersion: version, admittedAgeMs: c.admittedAgeMs };
    const opened = await askOwner(c.platform.bus, openBudget, ledger, options);
    if (!opened.ok) return null;
    reply = await askOwner(c.platform.bus, closeBudget, request, options);
  }
  if (!reply.ok) return null;
  if (reply.value.outcome === 'fenced') throw new LeaseLost('budget has seen a higher epoch');
  c.budget = reply.value.snapshot;
  return reply.value.open;
}

async function closingText(c: RunContext): Promise<string | null> {
  const ref = c.state.ending?.closing;
  if (!ref || ref.bytes === 0) return null;
  await c.bodies.load([ref]);
  if (c.state.closing?.how === 'text') return storedAnswer(ref, (r) => c.bodies.get(r)).text;
  return textOf(ref, (r) => c.bodies.get(r));
}

/** What the record says of a reservation that budget still holds open (crash table). */
export function settlementFromRecord(c: RunContext, r: OpenReservation): Settlement {
  const done = c.state.recent.find((x) => x.reservation === r.reservation);
  if (done)
    return {
      reservation: r.reservation,
      outcome: done.outcome,
      content: done.content,
      code: done.code,
      usage: done.usage,
    };
  if (c.state.open?.reservation === r.reservation) {
    return { reservation: r.reservation, outcome: 'unknown', content: false, code: 'owner_died', usage: null };
  }
  return { reservation: r.reservation, outcome: 'not_sent', content: false, code: 'no_intent', usage: null };
}
