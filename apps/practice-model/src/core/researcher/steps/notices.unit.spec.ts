import { heed } from './notices.js';

describe('heed', () => {
  it.each([
    ['Explore requests: 39 of 40 used, counting this one; 1 is left.', false],
    ['Explore requests: 40 of 40 used, this is the last one; only finishing requests follow.', true],
    ['探索请求：共 40 次，已用 40 次，本次是最后一次，之后只有收尾请求。', true],
    ['探索请求:已用 40/40 次(含本次)。', true],
    ['36 of 40 explore requests are used and 4 are left: finish now with what is established.', true],
    ['收尾前活动时间共 54 分钟，已用 50 分钟，还剩 4 分钟：请立即用已确认的内容收尾。', true],
    ['Explore requests: 20 of 40 used, counting this one; 20 are left.', false],
    ['Finishing requests: 2 of 2 are left, counting this one.', false],
    ['Block "fees" has 1 of 2 revisions left; other blocks and the ending are not affected.', false],
  ])('"%s": time to write is %s', (notice, write) => {
    expect(heed(`[Notices]\n${notice}`).write).toBe(write);
  });

  it('knows the last finishing request, the call to begin, and the advice to have it reviewed', () => {
    expect(heed('This is your last finishing request: 1 of 2 is left, counting this one.').last).toBe(true);
    expect(heed('这是最后一次收尾请求：共 2 次，含本次还剩 1 次。').last).toBe(true);
    expect(heed('… 10 are left: begin to write and publish blocks from what is established.').begin).toBe(true);
    expect(heed('15 explore requests since …: go back to the question, and consider asking for a review.').review).toBe(
      true,
    );
    expect(heed('距上次复核或开始已过 8 次探索请求：请回看问题，并考虑请求一次复核。').review).toBe(true);
    expect(heed('距上次复核已过 8 次。').review).toBe(false);
    expect(heed('Context: 10 of 20 bytes.')).toMatchObject({ last: false, begin: false, review: false });
  });
});
