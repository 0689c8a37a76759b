/** The loop of one run under one lease: recover, then turn after turn until it ends, parks or is handed over. */
import type { Claim } from '@waymark/persistence/holder';
import { classifyRetry, type ModelOutcome, type RetryDecision } from '@waymark/model';
import type { MainPurpose } from '@waymark/record';
import { decideNext, type EndCause } from '../core/decide-next.js';
import { REDUCER_VERSION } from '../core/run-state.js';
import { backOff, untilLimitMs, untilOutputTimeMs } from './back-off.js';
import { composeNotices } from './compose-notices.js';
import { considerCandidate, noteOverdue } from './dispatch-review.js';
import { beginEnding, continueEnding } from './end-run.js';
import { snapshotBytes } from './load-run.js';
import { prepareContent } from './prepare-content.js';
import { recordUnknown, recover, takeOverHolder, type Recovered } from './recover.js';
import { reserve, settleAlone } from './reserve.js';
import { runActions } from './run-actions.js';
import type { HeldGrant, RunContext } from './run-context.js';
import { LeaseLost } from './run-log.js';
import { sendRequest } from './send-request.js';
import { takeInbox } from './take-inbox.js';

/** How this replica's part in the run ended. */
export type Driven = 'ended' | 'parked' | 'handed-over';

/** Records between two snapshots: about 350 turns, a tenth of a second of reading. */
const SNAPSHOT_EVERY = 1_500;
const SETTLE_MS = 5_000;
/** A run that waits for an owner looks again after this, ms. */
const AWAY_PARK_MS = 5_000;
/** Budget is asked for so long to take over a run that only ends. */
const LEAVING_WAIT_MS = 5_000;
/** The hard limit falls to this share of the body that the provider called too long (C18). */
const TOO_LONG_SHARE = 0.75;
/** Below this a hard limit has no use; the run finishes instead. */
const SMALLEST_HARD_BYTES = 8 * 1024;

export async function driveRun(c: RunContext, claim: Claim): Promise<Driven> {
  if (claim.claims > c.platform.config.CLAIMS_WITHOUT_RECORD && c.state.phase !== 'ending') {
    c.platform.logger.error({ run: c.run, claims: claim.claims }, 'set aside: claims without a new record');
    await beginEnding(c, { kind: 'set_aside', claims: claim.claims - 1 });
  }
  if (c.state.phase === 'ending' || c.cancelled) {
    // Only the ending is before it: that needs no grant, and its steps meet what is missing or away.
    await takeOverHolder(c, claim, LEAVING_WAIT_MS);
    await recordUnknown(c);
  } else {
    const recovered = await recover(c, claim);
    if (recovered.kind === 'away' && mayWait(c)) return await park(c, recovered.code, AWAY_PARK_MS, false);
    await recordUnknown(c);
    if (recovered.kind !== 'ready' && !c.cancelled) await endUnrecovered(c, recovered);
  }
  if (c.state.parked) c.log.note({ type: 'RunWoken' });
  for (;;) {
    await takeInbox(c);
    noteOverdue(c);
    if (c.log.lost !== null) throw new LeaseLost(c.log.lost);
    if (c.draining && c.state.phase !== 'ending') return await handOver(c);
    if (c.state.seq - c.snapshotSeq >= SNAPSHOT_EVERY) await saveSnapshot(c);
    const next = decideNext(c.state, c.cancelled);
    if (next.do !== 'run-actions') await c.outcome;
    switch (next.do) {
      case 'continue-ending':
        await continueEnding(c);
        return 'ended';
      case 'cancel':
        await beginEnding(c, 'stopped');
        break;
      case 'end':
        await beginEnding(c, next.cause);
        break;
      case 'finish-phase':
        toFinishing(c, next.code, next.reason);
        break;
      case 'run-actions':
        await runActions(c);
        await considerCandidate(c);
        break;
      case 'request': {
        const driven = await mainRequest(c, next.purpose);
        if (driven) return driven;
        break;
      }
      default:
        next satisfies never;
    }
  }
}

/** A stopped run, and one past its wall limit, waits for no owner to go on: it ends. */
const mayWait = (c: RunContext): boolean => !c.cancelled && untilLimitMs(c) > 0;

/** An owner will never take this run, or did not come back before its wall limit (L10, L11). */
async function endUnrecovered(c: RunContext, recovered: Exclude<Recovered, { kind: 'ready' }>): Promise<void> {
  if (recovered.kind === 'refused') {
    c.platform.logger.error({ run: c.run, code: recovered.code, detail: recovered.detail }, 'the run cannot go on');
    await end(c, recovered.code, recovered.detail);
    return;
  }
  const { userDeadlineMs, wallMs } = c.admitted.policy.limits;
  const user = userDeadlineMs !== null && userDeadlineMs < wallMs;
  const what = recovered.code === 'budget_away' ? 'the budget' : 'publication';
  await end(
    c,
    user ? 'user_deadline_over' : 'wall_time_over',
    `${what} did not answer, and the ${user ? 'user deadline' : 'wall clock limit'} is over`,
  );
}

/** Steps 2 to 7 of one attempt. Returns how the run left this replica, or null to go on. */
async function mainRequest(c: RunContext, purpose: MainPurpose): Promise<Driven | null> {
  const prepared = await prepareContent(c, purpose);
  if (!prepared.fits) {
    await end(
      c,
      'content_too_large',
      `the smallest request has ${prepared.content} bytes, over the hard limit of ${c.state.hard}`,
    );
    return null;
  }
  if (c.cancelled) return null;
  // Another run or replica was told to wait by this provider: nothing is reserved for a request that would be refused.
  const paused = await c.platform.hot.pausedMs(c.platform.config.MODEL_URL);
  if (paused > c.admitted.policy.retry.retryAfterParkMs && purpose === 'explore') {
    return await park(c, 'provider_paused', paused, false);
  }
  if (paused > 0 && paused >= untilLimitMs(c)) {
    await end(c, 'provider_paused', 'the model provider asked to wait for longer than the run may last');
    return null;
  }
  if (paused > 0 && !(await backOff(c, paused))) return null;
  const reserved = await reserve(c, purpose);
  if (reserved.kind === 'away')
    return c.cancelled || c.signal.aborted ? null : await park(c, 'budget_away', AWAY_PARK_MS, false);
  if (reserved.kind === 'unusable') {
    await end(c, 'budget_refused', `budget does not take the request: ${reserved.code}, ${reserved.message}`);
    return null;
  }
  if (reserved.kind === 'refused') {
    const { code, message } = reserved.refusal;
    if (code === 'closed') {
      if (!c.cancelled) await end(c, 'budget_closed', message);
    } else if (purpose === 'explore') toFinishing(c, code, message);
    else await end(c, code, message);
    return null;
  }
  const { held } = reserved;
  const notices = await composeNotices(c, held, purpose, prepared.content);
  const serialized = await c.content.serialize(c.state.transcript, purpose, notices.text);
  const sent = await sendRequest(c, held, {
    purpose,
    turn: c.state.turn + 1,
    attempt: c.state.attempt + 1,
    serialized,
    contentBytes: prepared.content,
    notices,
  });
  c.bodies.settle();
  if (sent.kind === 'cancelled') return null;
  if (sent.bodyFree) c.content.release(serialized.body);
  if (sent.outcome.outcome === 'completed') {
    c.freshTurn = c.state.turn;
    return null;
  }
  c.candidate = null;
  return await afterFailure(
    c,
    sent.outcome,
    sent.fact.code,
    leftToRetryMs(c, held, sent.outcome),
    serialized.body.length,
  );
}

/** A further attempt shares what its turn has left; the next finishing turn has a share of its own (B4). */
function leftToRetryMs(c: RunContext, held: HeldGrant, { outcome, content }: ModelOutcome): number {
  const all = outcome === 'unknown' || content ? untilLimitMs(c) : held.grant.leftMs;
  return all - held.activity.elapsedMs;
}

async function afterFailure(
  c: RunContext,
  outcome: ModelOutcome,
  code: string | null,
  leftMs: number,
  bodyBytes: number,
): Promise<Driven | null> {
  const phase = c.state.phase === 'exploring' ? 'exploring' : 'finishing';
  if (outcome.code === 'rate_limited' && outcome.retryAfterMs) {
    c.platform.hot.pause(c.platform.config.MODEL_URL, outcome.retryAfterMs);
  }
  const decision: RetryDecision = classifyRetry(outcome, {
    phase,
    attempt: c.state.attempt,
    retry: c.admitted.policy.retry,
    parks: c.state.parksInRow,
    refits: c.state.hardLowered,
    leftMs: Math.max(0, leftMs),
  });
  const why = `the model provider could not be used (${code ?? outcome.outcome})`;
  switch (decision.do) {
    case 'accept':
      return null;
    case 'retry':
    case 'next_finish':
      await backOff(c, decision.waitMs);
      return null;
    case 'refit': {
      const to = Math.floor(bodyBytes * TOO_LONG_SHARE);
      if (to < SMALLEST_HARD_BYTES) {
        if (phase === 'exploring') toFinishing(c, 'too_long', why);
        else await end(c, 'too_long', why);
        return null;
      }
      c.log.note({ type: 'HardLimitLowered', from: c.state.hard, to, request: c.state.requests });
      return null;
    }
    case 'park': {
      if (decision.then === 'finishing') toFinishing(c, code ?? 'provider_unusable', why);
      return await park(c, code ?? 'provider_unusable', decision.waitMs, true);
    }
    case 'finish':
      toFinishing(c, decision.code, why);
      return null;
    case 'close':
      await end(c, decision.code, why);
      return null;
    case 'give_up':
      await end(c, decision.code, why);
      return null;
    case 'stop':
      return null;
    default:
      decision satisfies never;
      return null;
  }
}

async function end(c: RunContext, code: string, detail: string): Promise<void> {
  const cause: EndCause = { kind: 'runtime_closes', code, detail };
  await beginEnding(c, cause);
}

function toFinishing(c: RunContext, code: string, reason: string): void {
  c.log.note({ type: 'PhaseChanged', phase: 'finishing', code, reason: reason.slice(0, 500).toWellFormed() });
  c.quiet = null;
  c.candidate = null;
}

/** Settles alone, then one commit that parks with a durable wake-up and gives the lease up. */
async function park(c: RunContext, code: string, ms: number, counted: boolean): Promise<Driven> {
  await settleAlone(c, counted ? SETTLE_MS : 1);
  const forMs = Math.round(Math.min(ms, Math.max(1_000, untilOutputTimeMs(c))));
  const round = counted ? c.state.parksInRow + 1 : c.state.parksInRow;
  c.platform.failpoint('before:park');
  await c.log.append([{ type: 'RunParked', round, forMs, code: code.toWellFormed(), counted }], {
    patch: { state: 'parked', wakeInMs: forMs, release: true },
  });
  c.platform.failpoint('after:park');
  return 'parked';
}

async function handOver(c: RunContext): Promise<Driven> {
  await settleAlone(c, SETTLE_MS);
  await saveSnapshot(c);
  return 'handed-over';
}

/** A cache outside the chain, written off the path; of a state that is committed. */
async function saveSnapshot(c: RunContext): Promise<void> {
  const { state, log } = c;
  await log.append([]); // what is on its way, and what waits for the next commit
  if (!log.settled) return;
  c.snapshotSeq = state.seq;
  c.platform.records
    .saveSnapshot(c.run, state.seq, Buffer.from(state.head, 'hex'), REDUCER_VERSION, snapshotBytes(state))
    .catch((error: unknown) => c.platform.logger.warn({ run: c.run, err: error }, 'no snapshot was saved'));
}
