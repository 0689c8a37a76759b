import { jest } from '@jest/globals';
import { GrantActivity } from './grant-activity.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());
const pass = (ms: number) => jest.advanceTimersByTime(ms);

describe('B5: what ran under one grant', () => {
  it('B5, F-T1: operations that overlap count once, a gap between them does not', () => {
    const activity = new GrantActivity('r1');
    pass(10);
    const one = activity.begin();
    pass(30);
    const two = activity.begin();
    pass(30);
    one();
    pass(30);
    two();
    pass(500);
    const three = activity.begin();
    pass(5);
    three();
    expect(activity.report(true)).toEqual({
      reservation: 'r1',
      intervals: [
        { startMs: 10, endMs: 100 },
        { startMs: 600, endMs: 605 },
      ],
      closed: true,
    });
  });

  it('B5: an operation ends once, and one that still runs is told up to now', () => {
    const activity = new GrantActivity('r1');
    const one = activity.begin();
    const two = activity.begin();
    pass(20);
    one();
    one();
    pass(20);
    expect(activity.report(false)).toMatchObject({ intervals: [{ startMs: 0, endMs: 40 }], closed: false });
    two();
    expect(activity.report(true).intervals).toEqual([{ startMs: 0, endMs: 40 }]);
  });

  it('B6, B5: any number of intervals fits the report, and joining never charges less than what ran', () => {
    const activity = new GrantActivity('r1');
    for (let i = 0; i < 400; i += 1) {
      const end = activity.begin();
      pass(3);
      end();
      pass(2);
    }
    const { intervals } = activity.report(true);
    expect(intervals.length).toBeLessThanOrEqual(200);
    expect(intervals.reduce((sum, i) => sum + i.endMs - i.startMs, 0)).toBeGreaterThanOrEqual(1200);
    for (const [i, one] of intervals.entries())
      expect(one.startMs).toBeGreaterThanOrEqual(intervals[i - 1]?.endMs ?? 0);
  });
});
