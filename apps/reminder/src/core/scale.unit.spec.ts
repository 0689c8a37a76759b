import { noticeLineBytes } from '@waymark/contracts/reminder';
import { doublingScale, fromTheStart, percentScale, periodScale } from './scale.js';
import { duration } from './words/duration.js';
import { quoted } from './words/quoted.js';

describe('stages', () => {
  it('R3: a percent stage is reached at its point and only the highest counts', () => {
    const scale = percentScale([50, 75, 90], 5, 40);
    expect([19, 20, 29, 30, 36, 45].map(scale.reached)).toEqual([0, 50, 50, 75, 90, 90]);
    expect(scale.first).toBe(20);
    expect(percentScale([50, 75, 90], 5, 0).reached(0)).toBe(90);
    expect(fromTheStart(scale).reached(1)).toBe(1);
  });

  it('R3: a stage has fallen only past its margin', () => {
    const scale = percentScale([50, 75, 90], 5, 100);
    expect([89, 85, 84].map((value) => scale.hasFallen(90, value))).toEqual([false, false, true]);
    expect([15, 14.3, 14.2].map((value) => periodScale(15, 5).hasFallen(1, value))).toEqual([false, false, true]);
    expect([4, 3].map((value) => doublingScale(5).hasFallen(4, value))).toEqual([false, true]);
  });

  it('R3: review points come every period, sources whenever their number has doubled', () => {
    expect([14, 15, 29, 30].map(periodScale(15, 5).reached)).toEqual([0, 1, 1, 2]);
    expect(periodScale(5e-324, 5).reached(1)).toBe(1_000_000);
    expect([0, 1, 2, 3, 4, 50].map(doublingScale(5).reached)).toEqual([0, 1, 2, 2, 4, 32]);
  });
});

describe('words', () => {
  it('R15: time has its units, and never promises more than there is', () => {
    expect(duration(45_001, 'en', 'up')).toBe('46 s');
    expect(duration(45_999, 'en', 'down')).toBe('45 s');
    expect(duration(720_000, 'en', 'up')).toBe('12 min');
    expect(duration(760_000, 'zh', 'down')).toBe('12 分 40 秒');
    expect(duration(0, 'zh', 'down')).toBe('0 秒');
  });

  it('F-R6, C13: a line is counted in bytes as it is sent, whatever stands in it', () => {
    const odd = [
      '',
      'abc',
      'é',
      '费用',
      '𝄞 and 😀',
      'x\ud800y',
      '\udc00',
      '字'.repeat(100),
      '"a\\b"',
      '\u0000\t\n\u001f\u007f',
    ];
    for (const text of odd) {
      const lines = new TextEncoder().encode(JSON.stringify(`${text}\n`));
      expect(noticeLineBytes(text)).toBe(lines.length - '""'.length);
    }
  });

  it('R15: a name from outside cannot break the sentence or its line', () => {
    expect(quoted('a\n"b"\u202e\u0000 c')).toBe('"a b c"');
    expect(quoted('费'.repeat(99))).toBe(`"${'费'.repeat(59)}…"`);
  });
});
