/**
 * The ending: a sequence of keyed steps that any owner resumes (L10): `RunEnding` → close the budget → settle → stop
 * reviews → close the report → `RunEnded`. An owner that is away is waited for; the run stays `ending`. An owner that
 * refuses is not: it gets what it can take, the log says so, and the run ends.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  close as closeBudget,
  open as openBudget,
  type OpenReservation,
  type Settlement,
} from '@waymark/contracts/budget';
import { close as closeReport, MAX_CLOSING_BYTES, open as openReport } from '@waymark/contracts/publication';
import { stopReviews } from '@waymark/contracts/reviewer';
import { storedAnswer, textOf, type TextRef } from '@waymark/record';
import { cutClosing, type CutText } from '../core/cut-closing.js';
import { closingLeftOut, decideEnding, nextEndingStep, type EndingStep } from '../core/decide-ending.js';
import type { EndCause } from '../core/decide-next.js';
import { gapsNow } from '../core/write-gaps.js';
import { askOwner, type Asked } from '@waymark/messaging';
import { MissingBody } from './body-cache.js';
import { confirmOpenWrites, take } from './publication-tools.js';
import { askToSettle, settleAlone } from './reserve.js';
import type { RunContext } from './run-context.js';
import { LeaseLost } from './run-log.js';

const TRY_MS = 3_000;
const STEP_MS = 20_000;
const BETWEEN_MS = 1_000;
/** A reviewer that is not there has nothing to stop: the budget is closed already. */
const REVIEWER_MS = 2_000;
const CONFIRM_MS = 5_000;

/** A stop that was acknowledged before this commit wins over every other cause (L6, F-T3). */
export async function beginEnding(c: RunContext, cause: EndCause | 'stopped'): Promise<void> {
  if (c.state.unconfirmed.length > 0) await confirmOpenWrites(c, CONFIRM_MS);
  const cut = await closingCut(c, c.state.closing?.text ?? null);
  c.platform.failpoint('before:ending');
  const ending = (why: EndCause) => {
    const fact = decideEnding(c.state, why, cut);
    const view = JSON.stringify({ outcome: fact.outcome, code: fact.code, reason: fact.reason });
    return { fact, patch: { state: 'ending', view } } as const;
  };
  if (cause !== 'stopped') {
    const { fact, patch } = ending(cause);
    if ((await c.log.appendUnlessCancelled(fact, { patch })) === 'cancelled') c.cancelled = true;
  }
  if (c.state.phase !== 'ending') {
    const { fact, patch } = ending({ kind: 'cancelled', reason: await c.platform.stopReason(c.run) });
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

/** Each is true when it is done, false while its owner is away. */
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
    const settled = await askToSettle(c, mine, [], ending(c));
    return settled.kind === 'away' ? false : taken(c, settled);
  },
  reviews_stopped: async (c) => {
    if (c.state.review.dispatched === 0) return true;
    const stopped = await askOwner(c.platform.bus, stopReviews, { run: c.run }, { ...ending(c), untilMs: REVIEWER_MS });
    return stopped.kind === 'away' || taken(c, stopped); // one that is away has nothing to stop: the budget is closed
  },
  report_closed: async (c) => {
    const { policy, language, question } = c.admitted;
    await c.bodies.load([question]);
    const report = {
      run: c.run,
      question: textOf(question, (ref) => c.bodies.get(ref)),
      language,
      revisions: policy.revisions,
      policyVersion: policy.version,
      epoch: c.epoch,
    };
    let opened = await askOwner(c.platform.bus, openReport, report, ending(c));
    if (opened.kind === 'refused') {
      taken(c, opened);
      // Nothing is revised any more; without its numbers the report can still be had.
      const bare = { ...report, revisions: { perBlock: 0, perRun: 0 } };
      opened = await askOwner(c.platform.bus, openReport, bare, ending(c));
    }
    if (opened.kind === 'away') return false;
    if (opened.kind === 'refused') return taken(c, opened);
    take(c, opened.value.snapshot);
    // A write that was on its way when the ending was decided has arrived, or is refused, or is made now (P9).
    if (c.state.unconfirmed.length > 0 && !(await confirmOpenWrites(c, STEP_MS))) return false;
    return await closeTheReport(c);
  },
};

const ending = (c: RunContext) => ({ tryMs: TRY_MS, untilMs: STEP_MS, signal: c.signal });

/** Said, and gone on from: a refusal stays one, however often it is asked. */
function taken(c: RunContext, asked: Exclude<Asked<unknown>, { kind: 'away' }>): true {
  if (asked.kind === 'refused') {
    c.platform.logger.error(
      { run: c.run, ...asked.error },
      'an owner refused a step of the ending: it goes on without',
    );
  }
  return true;
}

async function closeTheReport(c: RunContext): Promise<boolean> {
  const decided = c.state.ending;
  if (!decided) return true;
  const gaps = gapsNow(c.state);
  const request = {
    run: c.run,
    epoch: c.epoch,
    outcome: decided.outcome,
    code: decided.code,
    reason: decided.reason,
    closing: (await closingCut(c, decided.closing))?.text ?? null,
    gaps,
  };
  let closed = await askOwner(c.platform.bus, closeReport, request, ending(c));
  if (closed.kind === 'refused') {
    taken(c, closed);
    const bare = {
      ...request,
      closing: null,
      gaps: [closingLeftOut(c.state, closed.error.code), ...gaps.slice(0, 20)],
    };
    closed = await askOwner(c.platform.bus, closeReport, bare, ending(c));
  }
  if (closed.kind === 'away') return false;
  if (closed.kind === 'refused') return taken(c, closed);
  if (closed.value.outcome === 'fenced') throw new LeaseLost('publication has seen a higher epoch');
  return true;
}

/**
 * Closes the budget for all holders (B15) and returns what is still open, or null while budget does not answer. A run
 * that ends before its ledger was opened gets one that is closed, so that nobody can open it later; when budget refuses
 * even that, there is nothing that it could grant.
 */
async function closeLedger(c: RunContext): Promise<readonly OpenReservation[] | null> {
  const request = { run: c.run, epoch: c.epoch, reason: c.state.ending?.code.slice(0, 200) ?? 'ended' };
  let closed = await askOwner(c.platform.bus, closeBudget, request, ending(c));
  if (closed.kind === 'refused' && closed.error.code === 'unknown_run') {
    const { limits, version } = c.admitted.policy;
    const ledger = { run: c.run, limits, policyVersion: version, admittedAgeMs: c.admittedAgeMs };
    const opened = await askOwner(c.platform.bus, openBudget, ledger, ending(c));
    if (opened.kind === 'away') return null;
    if (opened.kind === 'refused') return taken(c, opened) && [];
    closed = await askOwner(c.platform.bus, closeBudget, request, ending(c));
  }
  if (closed.kind === 'away') return null;
  if (closed.kind === 'refused') return taken(c, closed) && [];
  if (closed.value.outcome === 'fenced') throw new LeaseLost('budget has seen a higher epoch');
  c.budget = closed.value.snapshot;
  return closed.value.open;
}

/** The closing text as a report can take it; null when there is none, or its body is gone. */
async function closingCut(c: RunContext, ref: TextRef | null): Promise<CutText | null> {
  if (!ref || ref.bytes === 0) return null;
  try {
    await c.bodies.load([ref]);
  } catch (error) {
    if (!(error instanceof MissingBody)) throw error;
    c.platform.logger.error({ run: c.run, err: error }, 'the closing text is gone');
    return null;
  }
  const lookup = (r: TextRef) => c.bodies.get(r);
  const text = c.state.closing?.how === 'text' ? storedAnswer(ref, lookup).text : textOf(ref, lookup);
  return cutClosing(text, MAX_CLOSING_BYTES);
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
