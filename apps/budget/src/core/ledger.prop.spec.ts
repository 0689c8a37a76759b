import fc from 'fast-check';
import { Book, ran, RUN } from '../../test/book.js';
import { decideSettle } from './decide-settle.js';
import { draftOf } from './draft.js';
import { evolve } from './evolve.js';
import { unopened } from './ledger.js';
import { lengthOf, union, type Interval } from './intervals.js';
import { history, play } from '../../test/history.js';

const runs = { numRuns: 300 };

describe('random histories of many callers', () => {
  it('B11: no count limit is overshot by even one, and counts never fall below zero', () => {
    fc.assert(
      fc.property(history, ({ limits, steps }) => {
        const book = new Book(limits);
        for (const one of steps) {
          play(book, one);
          const { explore, finish, physical, purposes } = book.snapshot();
          for (const { used, reserved, unknown, limit, left } of [explore, finish, physical]) {
            expect(Math.min(used, reserved, unknown, left)).toBeGreaterThanOrEqual(0);
            expect(used + reserved + unknown + left).toBe(limit);
          }
          const { used, reserved, unknown } = physical;
          expect(Object.values(purposes).reduce((a, b) => a + b)).toBe(used + reserved + unknown);
        }
      }),
      runs,
    );
  });

  it('B4: nothing but finish ever takes a physical request of the finish reserve, nor time of the ending', () => {
    fc.assert(
      fc.property(history, ({ limits, steps }) => {
        const book = new Book(limits);
        for (const one of steps) {
          const facts = book.facts.length;
          play(book, one);
          const granted = book.facts.slice(facts).find((fact) => fact.type === 'ReservationGranted');
          if (!granted || granted.purpose === 'finish') continue;
          const { physical, active, wall, user, explore } = book.snapshot();
          const aside = granted.purpose === 'explore' ? 0 : 1;
          expect(physical.left).toBeGreaterThanOrEqual(limits.finishReserve + aside);
          expect(explore.left).toBeGreaterThanOrEqual(aside);
          const nearest = Math.min(active.leftMs, wall.leftMs, user?.leftMs ?? Infinity);
          expect(granted.deadlineAt - granted.at).toBeLessThanOrEqual(nearest - limits.outputMs);
        }
      }),
      runs,
    );
  });

  it('B2, B3: one grant per key, one settlement per reservation, at most one proof', () => {
    fc.assert(
      fc.property(history, ({ limits, steps }) => {
        const book = new Book(limits);
        steps.forEach((one) => play(book, one));
        const once = (list: string[]): void => expect(new Set(list).size).toBe(list.length);
        once(book.facts.flatMap((fact) => (fact.type === 'ReservationGranted' ? [fact.key] : [])));
        once(book.facts.flatMap((fact) => (fact.type === 'RequestSettled' ? [fact.reservation] : [])));
        once(book.facts.flatMap((fact) => (fact.type === 'SettlementProved' ? [fact.reservation] : [])));
      }),
      runs,
    );
  });

  it('B3: replaying every command at once changes nothing that was settled or charged', () => {
    fc.assert(
      fc.property(history, ({ limits, steps }) => {
        const book = new Book(limits);
        for (const one of steps) {
          if (one.do === 'pass') {
            play(book, one);
            continue;
          }
          play(book, one);
          const before = {
            settled: [...book.settled.values()],
            usage: book.ledger.usage,
            used: book.snapshot().active,
          };
          const { version } = book.ledger;
          // A refused reserve may be granted when asked again; everything else is once.
          if (one.do === 'reserve' && !book.ledger.open.some(({ key }) => key.endsWith(`/${one.key}`))) continue;
          play(book, one);
          expect(book.ledger.version).toBe(version);
          expect({
            settled: [...book.settled.values()],
            usage: book.ledger.usage,
            used: book.snapshot().active,
          }).toEqual(before);
        }
      }),
      runs,
    );
  });

  it('B12, L3: the version counts the facts, and the carried ledger equals the one rebuilt from them', () => {
    fc.assert(
      fc.property(history, ({ limits, steps }) => {
        const book = new Book(limits);
        for (const one of steps) {
          const { version } = book.ledger;
          play(book, one);
          expect(book.ledger.version).toBeGreaterThanOrEqual(version);
        }
        expect(book.ledger.version).toBe(book.facts.length);
        expect(book.rebuilt()).toEqual(book.ledger);
        expect(JSON.parse(JSON.stringify(book.ledger))).toEqual(book.ledger);
      }),
      runs,
    );
  });

  it('B15: a fenced epoch and a closed budget are granted nothing', () => {
    fc.assert(
      fc.property(history, ({ limits, steps }) => {
        const book = new Book(limits);
        const highest = new Map<string, number>();
        for (const one of steps) {
          const facts = book.facts.length;
          const wasClosed = book.ledger.closedAt !== null;
          play(book, one);
          for (const fact of book.facts.slice(facts)) {
            if (fact.type === 'HolderTakenOver') highest.set(fact.holder, fact.epoch);
            if (fact.type !== 'ReservationGranted') continue;
            expect(wasClosed).toBe(false);
            expect(fact.epoch).toBe(highest.get(fact.holder));
          }
        }
      }),
      runs,
    );
  });
});

describe('B5: union of active time against brute force', () => {
  const activity = fc.record({
    gap: fc.nat(40),
    lasts: fc.nat(120),
    spans: fc.array(fc.tuple(fc.nat(60), fc.nat(120)), { maxLength: 4 }),
  });

  it('B5: reports of overlapping activities, in any order, give exactly the milliseconds in which something ran', () => {
    fc.assert(
      fc.property(fc.array(activity, { minLength: 1, maxLength: 60 }), (activities) => {
        const book = new Book({ exploreRequests: 1000, physicalRequests: 3000, outputMs: 0 });
        const start = book.now;
        const seen = new Set<number>();
        const waiting: { reservation: string; at: number; due: number; spans: [number, number][] }[] = [];
        for (const { gap, lasts, spans } of activities) {
          book.pass(gap);
          waiting.push({ reservation: book.granted(), at: book.now, due: book.now + lasts, spans });
          for (const done of waiting.filter(({ due }) => due <= book.now)) {
            waiting.splice(waiting.indexOf(done), 1);
            book.settle([], [ran(done.reservation, ...done.spans)]);
            for (const [from, to] of done.spans) {
              for (let t = done.at + from; t < Math.min(done.at + to, book.now); t += 1) seen.add(t);
            }
          }
          const running = new Set(seen);
          for (const { at } of waiting) for (let t = at; t < book.now; t += 1) running.add(t);
          expect(book.snapshot().active.usedMs).toBe(running.size);
        }
        expect(book.now).toBeGreaterThanOrEqual(start);
      }),
      { numRuns: 200 },
    );
  });

  it('B5: union is what a list of milliseconds says', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(200), fc.nat(200)), { maxLength: 12 }), (intervals) => {
        const all = new Set<number>();
        for (const [start, end] of intervals) for (let t = start; t < end; t += 1) all.add(t);
        const merged = union(intervals as Interval[]);
        expect(lengthOf(merged)).toBe(all.size);
        expect(merged.every(([start], index) => index === 0 || start > (merged[index - 1]?.[1] ?? 0))).toBe(true);
      }),
    );
  });
});

it('B3: settling is decided from the loaded rows alone: nothing is remembered between commands', () => {
  const book = new Book();
  const reservation = book.granted();
  const rebuilt = book.facts.reduce(evolve, unopened(RUN));
  const command = { run: RUN, holder: 'run', epoch: 1, activities: [], settlements: [] };
  expect(decideSettle(draftOf(rebuilt), command, book.now).reply).toEqual(book.settle([]));
  expect(reservation).toBe('3');
});
