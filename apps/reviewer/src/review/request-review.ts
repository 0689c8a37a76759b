/** One request of a review: fetch, render, reserve, intent, send, outcome (L4). */
import { setTimeout as pause } from 'node:timers/promises';
import { POLICIES } from '@waymark/contracts/policy';
import {
  ANTHROPIC_OUTPUT_CAP,
  classifyRetry,
  effectiveDeadlines,
  toSettlement,
  type EffectiveDeadlines,
  type ModelOutcome,
  type RetryDecision,
} from '@waymark/model';
import { MAX_ATTEMPTS } from '../core/decide-next.js';
import type { ReviewAnswered, ReviewRequested } from '../core/facts.js';
import { readVerdict } from '../core/read-verdict.js';
import { renderRequest, type RenderedRequest } from '../core/render-request.js';
import { notSent, reserve, settleAll, type Reserved } from './budget-calls.js';
import { failed, giveVerdict } from './give-verdict.js';
import type { ReviewContext } from './review-context.js';
import { LeaseLost } from './review-log.js';
import { sha256 } from './sha256.js';

const RETRY = { ...POLICIES.standard.retry, attemptsPerTurn: MAX_ATTEMPTS };
/** A longer wait is told to budget first (B5). */
const LONG_WAIT_MS = 5_000;
/** After a "too long" (C18). */
const REFIT_SHARE = 0.75;

type Granted = Extract<Reserved, { kind: 'granted' }>;
interface Prepared {
  readonly rendered: RenderedRequest;
  readonly bytes: Buffer;
  readonly report: ReviewRequested['report'];
  readonly blocks: readonly string[];
}

export async function requestReview(c: ReviewContext, request: number): Promise<void> {
  const prepared = await prepare(c);
  if (!prepared) return;
  const reserved = await reserve(c, request);
  if (reserved.kind === 'refused') return await giveVerdict(c, failed(reserved.code));
  const deadlines = deadlinesNow(c, reserved);
  const intended = await c.log.append([intentOf(c, request, prepared, reserved, deadlines)], {
    bodies: [prepared.bytes],
    unlessStopped: true,
  });
  if (!intended) {
    c.unsettled.push(notSent(reserved.grant.reservation));
    c.stopped = true;
    return;
  }
  c.attempts += 1;
  const outcome = await send(c, request, prepared.bytes, reserved);
  await takeOutcome(c, request, prepared, outcome);
}

/** The whole report, rendered to what the hard limit allows; null when the review ended here. */
async function prepare(c: ReviewContext): Promise<Prepared | null> {
  const { order, platform } = c;
  const untilMs = Math.max(0, c.deadlineLeftMs);
  const fetched = await platform.reports.fetch(c.run, { untilMs, signal: c.work.signal });
  c.checkLease();
  if (c.work.signal.aborted) return null;
  if (!fetched.ok) return await giveVerdict(c, failed(fetched.code)).then(() => null);
  const { report } = fetched;
  c.reportVersion = report.version;
  const rendered = renderRequest(
    { question: order.question, focus: order.focus, report },
    {
      api: platform.provider.api,
      model: platform.modelName ?? order.model,
      outputCap: outputCap(platform),
      language: order.language,
      hardLimitBytes: c.hardLimitBytes,
      markOf: (material) => sha256(material).toString('hex').slice(0, 16),
    },
  );
  if (!rendered) return await giveVerdict(c, failed('material_too_large')).then(() => null);
  const { textBytes, shownBytes } = rendered;
  return {
    rendered,
    bytes: Buffer.from(rendered.body),
    report: { version: report.version, blocks: report.blocks.length, textBytes, shownBytes },
    blocks: report.blocks.map(({ block }) => block),
  };
}

/** C9: as configured; none is invented where the API needs none. */
const outputCap = ({ provider, outputCap: cap }: ReviewContext['platform']): number | undefined =>
  cap ?? (provider.api === 'anthropic' ? ANTHROPIC_OUTPUT_CAP : undefined);

function intentOf(
  c: ReviewContext,
  request: number,
  { bytes, report }: Prepared,
  { grant }: Granted,
  { firstContentMs, progressMs, totalMs, leftMs, bound }: EffectiveDeadlines,
): ReviewRequested {
  return {
    type: 'ReviewRequested',
    request,
    key: grant.key,
    reservation: grant.reservation,
    model: c.platform.modelName ?? c.order.model,
    api: c.platform.provider.api,
    body: { digest: sha256(bytes).toString('hex'), bytes: bytes.length },
    hardLimitBytes: c.hardLimitBytes,
    report,
    deadlines: { firstContentMs, progressMs, totalMs, leftMs, bound },
  };
}

/** T2: the smallest of the order's deadlines, the review's own and what the grant leaves. */
function deadlinesNow(c: ReviewContext, { grant, receivedAt }: Granted): EffectiveDeadlines {
  const left = Math.max(0, c.deadlineLeftMs);
  const { firstContentMs, progressMs, totalMs } = c.order.deadlines;
  const own = {
    firstContentMs: Math.min(firstContentMs, left),
    progressMs: Math.min(progressMs, left),
    totalMs: Math.min(totalMs, left),
  };
  return effectiveDeadlines(own, grant.leftMs - (performance.now() - receivedAt), grant.bound);
}

async function send(c: ReviewContext, request: number, body: Buffer, granted: Granted): Promise<ModelOutcome> {
  c.checkLease();
  const { reservation } = granted.grant;
  const startMs = performance.now() - granted.receivedAt;
  const outcome = await c.platform.provider.send({
    api: c.platform.provider.api,
    body,
    id: `${c.order.review}/${c.epoch}/${request}`,
    deadlines: deadlinesNow(c, granted),
    signal: c.work.signal,
  });
  const endMs = performance.now() - granted.receivedAt;
  c.unsettled.push(toSettlement(reservation, outcome));
  c.activities.push({ reservation, intervals: [{ startMs, endMs }], closed: true });
  return outcome;
}

async function takeOutcome(
  c: ReviewContext,
  request: number,
  { rendered, blocks }: Prepared,
  outcome: ModelOutcome,
): Promise<void> {
  const { fact, bodies } = answered(request, outcome);
  const decision = classifyRetry(outcome, {
    ...{ phase: 'aside', attempt: c.attempts, retry: RETRY, parks: 0, refits: c.refits },
  });
  if (decision.do === 'accept') {
    const read = readVerdict(outcome.text, outcome.finish, blocks);
    const judged = read.ok ? { outcome: read.outcome, points: [...read.points], code: null } : failed(read.code);
    return await giveVerdict(c, judged, [fact], bodies);
  }
  const refit = decision.do === 'refit' && c.attempts < MAX_ATTEMPTS;
  if (decision.do !== 'retry' && decision.do !== 'stop' && !refit) {
    return await giveVerdict(c, failed(outcome.code ?? 'provider_error'), [fact], bodies);
  }
  await c.log.append([fact], { bodies });
  if (refit) {
    c.refits += 1;
    c.hardLimitBytes = Math.floor(rendered.bytes * REFIT_SHARE);
  }
  await waitFor(c, decision);
}

/** Back-off is wall time only; over 5 s the settlement goes alone first (B5). */
async function waitFor(c: ReviewContext, decision: RetryDecision): Promise<void> {
  if (decision.do !== 'retry') return;
  const ms = Math.min(decision.waitMs, Math.max(0, c.deadlineLeftMs));
  if (ms > LONG_WAIT_MS) await settleAll(c, LONG_WAIT_MS);
  await pause(ms, undefined, { signal: c.work.signal }).catch(() => undefined);
  if (c.life.signal.aborted) throw new LeaseLost('the lease is over');
}

function answered(request: number, outcome: ModelOutcome): { fact: ReviewAnswered; bodies: Buffer[] } {
  const { text, content, code, status, usage } = outcome;
  const bytes = Buffer.from(text.toWellFormed());
  const answer = bytes.length === 0 ? null : { digest: sha256(bytes).toString('hex'), bytes: bytes.length };
  return {
    fact: { type: 'ReviewAnswered', request, outcome: outcome.outcome, content, code, status, usage, answer },
    bodies: answer ? [bytes] : [],
  };
}
