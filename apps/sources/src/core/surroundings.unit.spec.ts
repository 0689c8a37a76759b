import { surroundingsOf } from './surroundings.js';

const around = (text: string, passage: string): ReturnType<typeof surroundingsOf> => {
  const bytes = new TextEncoder().encode(text);
  const start = new TextEncoder().encode(text.slice(0, text.indexOf(passage))).length;
  const end = start + new TextEncoder().encode(passage).length;
  return surroundingsOf(bytes, 0, { start, end }, text.split('\n')[0] ?? '');
};

describe('surroundingsOf', () => {
  it('P6: a row of a table is shown with the header, also when a page lies between', () => {
    const rows = Array.from({ length: 40 }, (_, i) => `Name ${i}  0.${i + 10}  0.${i + 20}`);
    const text = `A survey of 2022\n\nFund  2021  2022\n${rows.slice(0, 20).join('\n')}\n\n${rows.slice(20).join('\n')}`;
    expect(around(text, 'Name 31  0.41  0.51').header).toBe('Fund  2021  2022');
    expect(around(text, 'A survey of 2022').header).toBeNull();
  });

  it('of rows between bars the header is the first that stands with them', () => {
    const table = '| Fund | 2021 |\n| --- | --- |\n| Zephyr | 0.4 |\n| Alder | 0.5 |';
    expect(around(`| Other | 1 |\n\nWords.\n\n${table}`, '| Alder | 0.5 |').header).toBe('| Fund | 2021 |');
    expect(around('Only | a word', 'Only').header).toBeNull();
  });

  it('of a table that began far above it is the first line of the text', () => {
    const rows = Array.from({ length: 900 }, (_, i) => `| Fund ${i} | ${i} |`);
    expect(around(`| name | rank |\n| --- | --- |\n${rows.join('\n')}`, '| Fund 880 | 880 |').header).toBe(
      '| name | rank |',
    );
  });

  it('C13: what stands before and after is cut at a blank, in whole characters, and marked', () => {
    const long = '甲乙丙丁 '.repeat(60);
    const { before, after } = around(`${long}HERE ${long}`, 'HERE');
    expect(before).toMatch(/^… 甲乙丙丁/);
    expect(after).toMatch(/甲乙丙丁…$/);
    expect(before + after).not.toContain('\ufffd');
    expect(around('a HERE b', 'HERE')).toEqual({ before: 'a ', after: ' b', header: null });
  });
});
