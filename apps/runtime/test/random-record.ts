/** Random records through a model of the turn: what a run's owner could append, whatever the model and the world do. */
import fc from 'fast-check';
import { REMINDER_TYPES } from '@waymark/contracts/reminder';
import type { NoticeLine, NoticesRecord, RequestSettled } from '@waymark/record';
import { retireAll } from '../src/core/decide-retirement.js';
import { PlayedRun, type PlayedCall } from './played-run.js';

const STEPS = [
  'turn',
  'turn',
  'turn',
  'turn',
  'empty',
  'cut',
  'fail',
  'die',
  'retire',
  'page',
  'adopt',
  'abandon',
  'verdict',
  'raise',
  'dispatch',
  'overdue',
  'lower',
  'park',
  'limit',
  'finishing',
  'floor',
  'confirm',
] as const;

const line = fc.record({
  type: fc.constantFrom(...REMINDER_TYPES),
  kind: fc.constantFrom('state' as const, 'advice' as const),
  subject: fc.constantFrom('run', 'block:fees', 'source:doc:1'),
  stage: fc.constantFrom(50, 75, 90),
  policyVersion: fc.constantFrom(1, 2),
});
const step = fc.record({
  do: fc.constantFrom(...STEPS),
  a: fc.nat({ max: 1000 }),
  b: fc.nat({ max: 1000 }),
  text: fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constant('费率 0.35%\u0000"\\u0000')),
  lines: fc.array(line, { maxLength: 3 }),
  rearmed: fc.array(line, { maxLength: 1 }),
});
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
export const steps = fc.array(step, { minLength: 1, maxLength: 40 });

export function playSteps(all: readonly Step[]): PlayedRun {
  const p = new PlayedRun({ policy: 'teaching' });
  for (const one of all) play(p, one);
  p.turn([], 'The closing text.', p.state.phase === 'finishing' ? 'finish' : 'explore');
  p.add({ type: 'RunEnding', outcome: 'completed', code: 'finished', reason: 'done', closing: null, gaps: [] });
  for (const done of ['budget_closed', 'settled', 'reviews_stopped', 'report_closed'] as const)
    p.add({ type: 'EndingStepDone', step: done });
  p.add({ type: 'RunEnded', outcome: 'completed', code: 'finished' });
  return p;
}

const FAILURES: readonly Pick<RequestSettled, 'outcome' | 'content' | 'delivery'>[] = [
  { outcome: 'failed', content: false, delivery: 'rejected' },
  { outcome: 'failed', content: true, delivery: 'submitted' },
  { outcome: 'unknown', content: true, delivery: 'submitted' },
  { outcome: 'unknown', content: false, delivery: 'uncertain' },
  { outcome: 'not_sent', content: false, delivery: 'rejected' },
];

/** Plays one step of a run that is not over. */
export function play(p: PlayedRun, one: Step): void {
  const { state } = p;
  const purpose = state.phase === 'finishing' ? 'finish' : 'explore';
  const turns = state.transcript.entries.filter((e) => e.kind === 'turn');
  switch (one.do) {
    case 'turn': {
      p.intend(purpose, noticesOf(one));
      const calls = Array.from({ length: 1 + (one.a % 4) }, (_, i) => call(one, i));
      p.answer(one.text, calls);
      const order = calls.map((c, i) => ({ c, action: `${p.state.turn}.${i}` }));
      if (one.b % 2 === 1) order.reverse();
      for (const { c, action } of order) p.receipt(action, c.text, c.settled);
      return;
    }
    case 'empty':
      p.intend(purpose, noticesOf(one));
      p.settle({ empty: true });
      return;
    case 'cut':
      p.intend(purpose, noticesOf(one));
      p.answer(`cut ${one.text}`, [], { finish: 'length' });
      return;
    case 'fail':
      p.intend(purpose, noticesOf(one));
      p.settle({ ...FAILURES[one.a % FAILURES.length], finish: null, code: 'x', status: null });
      return;
    case 'die':
      p.intend(purpose, noticesOf(one));
      p.epoch += 1;
      p.settle({
        outcome: 'unknown',
        content: false,
        delivery: 'uncertain',
        finish: null,
        code: 'owner_died',
        status: null,
      });
      return;
    case 'retire': {
      const fact = retireAll(state, p.sizeOf);
      if (fact) p.add({ ...fact, items: fact.items.slice(0, 1 + (one.a % 3)) });
      return;
    }
    case 'page':
      for (const turn of turns)
        for (const r of turn.results)
          if (r.seen === 0 && r.form.form === 'full')
            p.add({ type: 'ResultPaged', action: r.action, headBytes: one.a });
      return;
    case 'adopt':
    case 'abandon': {
      const first = turns[one.a % Math.max(1, turns.length)];
      if (!first) return;
      const at = state.transcript.entries.indexOf(first);
      let last = first;
      for (const e of state.transcript.entries.slice(at, at + 1 + (one.b % 5))) {
        if (e.kind === 'summary' || e.kind === 'map') break;
        if (e.kind === 'turn') last = e;
      }
      const interval = { from: first.turn, to: last.turn, resultCap: 100 };
      p.intend('summarize', undefined, interval);
      p.settle({ answer: p.put(one.text) });
      if (one.do === 'abandon') {
        p.add({ type: 'SummaryAbandoned', ...pick(interval), basis: '1', request: state.requests, code: 'x' });
      } else {
        const summary = state.summaries + 1;
        p.add({
          type: 'SummaryAdopted',
          summary,
          ...pick(interval),
          request: state.requests,
          text: p.put(one.text),
          bytesBefore: 2,
          bytesAfter: 1,
        });
      }
      return;
    }
    case 'verdict': {
      const review = state.review.running?.review ?? 'r0';
      const advice = one.a % 2 === 0 ? p.put(one.text) : null;
      p.add({ type: 'VerdictHeard', inbox: state.inbox + 1, review, outcome: 'revise', code: null, advice });
      return;
    }
    case 'raise':
      p.add({ type: 'ReviewRaised', candidate: state.review.candidates + 1, reason: 'time', value: 1, limit: 1 });
      p.add({ type: 'ReviewDeclined', candidate: state.review.candidates, code: 'too_soon' });
      return;
    case 'dispatch':
      p.add({
        type: 'ReviewDispatched',
        review: `r${state.review.dispatched + 1}`,
        candidate: null,
        deadlineMs: 1,
        activeMs: one.a,
      });
      return;
    case 'overdue':
      p.add({ type: 'ReviewOverdue', review: state.review.running?.review ?? 'r0' });
      return;
    case 'lower':
      p.add({ type: 'HardLimitLowered', from: state.hard, to: Math.floor(state.hard * 0.75), request: state.requests });
      return;
    case 'park':
      p.add({ type: 'RunParked', round: state.parksInRow + 1, forMs: 1, code: 'x', counted: one.a % 2 === 0 });
      p.epoch += 1;
      p.add({ type: 'RunWoken' });
      return;
    case 'limit':
      p.add({
        type: 'LimitHeard',
        inbox: state.inbox + 1,
        limit: 'wall',
        stage: one.a % 2 === 0 ? 'neared' : 'reached',
      });
      return;
    case 'finishing':
      if (state.phase === 'exploring' && one.a % 5 === 0)
        p.add({ type: 'PhaseChanged', phase: 'finishing', code: 'x', reason: one.text.toWellFormed() });
      return;
    case 'floor':
      if (one.a % 5 === 0) p.add({ type: 'FloorBuilt', map: p.put(one.text) });
      return;
    case 'confirm': {
      const open = state.unconfirmed[0];
      if (open)
        p.add({ type: 'WriteConfirmed', action: open.action, outcome: one.a % 2 === 0 ? 'written' : 'refused' });
      return;
    }
  }
}

const pick = ({ from, to }: { from: number; to: number }) => ({ from, to });

function call(one: Step, i: number): PlayedCall {
  const n = one.a + i;
  const start = (one.b * 7) % 50;
  switch (n % 4) {
    case 0:
      return {
        tool: 'read_range',
        text: one.text.repeat(1 + (n % 20)),
        settled: {
          range: { locator: `doc:${n % 3}`, name: 'a.txt', start, end: start + 1 + (n % 30), total: 100 },
        },
      };
    case 1:
      return { tool: 'read_back', text: 'x'.repeat(n) };
    case 2:
      return {
        tool: 'write_block',
        kind: 'keyed',
        text: one.text,
        settled: {
          outcome: n % 3 === 0 ? 'unconfirmed' : 'ok',
          effect: { kind: 'block', detail: 'fees' },
        },
      };
    default:
      return { tool: 'search', text: one.text, settled: { outcome: 'failed', code: 'x' } };
  }
}

function noticesOf(one: Step): NoticesRecord {
  const included: NoticeLine[] = one.lines;
  return {
    source: 'reminder',
    included,
    omitted: one.rearmed,
    combined: [],
    rearmed: one.rearmed,
    text: included.length === 0 ? null : included.map((l) => `${l.type} ${l.stage}`).join('\n'),
  };
}
