import { effectiveDeadlines, endedStage } from './effective-deadlines.js';

const policy = { firstContentMs: 60_000, progressMs: 45_000, totalMs: 600_000 };

describe('effective deadlines', () => {
  it('T2: each deadline is the smaller of policy and time left, and says which', () => {
    expect(effectiveDeadlines(policy, 50_000, 'wall')).toEqual({
      firstContentMs: 50_000,
      progressMs: 45_000,
      totalMs: 50_000,
      leftMs: 50_000,
      bound: 'wall',
      bounds: { firstContent: 'wall', progress: 'policy', total: 'wall' },
    });
    expect(effectiveDeadlines(policy, 3_600_000).bound).toBe('policy');
    expect(effectiveDeadlines(policy, -5).totalMs).toBe(0);
  });

  it('T1: a time-out that a limit had cut short is named after the limit', () => {
    const cut = effectiveDeadlines(policy, 50_000, 'user');
    expect(endedStage('total_timeout', cut)).toBe('user_deadline_over');
    expect(endedStage('first_content_timeout', cut)).toBe('user_deadline_over');
    expect(endedStage('progress_timeout', cut)).toBe('progress_timeout');
    expect(endedStage('stream_cut', cut)).toBe('stream_cut');
    expect(endedStage('total_timeout', effectiveDeadlines(policy, 1, 'active'))).toBe('active_time_over');
    expect(endedStage('total_timeout', effectiveDeadlines(policy, 1, 'wall'))).toBe('wall_time_over');
    expect(endedStage('total_timeout', effectiveDeadlines(policy, 3_600_000))).toBe('total_timeout');
  });
});
