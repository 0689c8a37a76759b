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
      }),
      { numRuns: 3000 },
    );
  });
});
