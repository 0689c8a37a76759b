import { cappedAt } from './decide-answer.js';

describe('cappedAt', () => {
  const answer = { text: 'x'.repeat(100), calls: [], finish: 'stop' as const };

  it('an answer above the output cap is cut and says so', () => {
    expect(cappedAt(10, answer)).toEqual({ text: 'x'.repeat(40), calls: [], finish: 'length' });
  });

  it('an answer within the cap, or without one, is whole', () => {
    expect(cappedAt(25, answer)).toBe(answer);
    expect(cappedAt(undefined, answer)).toBe(answer);
  });
});
