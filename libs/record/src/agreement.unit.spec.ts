import { deliveryOf } from './agreement.js';

describe('R8: the word for a request’s delivery', () => {
  it.each([
    ['completed', true, 'submitted'],
    ['completed', false, 'submitted'],
    ['failed', true, 'submitted'],
    ['unknown', true, 'submitted'],
    ['failed', false, 'rejected'],
    ['not_sent', false, 'rejected'],
    ['unknown', false, 'uncertain'],
  ] as const)('R8: %s, content %s: %s', (outcome, content, word) => {
    expect(deliveryOf({ outcome, content })).toBe(word);
  });
});
