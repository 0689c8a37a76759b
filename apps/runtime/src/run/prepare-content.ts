/** Step 2: what stands in the next request: bodies retire, a summary is tried, the ladder is climbed down (C3, C8, C17). */
import { contentBytes } from '../core/content.js';
import { decideCompaction, judgeSummary, type Interval } from '../core/decide-compaction.js';
import { contentLimit, floorBytes, nextRung } from '../core/decide-fit.js';
import { decideRetirement, residencyTarget } from '../core/decide-retirement.js';
import { hasWords } from '../core/has-words.js';
import { reportMap } from '../core/instructions.js';
import { classifyRetry } from '@waymark/model';
import { PART_KINDS, partColumn, rendererOf, renderSummarize, type MainPurpose, type TextRef } from '@waymark/record';
import type { RunContext } from './run-context.js';
import { reserve } from './reserve.js';
import { sendRequest } from './send-request.js';
import { sha256Hex } from './sha256.js';
import { NO_NOTICES } from '../core/fit-notices.js';
import { backOff } from './back-off.js';

export type Prepared =
  { readonly fits: true; readonly content: number } | { readonly fits: false; readonly content: number };

export async function prepareContent(c: RunContext, purpose: MainPurpose): Promise<Prepared> {
  const head = await c.content.head(purpose);
  await c.content.refresh(c.state.transcript);
  await retire(c, head.size);
  if (purpose === 'explore') {
    const content = contentBytes(c.state.transcript, head.size, c.content.sizeOf);
    const interval = decideCompaction(c.state, content, c.content.sizeOf, false);
    if (interval) await summarize(c, interval, head.size);
  }
  for (let tried = false; ;) {
    const rung = nextRung(c.state, head.size, c.content.sizeOf, tried);
    switch (rung.rung) {
      case 'fits':
        return { fits: true, content: rung.content };
      case 'impossible':
        return { fits: false, content: rung.content };
      case 'page':
        for (const fact of rung.facts) c.log.note(fact);
        break;
      case 'retire':
        c.log.note(rung.fact);
        break;
      case 'summarize':
        tried = true;
        await summarize(c, rung.interval, head.size);
        break;
      case 'floor': {
        const { policy } = c.admitted;
        const map = c.bodies.put(reportMap(c.publication?.snapshot.blocks ?? [], policy.context.mapBytes));
        c.log.note({ type: 'FloorBuilt', map: map.ref }, [map.body]);
        break;
      }
      default:
        rung satisfies never;
    }
    await c.content.refresh(c.state.transcript);
  }
}

async function retire(c: RunContext, frameBytes: number): Promise<void> {
  const { policy, question } = c.admitted;
  const target = residencyTarget(policy, c.state.hard, floorBytes(frameBytes, question.bytes, policy.context.mapBytes));
  const fact = decideRetirement(c.state, target, c.content.sizeOf);
  if (!fact) return;
  c.log.note(fact);
  await c.content.refresh(c.state.transcript);
}

/** A request of its own: reserved, recorded, charged; adopted only if the complete request becomes smaller (C8, C10). */
async function summarize(c: RunContext, interval: Interval, frameBytes: number): Promise<void> {
  const { policy } = c.admitted;
  const abandon = (code: string, request: number | null) =>
    c.log.note({
      type: 'SummaryAbandoned',
      from: interval.from,
      to: interval.to,
      basis: interval.basis,
      request,
      code,
    });
  const turns = c.state.transcript.entries.filter(
    (e) => e.kind === 'turn' && e.turn >= interval.from && e.turn <= interval.to,
  ) as Parameters<typeof renderSummarize>[1];
  const { instructions, tools } = c.admitted.frames.summarize;
  const refs: TextRef[] = [c.admitted.question, instructions, ...(tools ? [tools] : [])];
  for (const turn of turns) {
    if (turn.answer) refs.push(turn.answer);
    for (const result of turn.results) refs.push(result.settled.result);
  }
  for (let attempt = 1; ; attempt += 1) {
    const reserved = await reserve(c, 'summarize');
    if (reserved.kind !== 'granted') {
      abandon(reserved.kind === 'refused' ? reserved.refusal.code : reserved.code, null);
      return;
    }
    await c.bodies.load(refs);
    await c.content.head('summarize');
    const body = Buffer.from(renderSummarize(c.admitted, turns, interval.resultCap, (ref) => c.bodies.get(ref)));
    const sizes = PART_KINDS.map(() => 0);
    sizes[partColumn('turns')] = body.length;
    if (body.length > c.state.hard) {
      abandon('input_too_large', null);
      return;
    }
    const sent = await sendRequest(c, reserved.held, {
      purpose: 'summarize',
      turn: c.state.turn,
      attempt,
      serialized: { body, digest: sha256Hex(body), sizes },
      contentBytes: body.length,
      notices: NO_NOTICES,
      interval: { from: interval.from, to: interval.to, resultCap: interval.resultCap },
    });
    if (sent.kind === 'cancelled') return;
    const request = sent.fact.request;
    const decision = classifyRetry(sent.outcome, { phase: 'aside', attempt, retry: policy.retry, parks: 0, refits: 2 });
    if (decision.do === 'retry') {
      if (!(await backOff(c, decision.waitMs))) return;
      continue;
    }
    if (decision.do !== 'accept') {
      abandon(sent.fact.code ?? 'summary_failed', request);
      return;
    }
    await adopt(c, interval, frameBytes, request, sent.answer.text, sent.fact.finish, abandon);
    return;
  }
}

async function adopt(
  c: RunContext,
  interval: Interval,
  frameBytes: number,
  request: number,
  text: string,
  finish: string | null,
  abandon: (code: string, request: number | null) => void,
): Promise<void> {
  const { policy } = c.admitted;
  const before = contentBytes(c.state.transcript, frameBytes, c.content.sizeOf);
  const stored = c.bodies.put(text);
  const fact = {
    type: 'SummaryAdopted',
    summary: c.state.summaries + 1,
    from: interval.from,
    to: interval.to,
    request,
    text: stored.ref,
    bytesBefore: before,
    bytesAfter: 0,
  } as const;
  const after = before - interval.bytes + summaryBytes(c, interval, stored.ref, stored.body.body);
  const verdict = judgeSummary({
    finish,
    textBytes: !hasWords(text) ? 0 : stored.ref.bytes,
    before,
    after,
    limit: contentLimit(c.state),
    policy,
  });
  if (!verdict.adopt) {
    abandon(verdict.code, request);
    return;
  }
  c.log.note({ ...fact, bytesAfter: after }, [stored.body]);
  await c.content.refresh(c.state.transcript);
}

/** Bytes of the part that would stand for the interval. */
function summaryBytes(c: RunContext, { from, to }: Interval, text: TextRef, body: Uint8Array): number {
  const actions = c.state.transcript.entries
    .flatMap((e) => (e.kind === 'turn' && e.turn >= from && e.turn <= to ? e.results : []))
    .map((r) => r.action)
    .join(' ');
  return rendererOf(c.admitted).part({ id: '', kind: 'summary', from, to, text, actions }, () => body).length;
}
