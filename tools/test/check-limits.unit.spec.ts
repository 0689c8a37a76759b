import { unusableLimits } from '../demo/check-limits.mjs';

describe('P3: limits that the demo is given', () => {
  it('are refused before a server starts, with what would do', () => {
    expect(unusableLimits({ policy: 'teaching', limits: ['exploreRequests=12', 'wallMs=10m'] })).toBeNull();
    expect(unusableLimits({ policy: 'toString', limits: [] })).toContain(
      'unknown_policy: there is no policy "toString"',
    );
    expect(unusableLimits({ policy: 'deep', limits: ['foo=1'] })).toContain('unknown_limit: "foo=1" names no limit');
    expect(unusableLimits({ policy: 'deep', limits: ['exploreRequests=9007199254740991'] })).toContain(
      'write exploreRequests with at most 1000000',
    );
  });
});
