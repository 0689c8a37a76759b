import { likeliestArrival, wasAnswered } from './arrivals.js';

const COMPLETED = { outcome: 'completed', content: true, status: 200 } as const;
const REFUSED = { outcome: 'failed', content: false, status: 429 } as const;
const LOST = { outcome: 'unknown', content: false, status: null } as const;
const NOT_SENT = { outcome: 'not_sent', content: false, status: null } as const;

it('E3: an entry without an id is the request of its bytes that was answered, then one that may have been, then the rest', () => {
  const settled = [NOT_SENT, LOST, COMPLETED, REFUSED];
  const seen = new Set<number>();
  const next = (): number | undefined => {
    const found = likeliestArrival(
      [1, 2, 3, 4, 5],
      (request) => seen.has(request),
      (request) => settled[request - 1],
    );
    seen.add(found ?? 0);
    return found;
  };
  expect([next(), next(), next(), next(), next()]).toEqual([3, 4, 2, 5, 1]);
  expect(next()).toBe(1); // once more
  expect([COMPLETED, REFUSED, LOST, NOT_SENT].map(wasAnswered)).toEqual([true, true, false, false]);
});
