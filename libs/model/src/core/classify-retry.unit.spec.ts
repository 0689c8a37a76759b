import { POLICIES } from '@waymark/contracts/policy';
import { classifyRetry, type RetryContext } from './classify-retry.js';
import type { ModelOutcome, OutcomeCode } from './outcome.js';

const outcome = (change: Partial<ModelOutcome>): ModelOutcome => ({
  outcome: 'failed',
  content: false,
  code: 'provider_unavailable',
  status: 500,
  retryAfterMs: null,
  detail: null,
  text: '',
  calls: [],
  finish: null,
  usage: null,
  timings: { firstByteMs: null, firstContentMs: null, totalMs: 1 },
  ...change,
});
const context = (change: Partial<RetryContext> = {}): RetryContext => ({
  phase: 'exploring',
  attempt: 1,
  retry: POLICIES.standard.retry,
  parks: 0,
  refits: 0,
  ...change,
});
const decide = (o: Partial<ModelOutcome>, c: Partial<RetryContext> = {}) => classifyRetry(outcome(o), context(c));

describe('classify retry', () => {
  it('accepts what completed, even when empty', () => {
    expect(decide({ outcome: 'completed', code: null })).toEqual({ do: 'accept' });
  });

  it('B14: at most three attempts a turn with growing back-off, then it parks', () => {
    expect(decide({})).toEqual({ do: 'retry', waitMs: 1_000 });
    expect(decide({}, { attempt: 2 })).toEqual({ do: 'retry', waitMs: 4_000 });
    expect(decide({}, { attempt: 3 })).toEqual({ do: 'park', waitMs: 30_000, then: 'exploring' });
  });

  it('B14: Retry-After is respected, and over 30 s it parks for at least that long', () => {
    expect(decide({ code: 'rate_limited', retryAfterMs: 7_000 })).toEqual({ do: 'retry', waitMs: 7_000 });
    expect(decide({ code: 'rate_limited', retryAfterMs: 30_000 })).toEqual({ do: 'retry', waitMs: 30_000 });
    expect(decide({ code: 'rate_limited', retryAfterMs: 30_001 })).toMatchObject({ do: 'park', waitMs: 30_001 });
    expect(decide({ code: 'rate_limited', retryAfterMs: 31_000 }, { parks: 1 })).toMatchObject({ waitMs: 120_000 });
  });

  it('B14: after the third park in a row without content comes finishing; content starts the row anew', () => {
    const third = { attempt: 3, parks: 2 };
    expect(decide({}, { attempt: 3, parks: 1 })).toEqual({ do: 'park', waitMs: 120_000, then: 'exploring' });
    expect(decide({}, third)).toEqual({ do: 'park', waitMs: 300_000, then: 'finishing' });
    expect(decide({ outcome: 'unknown', content: true, code: 'stream_cut' }, third)).toEqual({
      do: 'park',
      waitMs: 30_000,
      then: 'exploring',
    });
  });

  it.each(['provider_auth', 'provider_rejected', 'other_api'] satisfies OutcomeCode[])(
    'B14: %s is never resent',
    (code) => {
      expect(decide({ code })).toEqual({ do: 'finish', code });
      expect(decide({ code }, { phase: 'finishing' })).toEqual({ do: 'close', code });
      expect(decide({ code }, { phase: 'aside' })).toEqual({ do: 'give_up', code });
    },
  );

  it('C18: "too long" is refitted at most twice', () => {
    expect(decide({ code: 'too_long' }, { attempt: 3, refits: 1 })).toEqual({ do: 'refit' });
    expect(decide({ code: 'too_long' }, { refits: 2 })).toEqual({ do: 'finish', code: 'too_long' });
    expect(decide({ code: 'too_long' }, { refits: 2, phase: 'finishing' })).toEqual({ do: 'close', code: 'too_long' });
  });

  it('L11: in finishing nothing parks, and three attempts without content close', () => {
    const finishing = { phase: 'finishing' } as const;
    expect(decide({ retryAfterMs: 60_000 }, finishing)).toEqual({ do: 'retry', waitMs: 60_000 });
    expect(decide({ retryAfterMs: 60_000 }, { ...finishing, leftMs: 50_000 })).toMatchObject({ do: 'close' });
    expect(decide({}, { ...finishing, attempt: 3, parks: 9 })).toEqual({ do: 'close', code: 'provider_unavailable' });
  });

  it('B14: in finishing a retry after unknown or content is the next finish request', () => {
    const finishing = { phase: 'finishing' } as const;
    const next = { do: 'next_finish', waitMs: 1_000, code: 'progress_timeout' };
    expect(decide({ outcome: 'unknown', code: 'progress_timeout' }, finishing)).toEqual(next);
    expect(decide({ content: true, code: 'progress_timeout' }, finishing)).toEqual(next);
  });

  it('C10, V2: a summary or review is retried within its attempts and then given up', () => {
    const retry = { ...POLICIES.standard.retry, attemptsPerTurn: 2 };
    expect(decide({}, { phase: 'aside', retry })).toEqual({ do: 'retry', waitMs: 1_000 });
    expect(decide({}, { phase: 'aside', retry, attempt: 2 })).toMatchObject({ do: 'give_up' });
    expect(decide({ retryAfterMs: 31_000 }, { phase: 'aside', retry })).toMatchObject({ do: 'give_up' });
  });

  it('L6: what the caller cut is the caller’s to judge', () => {
    for (const phase of ['exploring', 'finishing', 'aside'] as const) {
      expect(decide({ outcome: 'unknown', code: 'cancelled' }, { phase })).toEqual({ do: 'stop', code: 'cancelled' });
    }
  });

  it('B14: back-off and parks may be set to none', () => {
    const retry = { ...POLICIES.standard.retry, backoffMs: [], parkMs: [5] };
    expect(decide({}, { retry })).toEqual({ do: 'retry', waitMs: 0 });
    expect(decide({}, { retry, attempt: 3, parks: 2 })).toEqual({ do: 'park', waitMs: 5, then: 'finishing' });
  });
});
