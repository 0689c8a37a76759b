import { parseLimits } from './parse-limit.js';

const refusal = (...given: string[]) => {
  const parsed = parseLimits(given);
  return parsed.ok ? null : parsed.error;
};

describe('--limit name=value', () => {
  it('takes numbers, times with a unit, lists of times and true or false', () => {
    expect(parseLimits(['exploreRequests=0', 'activeMs=90s', 'wallMs=1.5h', 'parkMs=1s,2000', 'review=false'])).toEqual(
      {
        ok: true,
        overrides: { exploreRequests: 0, activeMs: 90_000, wallMs: 5_400_000, parkMs: [1_000, 2_000], review: false },
      },
    );
  });

  it('refuses what it cannot take, naming the limit and what would be right', () => {
    expect(refusal('exploreRequest=3')).toMatchObject({
      code: 'unknown_limit',
      remedy: expect.stringContaining('exploreRequests'),
    });
    expect(refusal('exploreRequests')).toMatchObject({ code: 'unknown_limit' });
    expect(refusal('exploreRequests=many')).toMatchObject({
      code: 'invalid_limit',
      remedy: expect.stringContaining('whole number'),
    });
    expect(refusal('exploreRequests=-1')).toMatchObject({ code: 'invalid_limit' });
    expect(refusal('exploreRequests=1.5')).toMatchObject({ code: 'invalid_limit' });
    expect(refusal('exploreRequests=true')).toMatchObject({ code: 'invalid_limit' });
    expect(refusal('finishRequests=0')).toMatchObject({ code: 'invalid_limit' });
    expect(refusal('activeMs=soon')).toMatchObject({ code: 'invalid_limit', remedy: expect.stringContaining('90s') });
    expect(refusal('parkMs=1s,x')).toMatchObject({ code: 'invalid_limit' });
    expect(refusal('review=maybe')).toMatchObject({
      code: 'invalid_limit',
      remedy: expect.stringContaining('review=true'),
    });
    expect(refusal('wallMs=1h', 'wallMs=2h')).toMatchObject({ code: 'repeated_limit' });
    expect(refusal('__proto__=1')).toMatchObject({ code: 'unknown_limit' });
  });
});
