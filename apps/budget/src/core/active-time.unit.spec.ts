import { Book, completed, MINUTE, notSent, ran } from '../../test/book.js';

const HOUR = 60 * MINUTE;

describe('B5: active time is the union of what the run itself executed', () => {
  it('F-T1, B5: 0–60 s beside 30–90 s is 90 s, whichever is reported first', () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const book = new Book();
      const first = book.granted();
      book.pass(30_000);
      const second = book.granted('review', { holder: 'review:a' });
      book.pass(60_000);
      const reports = [
        () => book.settle([completed(first)], [ran(first, [0, 60_000])]),
        () => book.settle([completed(second)], [ran(second, [0, 60_000])], 'review:a'),
      ];
      order.forEach((index) => reports[index]?.());
      expect(book.snapshot().active).toMatchObject({ usedMs: 90_000, unknownMs: 0, running: false });
    }
  });

  it('F-T1, T3: 5 min active, 10.8 h parked, 5 min active is 10 min active and all of it wall time', () => {
    const book = new Book({ wallMs: 24 * HOUR });
    const first = book.granted();
    book.pass(5 * MINUTE).settle([completed(first)], [ran(first, [0, 5 * MINUTE])]);
    book.pass(10.8 * HOUR);
    expect(book.snapshot().active.usedMs).toBe(5 * MINUTE);
    const second = book.granted();
    book.pass(5 * MINUTE);
    expect(book.snapshot().active).toMatchObject({ usedMs: 10 * MINUTE, running: true });
    book.settle([completed(second)], [ran(second, [0, 5 * MINUTE])]);
    expect(book.snapshot().active).toMatchObject({ usedMs: 10 * MINUTE, running: false });
    expect(book.snapshot().wall.usedMs).toBe(10.8 * HOUR + 10 * MINUTE);
  });

  it('B5: it counts as running until told otherwise; the exact intervals take the place of that', () => {
    const book = new Book();
    const reservation = book.granted();
    book.pass(60_000).settle([completed(reservation)]);
    expect(book.snapshot().active).toMatchObject({ usedMs: 60_000, running: true });
    book.settle([], [{ reservation, intervals: [{ startMs: 0, endMs: 10_000 }], closed: false }]);
    expect(book.snapshot().active).toMatchObject({ usedMs: 60_000, running: true });
    book.settle([], [ran(reservation, [0, 10_000], [5_000, 20_000], [50_000, 60_000])]);
    expect(book.snapshot().active).toMatchObject({ usedMs: 30_000, running: false });
  });

  it('B5: a repeated report changes nothing; a later one on a closed activity adds what is new', () => {
    const book = new Book();
    const reservation = book.granted();
    book.pass(10_000).settle([completed(reservation)], [ran(reservation, [0, 10_000])]);
    const { version } = book.ledger;
    book.pass(30_000).settle([], [ran(reservation, [0, 10_000])]);
    expect(book.ledger.version).toBe(version);
    book.settle([], [ran(reservation, [0, 10_000], [30_000, 35_000])]);
    expect(book.snapshot().active.usedMs).toBe(15_000);
  });

  it("B5: intervals are kept within [grant, now]; another holder's report is not taken", () => {
    const book = new Book();
    const reservation = book.granted();
    book.pass(10_000);
    book.settle([], [ran(reservation, [0, 1])], 'review:a');
    expect(book.snapshot().active).toMatchObject({ usedMs: 10_000, running: true });
    book.settle([completed(reservation)], [ran(reservation, [8_000, 99_000], [7, 3])]);
    expect(book.snapshot().active.usedMs).toBe(2_000);
  });

  it('B5: after it was not sent there is no activity to report', () => {
    const book = new Book();
    const reservation = book.granted();
    book.pass(10_000).settle([notSent(reservation)]);
    book.settle([], [ran(reservation, [0, 10_000])]);
    expect(book.snapshot().active.usedMs).toBe(0);
  });

  const shortOnes = (book: Book, count: number): string[] =>
    Array.from({ length: count }, () => {
      const reservation = book.granted('review', { holder: 'review:a' });
      book.pass(10).settle([completed(reservation)], [ran(reservation, [0, 10])], 'review:a');
      book.pass(90);
      return reservation;
    });

  it('B5: a long activity beside many short ones still unites exactly when it ends', () => {
    const book = new Book();
    const long = book.granted();
    shortOnes(book, 20);
    book.settle([completed(long)], [ran(long, [0, 2_000])]);
    expect(book.snapshot().active.usedMs).toBe(2_000);
  });

  it('B5: a report that comes again long after is not charged twice', () => {
    const book = new Book();
    const [first] = shortOnes(book, 20);
    book.settle([], [ran(first ?? '', [0, 10])], 'review:a');
    expect(book.snapshot().active.usedMs).toBe(200);
  });

  it('B5, B6: under an activity that runs very long the state stays small; gaps are charged, nothing is given back', () => {
    const book = new Book({ physicalRequests: 1000 });
    const long = book.granted();
    shortOnes(book, 300);
    expect(book.ledger.active.intervals.length).toBeLessThanOrEqual(64);
    expect(book.snapshot().active.usedMs).toBe(30_000);
    book.settle([completed(long)], [ran(long)]);
    const { usedMs } = book.snapshot().active;
    expect(usedMs).toBeGreaterThanOrEqual(3_000);
    expect(usedMs).toBeLessThanOrEqual(30_000);
  });

  it('B5: the wall clock stands still once the budget is closed', () => {
    const book = new Book();
    book.pass(MINUTE).close();
    expect(book.pass(HOUR).snapshot().wall.usedMs).toBe(MINUTE);
  });

  it('B5, C15: the state stays small: after a thousand turns it is no larger than after twenty', () => {
    const book = new Book({ exploreRequests: 1100, physicalRequests: 2206, activeMs: 100 * HOUR, wallMs: 100 * HOUR });
    const turns = (count: number): number => {
      for (let i = 0; i < count; i += 1) {
        const reservation = book.granted();
        book.pass(2_000).settle([completed(reservation)], [ran(reservation, [0, 500], [700, 900])]);
      }
      return JSON.stringify(book.ledger).length;
    };
    const small = turns(20);
    expect(turns(980)).toBeLessThan(small + 40);
    expect(book.snapshot().active.usedMs).toBe(700_000);
  });
});

describe('B6: an activity whose owner died', () => {
  it('B6: closes at the lease end, known to the last heartbeat, unknown from there, both charged', () => {
    const book = new Book();
    const reservation = book.granted();
    book.pass(60_000);
    const taken = book.takeOver(2, { heartbeatAgeMs: 25_000, leaseEndAgeMs: 5_000 });
    expect(taken.closedActivities).toEqual([{ reservation, knownMs: 35_000, unknownMs: 20_000 }]);
    expect(taken.snapshot.active).toMatchObject({ usedMs: 55_000, unknownMs: 20_000, running: false });
    expect(book.takeOver(2).closedActivities).toEqual([]);
    expect(book.snapshot().active.usedMs).toBe(55_000);
  });

  it('B6: what another activity covers is not unknown', () => {
    const book = new Book();
    book.granted();
    const review = book.granted('review', { holder: 'review:a' });
    book.pass(60_000).settle([completed(review)], [ran(review, [0, 50_000])], 'review:a');
    book.takeOver(2, { heartbeatAgeMs: 25_000, leaseEndAgeMs: 5_000 });
    expect(book.snapshot().active).toMatchObject({ usedMs: 55_000, unknownMs: 5_000 });
  });

  it("B6: a review's activity is not closed by the run's new owner", () => {
    const book = new Book();
    book.granted('review', { holder: 'review:a' });
    book.pass(10_000).takeOver(2);
    expect(book.snapshot().active).toMatchObject({ usedMs: 10_000, running: true });
  });

  it('B6: granted after the lease had ended: nothing is charged', () => {
    const book = new Book();
    const reservation = book.granted();
    const { closedActivities } = book.pass(10_000).takeOver(2, { heartbeatAgeMs: 40_000, leaseEndAgeMs: 20_000 });
    expect(closedActivities).toEqual([{ reservation, knownMs: 0, unknownMs: 0 }]);
    expect(book.snapshot().active.usedMs).toBe(0);
  });

  it('B6: an overshoot of the active limit is at most the tail, and recorded', () => {
    const book = new Book({ activeMs: 10 * MINUTE, outputMs: MINUTE });
    book.granted();
    book.pass(10 * MINUTE + 20_000);
    book.takeOver(2, { heartbeatAgeMs: 20_000, leaseEndAgeMs: 5_000 });
    expect(book.snapshot().active).toMatchObject({ overshootMs: 15_000, leftMs: 0, unknownMs: 15_000 });
    book.sweep();
    expect(book.facts.at(-1)).toMatchObject({ type: 'LimitReached', limit: 'active', overshootMs: 15_000 });
  });
});
