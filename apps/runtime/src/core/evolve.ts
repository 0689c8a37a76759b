/** One fact folded into the state. It changes the state it is given and nothing else; the same facts, the same state. */
import { evolveTranscript, type RecordFact, type RequestSettled } from '@waymark/record';
import { addRange, rangeHad } from './reading.js';
import { writeGaps } from './write-gaps.js';
import type { RunState } from './run-state.js';
import { disarm, submit } from './watermarks.js';

const RECENT = 12;

/** Folds `fact`, which stands at `seq` with hash `head`. */
export function evolve(s: RunState, fact: RecordFact, seq: number, head: string): void {
  s.seq = seq;
  s.head = head;
  apply(s, fact, seq);
  for (const result of evolveTranscript(s.transcript, fact)) {
    const range = rangeHad(result);
    if (range) addRange(s.reading, range);
  }
}

function apply(s: RunState, fact: RecordFact, seq: number): void {
  switch (fact.type) {
    case 'RunAdmitted':
      s.admitted = fact;
      s.hard = fact.policy.context.hardLimitBytes;
      return;
    case 'RequestIntended':
      s.open = fact;
      s.requests = fact.request;
      if (fact.purpose !== 'summarize') s.attempt = fact.attempt;
      if (fact.purpose === 'explore') s.exploreIntended += 1;
      s.parked = null;
      disarm(s.watermarks, fact.notices.rearmed);
      return;
    case 'RequestSettled':
      settleRequest(s, fact, seq);
      return;
    case 'ActionSettled':
      settleAction(s, fact);
      return;
    case 'WriteConfirmed':
      confirmWrite(s, fact);
      return;
    case 'SummaryAdopted':
      s.summaries = fact.summary;
      s.abandoned = null;
      return;
    case 'SummaryAbandoned':
      s.abandoned = { from: fact.from, to: fact.to, basis: fact.basis };
      return;
    case 'HardLimitLowered':
      s.hard = fact.to;
      s.hardLowered += 1;
      return;
    case 'PhaseChanged':
      s.phase = fact.phase;
      s.phaseCode = fact.code;
      s.phaseReason = fact.reason;
      s.attempt = 0;
      s.emptyInRow = 0;
      return;
    case 'LimitHeard':
      s.inbox = fact.inbox;
      s.limits[fact.limit] = fact.stage;
      return;
    case 'VerdictHeard':
      s.inbox = fact.inbox;
      if (s.review.running?.review === fact.review) s.review.running = null;
      return;
    case 'ReviewRaised':
      s.review.candidates = fact.candidate;
      s.review.atExplore = s.exploreIntended;
      s.review.atActiveMs = fact.activeMs ?? s.review.atActiveMs;
      return;
    case 'ReviewDispatched':
      s.review.dispatched += 1;
      s.review.running = { review: fact.review, deadlineMs: fact.deadlineMs };
      s.review.atExplore = s.exploreIntended;
      s.review.atActiveMs = fact.activeMs;
      return;
    case 'ReviewOverdue':
      if (s.review.running?.review === fact.review) s.review.running = null;
      return;
    case 'RunParked':
      s.parked = { round: fact.round, code: fact.code };
      if (fact.counted) s.parksInRow = fact.round;
      s.attempt = 0;
      return;
    case 'RunWoken':
      s.parked = null;
      return;
    case 'RunEnding':
      s.phase = 'ending';
      s.ending = {
        outcome: fact.outcome,
        code: fact.code,
        reason: fact.reason,
        closing: fact.closing,
        gaps: fact.gaps,
        writeGaps: writeGaps(s),
        steps: [],
      };
      return;
    case 'EndingStepDone':
      s.ending?.steps.push(fact.step);
      return;
    case 'RunEnded':
      s.phase = 'ended';
      return;
    case 'ResultsRetired':
    case 'ResultPaged':
    case 'FloorBuilt':
    case 'ReviewDeclined':
      return;
    default:
      fact satisfies never;
  }
}

function settleRequest(s: RunState, fact: RequestSettled, seq: number): void {
  const open = s.open;
  s.open = null;
  if (!open) return;
  s.recent.push({
    request: fact.request,
    reservation: open.reservation,
    outcome: fact.outcome,
    content: fact.content,
    code: fact.code,
    usage: fact.usage,
  });
  if (s.recent.length > RECENT) s.recent.shift();
  if (open.purpose !== 'summarize') submit(s.watermarks, open.notices.included, fact.delivery);
  if (fact.content || fact.outcome === 'completed') s.parksInRow = 0;
  if (open.purpose === 'summarize' || fact.outcome !== 'completed') return;
  s.turn = open.turn;
  s.settledAt[open.turn] = seq;
  s.attempt = 0;
  s.hardLowered = 0;
  const cutOff = fact.finish === 'length' || fact.finish === 'content_filter';
  const wordless = fact.actions.length === 0 && (fact.empty || cutOff);
  s.emptyInRow = wordless ? s.emptyInRow + 1 : 0;
  if (fact.actions.length === 0 && !wordless) {
    s.closing = { text: fact.answer, how: 'text' };
  }
}

function settleAction(s: RunState, fact: Extract<RecordFact, { type: 'ActionSettled' }>): void {
  switch (fact.effect?.kind) {
    case 'finish':
      s.closing = { text: fact.result, how: 'finish' };
      return;
    case 'block':
      settleWrite(s, fact, fact.effect.detail ?? '');
      return;
    case 'review':
    case 'progress':
    case undefined:
      return;
  }
}

function settleWrite(s: RunState, fact: Extract<RecordFact, { type: 'ActionSettled' }>, block: string): void {
  if (fact.outcome === 'unconfirmed') s.unconfirmed.push({ action: fact.action, block });
  else if (fact.outcome === 'ok') written(s, block);
  else s.lostWrites.push({ action: fact.action, block });
}

function confirmWrite(s: RunState, fact: Extract<RecordFact, { type: 'WriteConfirmed' }>): void {
  const write = s.unconfirmed.find((u) => u.action === fact.action);
  s.unconfirmed = s.unconfirmed.filter((u) => u.action !== fact.action);
  if (fact.outcome === 'written') written(s, write?.block ?? '');
  else if (write) s.lostWrites.push(write);
}

function written(s: RunState, block: string): void {
  s.blocksWritten += 1;
  s.lostWrites = s.lostWrites.filter((w) => w.block !== block);
}
