/** Steps 5 to 7: intent, exactly those bytes, outcome (L4, R8). One protocol for every purpose. */
import { effectiveDeadlines, endedStage, toSettlement, type ModelOutcome } from '@waymark/model';
import {
  deliveryOf,
  encodeAnswer,
  type NoticesRecord,
  type RequestIntended,
  type RequestPurpose,
  type RequestSettled,
  type StoredAnswer,
} from '@waymark/record';
import { distinctCalls } from '../core/distinct-calls.js';
import { hasWords } from '../core/has-words.js';
import { toolKind } from '../tools/tool-list.js';
import type { Serialized } from './request-content.js';
import type { HeldGrant, RunContext } from './run-context.js';
import { LeaseLost } from './run-log.js';

export interface Prepared {
  readonly purpose: RequestPurpose;
  readonly turn: number;
  readonly attempt: number;
  readonly serialized: Serialized;
  readonly contentBytes: number;
  readonly notices: NoticesRecord;
  readonly interval?: RequestIntended['interval'];
}

export type Sent =
  | {
      readonly kind: 'sent';
      readonly outcome: ModelOutcome;
      readonly fact: RequestSettled;
      readonly answer: StoredAnswer;
      /** Nobody reads the body's memory any more. */
      readonly bodyFree: boolean;
    }
  /** The run was stopped before the intent: nothing was sent. */
  | { readonly kind: 'cancelled' };

export async function sendRequest(c: RunContext, held: HeldGrant, p: Prepared): Promise<Sent> {
  const { failpoint, logger } = c.platform;
  const request = c.state.requests + 1;
  const deadlines = effectiveDeadlines(
    c.admitted.policy.deadlines,
    held.grant.leftMs - held.activity.elapsedMs,
    held.grant.bound,
  );
  const intent: RequestIntended = {
    type: 'RequestIntended',
    request,
    turn: p.turn,
    attempt: p.attempt,
    purpose: p.purpose,
    reservation: held.grant.reservation,
    key: held.grant.key,
    grant: { version: held.snapshot.version, leftMs: Math.round(held.grant.leftMs), bound: held.grant.bound },
    deadlines: {
      firstContentMs: Math.round(deadlines.firstContentMs),
      progressMs: Math.round(deadlines.progressMs),
      totalMs: Math.round(deadlines.totalMs),
    },
    digest: p.serialized.digest,
    bytes: p.serialized.body.length,
    parts: p.serialized.sizes,
    content: p.contentBytes,
    hard: c.state.hard,
    notices: p.notices,
    ...(p.interval ? { interval: p.interval } : {}),
    inbox: c.state.inbox,
  };
  failpoint('before:intent');
  const view = JSON.stringify({ requests: request, phase: c.state.phase });
  if ((await c.log.appendUnlessCancelled(intent, { patch: { view } })) === 'cancelled') {
    c.cancelled = true;
    return { kind: 'cancelled' };
  }
  held.used = true;
  failpoint('after:intent');
  if (c.leaseLeftMs() <= 0) throw new LeaseLost('the lease ended by this owner’s own clock');
  const end = held.activity.begin();
  let outcome: ModelOutcome;
  let bodyFree = false;
  try {
    outcome = await c.platform.provider.send({
      api: c.admitted.model.dialect,
      body: p.serialized.body,
      id: `${c.run}/${request}`,
      deadlines: {
        firstContentMs: deadlines.firstContentMs,
        progressMs: deadlines.progressMs,
        totalMs: deadlines.totalMs,
      },
      signal: c.signal,
      onBodySent: () => (bodyFree = true),
      onFirstContent: () => failpoint('mid:request'),
    });
  } finally {
    end();
  }
  failpoint('before:outcome');
  if (c.signal.aborted && c.log.lost !== null) throw new LeaseLost(c.log.lost);
  const { fact, answer, bodies } = settledFact(c, request, p, outcome, endedStage(outcome.code, deadlines));
  c.unsettled.push({ ...toSettlement(held.grant.reservation, outcome), code: fact.code });
  c.log.note(fact, bodies);
  const answered = p.purpose !== 'summarize' && outcome.outcome === 'completed';
  const commit = c.log.append([], answered ? { patch: { view: JSON.stringify({ turns: p.turn }) } } : {});
  c.outcome = commit.then(() => failpoint('after:outcome'));
  c.outcome.catch(() => undefined); // told to whoever waits for it
  if (!answered) await c.outcome;
  if (outcome.outcome !== 'completed') {
    logger.info(
      { run: c.run, request, outcome: outcome.outcome, code: fact.code, detail: outcome.detail },
      'request did not complete',
    );
  }
  return { kind: 'sent', outcome, fact, answer, bodyFree };
}

function settledFact(c: RunContext, request: number, p: Prepared, outcome: ModelOutcome, code: string | null) {
  const completed = outcome.outcome === 'completed';
  const answer: StoredAnswer = { text: outcome.text, calls: distinctCalls(outcome.calls) };
  const empty = !hasWords(outcome.text) && answer.calls.length === 0;
  const stored = completed && (!empty || p.purpose === 'summarize') ? c.bodies.putBytes(encodeAnswer(answer)) : null;
  const main = p.purpose !== 'summarize';
  const fact: RequestSettled = {
    type: 'RequestSettled',
    request,
    outcome: outcome.outcome,
    content: outcome.content,
    code: code?.toWellFormed() ?? null,
    status: outcome.status,
    delivery: deliveryOf(outcome),
    answer: stored?.ref ?? null,
    empty,
    finish: outcome.finish,
    usage: outcome.usage,
    actions:
      completed && main
        ? answer.calls.map((call, i) => ({
            action: `${p.turn}.${i}`,
            tool: call.name,
            kind: toolKind(call.name),
          }))
        : [],
    ms: {
      firstContent: outcome.timings.firstContentMs === null ? null : Math.round(outcome.timings.firstContentMs),
      total: Math.round(outcome.timings.totalMs),
    },
  };
  return { fact, answer, bodies: stored ? [stored.body] : [] };
}
