import { PlayedRun } from '../../test/played-run.js';
import { settlementFromRecord } from './end-run.js';
import type { RunContext } from './run-context.js';

const settled = (p: PlayedRun, reservation: string) =>
  settlementFromRecord({ state: p.state } as unknown as RunContext, {
    reservation,
    key: 'k',
    holder: 'run',
    epoch: 1,
    purpose: 'explore',
    grantedAgeMs: 1,
  });

describe('L4, B3: a reservation that a dead owner left open', () => {
  it('B3, L4: without an intent nothing was sent: it gives everything back', () => {
    expect(settled(new PlayedRun(), 'r1')).toMatchObject({ outcome: 'not_sent', content: false, code: 'no_intent' });
  });

  it('L4, B3: an intent without an outcome is unknown, and counts as used for good', () => {
    const p = new PlayedRun();
    p.intend();
    expect(settled(p, 'r1')).toMatchObject({ outcome: 'unknown', content: false, code: 'owner_died', usage: null });
  });

  it('B3, B13: an outcome on record is told again as it was, with the usage that was reported', () => {
    const p = new PlayedRun();
    const usage = { inputTokens: 9, outputTokens: 1, cachedInputTokens: null, costMicros: null };
    p.intend();
    p.settle({ usage, empty: true });
    p.intend();
    p.settle({ outcome: 'failed', content: false, code: 'rate_limited', delivery: 'rejected' });
    expect(settled(p, 'r1')).toEqual({ reservation: 'r1', outcome: 'completed', content: true, code: null, usage });
    expect(settled(p, 'r2')).toMatchObject({ outcome: 'failed', content: false, code: 'rate_limited', usage: null });
  });
});
