import { bytesText, columns, durationText, oneLine, table } from './words.js';

describe('foreign text on a terminal', () => {
  it('bears no control character, no direction mark, no second line', () => {
    expect(oneLine('a\u001b[31mred\u001b[0m\r\nb\u202etxt\u0007')).toBe('a [31mred [0m b txt');
    expect(oneLine('界'.repeat(10), 4)).toBe('界界界…');
    expect(oneLine('😀😀😀', 2)).toBe('😀…');
  });
});

describe('amounts', () => {
  it('are said in a unit that people read', () => {
    expect([0, 1023, 1024, 1536, 5 * 1024 * 1024].map(bytesText)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KiB',
      '1.5 KiB',
      '5.0 MiB',
    ]);
    expect([0, 999, 1_000, 59_900, 60_000, 61_000, 3_600_000, 5_430_000].map(durationText)).toEqual([
      '0 ms',
      '999 ms',
      '1.0 s',
      '59.9 s',
      '1 min',
      '1 min 1 s',
      '1 h',
      '1 h 30 min 30 s',
    ]);
  });

  it('stand in columns, also beside Han characters', () => {
    expect(columns('中文a')).toBe(5);
    expect(
      table(
        [
          ['中', '1'],
          ['abc', '22'],
        ],
        new Set([1]),
      ),
    ).toEqual(['中    1', 'abc  22']);
  });
});
