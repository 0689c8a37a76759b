import fc from 'fast-check';
import { Marked, type Token } from 'marked';
import { containMarkdown } from './contain-markdown.js';

const piece = fc.constantFrom(
  ...[
    '# ',
    '## ',
    '```',
    '````',
    '~~~',
    '`',
    '<!-- ',
    '-->',
    '<div>',
    '<script>',
    '</',
    '<?',
    '[1]: ',
    '[1]',
    '> ',
    '- ',
  ],
  ...[
    '1. ',
    '===',
    '---',
    '|',
    '    ',
    '\t',
    '\n',
    '\n\n',
    'word',
    ' ',
    '\\',
    '*',
    '_',
    '\r',
    '\u2028',
    '&lt;',
    '汉',
    ':',
  ],
  ...['](', ')', '![', '(', 'javascript:a', 'java&#115;cript:a', 'data:a', '../a', 'https://a.example', '[x](', ' "t"'],
);
const hostile = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe('any text as a part of a larger Markdown', () => {
  it('P7: no text ends its section, opens another, or hides what follows', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const whole = `## Ours\n\n${containMarkdown(text, 2)}\n\n## Next\n\nseen [1]\n`;
        const tokens = new Marked({ gfm: true }).lexer(whole).filter(({ type }) => type !== 'space');
        expect(tokens.at(-1)).toMatchObject({ type: 'paragraph', text: 'seen [1]' });
        const heads = tokens.filter(({ type, depth }: Token & { depth?: number }) => type === 'heading' && depth! <= 2);
        expect(heads.map((token) => 'text' in token && token.text)).toEqual(['Ours', 'Next']);
        const inline = tokens.at(-1) as Token & { tokens: Token[] };
        expect(inline.tokens.every(({ type }) => type === 'text')).toBe(true);
        expect(JSON.stringify(tokens)).not.toContain('"type":"html"');
        expect(JSON.stringify(tokens)).not.toContain('"type":"image"');
        for (const address of addresses(tokens)) expect(address).toMatch(/^https?:\/\//i);
      }),
      { numRuns: 3000 },
    );
  });

  it('a link in brackets that leads anywhere but to the web, and a picture, are plain text', () => {
    const linked = (text: string) => addresses(new Marked({ gfm: true }).lexer(containMarkdown(text, 2)));
    for (const text of [
      '[x](javascript:alert(1))',
      '[x](JaVaScRiPt:alert(1))',
      '[x](java&#115;cript:alert(1))',
      '[x](<javascript:alert(1)>)',
      '[x](\njavascript:alert(1))',
      '[x]( \tdata:text/html,x "t")',
      '[x](../../other)',
      '[x]()',
      '# [x](vbscript:a)',
      '![x](javascript:a)',
    ])
      expect([text, linked(text)]).toEqual([text, []]);
    expect(linked('[a](https://a.example/b_(c)) and [b](<http://b.example/c>)')).toEqual([
      'https://a.example/b_(c)',
      'http://b.example/c',
    ]);
    expect(containMarkdown('![x](https://a.example/p.png)', 2)).toBe('!\u200b[x](https://a.example/p.png)');
  });
});

/** Where the links and pictures of a text lead. */
function addresses(tokens: unknown): string[] {
  if (typeof tokens !== 'object' || tokens === null) return [];
  const own = 'href' in tokens && typeof tokens.href === 'string' ? [tokens.href] : [];
  return [...own, ...Object.values(tokens).flatMap(addresses)];
}
