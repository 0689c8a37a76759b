import fc from 'fast-check';
import type { Purpose, SettlementOutcome } from '@waymark/contracts/budget';
import { MINUTE, ran, type Book } from './book.js';

const purpose = fc.constantFrom<Purpose>('explore', 'finish', 'summarize', 'review');
const outcome = fc.constantFrom<SettlementOutcome>('completed', 'failed', 'not_sent', 'unknown');
const holder = fc.constantFrom('run', 'review:a', 'review:b');
const epoch = fc.integer({ min: 1, max: 4 });
const pick = fc.nat({ max: 30 });
const span = fc.tuple(fc.nat({ max: 90_000 }), fc.nat({ max: 90_000 }));
const tokens = fc.option(fc.nat({ max: 1000 }), { nil: null });
const usage = fc.option(
  fc.record({ inputTokens: tokens, outputTokens: tokens, cachedInputTokens: tokens, costMicros: tokens }),
  { nil: null },
);

const step = fc.oneof(
  fc.record({ do: fc.constant('reserve' as const), purpose, holder, epoch, key: fc.nat({ max: 8 }) }),
  fc.record({ do: fc.constant('settle' as const), pick, outcome, content: fc.boolean(), holder, epoch, usage }),
  fc.record({ do: fc.constant('report' as const), pick, spans: fc.array(span, { maxLength: 4 }), holder, epoch }),
  fc.record({ do: fc.constant('takeOver' as const), holder, epoch, heartbeat: fc.nat(60_000), lease: fc.nat(40_000) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat({ max: 5 * MINUTE }) }),
  fc.constant({ do: 'sweep' as const }),
);
const closing = fc.record({ do: fc.constant('close' as const), epoch });
export type Step = (typeof step extends fc.Arbitrary<infer S> ? S : never) | { do: 'close'; epoch: number };

const small = fc.record({
  exploreRequests: fc.nat({ max: 6 }),
  finishRequests: fc.integer({ min: 1, max: 3 }),
  finishReserve: fc.integer({ min: 1, max: 4 }),
  physicalRequests: fc.integer({ min: 1, max: 10 }),
  activeMs: fc.integer({ min: 1, max: 20 * MINUTE }),
  wallMs: fc.integer({ min: 1, max: 40 * MINUTE }),
  outputMs: fc.nat({ max: 5 * MINUTE }),
  userDeadlineMs: fc.option(fc.integer({ min: 1, max: 40 * MINUTE }), { nil: null }),
});

/** Plays one step of somebody's protocol, sensible or not. */
export function play(book: Book, one: Step): void {
  const name = (index: number): string => (index + 1).toString(36);
  switch (one.do) {
    case 'reserve':
      book.reserve(one.purpose, { ...one, key: `${one.holder}/${one.epoch}/${one.key}` });
      return;
    case 'settle': {
      const content = one.content && one.outcome !== 'not_sent';
      const settlement = { reservation: name(one.pick), outcome: one.outcome, content, code: null, usage: one.usage };
      book.settle([settlement], [], one.holder, one.epoch);
      return;
    }
    case 'report':
      book.settle([], [ran(name(one.pick), ...one.spans)], one.holder, one.epoch);
      return;
    case 'takeOver': {
      const [leaseEndAgeMs, heartbeatAgeMs] = [one.lease, one.lease + one.heartbeat];
      book.takeOver(one.epoch, { holder: one.holder, heartbeatAgeMs, leaseEndAgeMs });
      return;
    }
    case 'pass':
      book.pass(one.ms);
      return;
    case 'sweep':
      book.sweep();
      return;
    case 'close':
      book.close(one.epoch);
      return;
    default:
      one satisfies never;
  }
}

/** Small limits and many callers: collisions of keys, holders, epochs and reservations are the rule. */
export const history = fc.record({
  limits: small,
  steps: fc.array(fc.oneof({ arbitrary: step, weight: 30 }, { arbitrary: closing, weight: 1 }), { maxLength: 80 }),
});
