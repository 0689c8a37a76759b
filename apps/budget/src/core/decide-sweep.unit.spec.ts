import { Book, completed, LEASE_MS, MINUTE, ran } from '../../test/book.js';
import { isLive, nextDue, NOT_SETTLED } from './decide-sweep.js';

const due = (book: Book): number | null => {
  const at = nextDue(book.ledger, book.now, LEASE_MS);
  return at === null ? null : at - book.now;
};
const stages = (book: Book) => book.sweep().map(({ limit, stage }) => `${limit}/${stage}`);

describe('B5: timers of the limits', () => {
  it('B5: each limit minus the output time, then each limit, each once', () => {
    const book = new Book({
      activeMs: 60 * MINUTE,
      wallMs: 20 * MINUTE,
      userDeadlineMs: 30 * MINUTE,
      outputMs: MINUTE,
    });
    expect(due(book)).toBe(19 * MINUTE);
    book.pass(19 * MINUTE - 1);
    expect(stages(book)).toEqual([]);
    book.pass(1);
    expect(stages(book)).toEqual(['wall/neared']);
    expect(stages(book)).toEqual([]);
    expect(due(book)).toBe(MINUTE);
    book.pass(12 * MINUTE);
    expect(stages(book)).toEqual(['wall/reached', 'user/neared', 'user/reached']);
    expect(due(book)).toBeNull();
  });

  it('B5: the active limit is due only while something runs', () => {
    const book = new Book({ activeMs: 10 * MINUTE, wallMs: 120 * MINUTE, outputMs: MINUTE });
    const reservation = book.granted();
    expect(due(book)).toBe(9 * MINUTE);
    book.pass(2 * MINUTE).settle([completed(reservation)], [ran(reservation, [0, MINUTE])]);
    expect(due(book)).toBe(117 * MINUTE);
    book.pass(5 * MINUTE).granted();
    expect(due(book)).toBe(8 * MINUTE);
    book.pass(8 * MINUTE);
    expect(stages(book)).toEqual(['active/neared']);
  });

  it('B5: an alarm that is due is looked at afresh: exact intervals have made it too early', () => {
    const book = new Book({ activeMs: 10 * MINUTE, outputMs: MINUTE });
    const reservation = book.granted();
    book.pass(9 * MINUTE).settle([completed(reservation)], [ran(reservation, [0, MINUTE])]);
    expect(stages(book)).toEqual([]);
  });

  it('B5: a closed budget gives no alarm', () => {
    const book = new Book();
    book.close();
    book.pass(200 * MINUTE);
    expect(stages(book)).toEqual([]);
    expect(due(book)).toBeNull();
    expect(isLive(book.ledger)).toBe(false);
  });
});

describe('B15: what is open past its deadline and a lease', () => {
  it('B15: the budget settles it as unknown and closes its activity at its deadline, also after the close', () => {
    const book = new Book({ activeMs: 10 * MINUTE, outputMs: MINUTE });
    const reservation = book.granted();
    book.close();
    expect([isLive(book.ledger), due(book)]).toEqual([true, 9 * MINUTE + LEASE_MS]);
    book.pass(9 * MINUTE + LEASE_MS - 1).sweep();
    expect(book.ledger.open).toHaveLength(1);
    book.pass(1).sweep();
    expect(book.facts.slice(-2)).toMatchObject([
      { type: 'RequestSettled', reservation, outcome: 'unknown', code: NOT_SETTLED, by: 'budget' },
      { type: 'ActivityClosed', reservation },
    ]);
    expect(book.snapshot().physical).toMatchObject({ reserved: 0, unknown: 1 });
    expect(book.snapshot().active).toMatchObject({ usedMs: 9 * MINUTE, unknownMs: 9 * MINUTE, running: false });
    expect([isLive(book.ledger), due(book)]).toEqual([false, null]);
  });

  it('B15: an activity that outlived its settlement closes the same way; proof still comes through', () => {
    const book = new Book({ activeMs: 10 * MINUTE, outputMs: MINUTE });
    const [settled, open] = [book.granted(), book.granted()];
    book.settle([completed(settled)]);
    book.pass(10 * MINUTE).sweep();
    expect(book.ledger).toMatchObject({ open: [], running: [] });
    expect(book.settle([completed(open)]).settled[0]?.result).toBe('proved');
  });
});
