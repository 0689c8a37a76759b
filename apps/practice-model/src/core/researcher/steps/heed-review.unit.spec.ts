import { asked } from './heed-review.js';

describe('what a reviewer’s advice asks for', () => {
  it.each([
    ['[Review advice]\n1. ongoing-charge: Quote the passages word for word, so that a reader can judge.', true, false],
    ['[Review advice]\n1. The report says nothing of turnover. Add a block on turnover.', false, true],
    ['[Review advice]\n请引用原文。', true, false],
    ['[Review advice]\n报告遗漏了换手率。', false, true],
    ['[Review advice]\nNothing to change.', false, false],
  ])('%j', (advice, quotes, more) => expect(asked(advice)).toEqual({ quotes, more }));

  it('V2: nothing without advice', () => expect(asked(undefined)).toEqual({ quotes: false, more: false }));
});
