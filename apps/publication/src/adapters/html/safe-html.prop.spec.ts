import fc from 'fast-check';
import { safeHtml } from './safe-html.js';

const piece = fc.constantFrom(
  ...[
    '<',
    '>',
    '"',
    "'",
    '&',
    '=',
    '/',
    '!',
    '--',
    '[',
    ']',
    '(',
    ')',
    '`',
    '*',
    '_',
    '~',
    '|',
    '\\',
    '\n',
    '\n\n',
    ' ',
  ],
  ...[
    'script',
    'img src=x onerror=',
    'svg onload=',
    'a href=',
    'javascript:',
    'data:text/html,',
    'style',
    '&#106;',
    '&lt;',
  ],
  ...[
    '[x](',
    '![x](',
    '[1]: ',
    '[1]',
    'http://a.example',
    '\0',
    '\ud800',
    '<!--',
    ']]>',
    '<![CDATA[',
    '</main>',
    '> ',
    '- ',
  ],
);
const hostile = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
const TAG = /<(\/?)([^\s>/]*)([^>]*)>/g;
const ALLOWED = /^(p|br|hr|h[3-6]|ul|ol|li|blockquote|pre|code|em|strong|del|table|thead|tbody|tr|th|td|a|input)$/;

describe('any Markdown as HTML', () => {
  it('P7: only tags of the list come out, balanced, with links to http(s) and to the page itself', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = safeHtml(text, (marker) =>
          marker === '1' ? [{ label: '1', anchor: 'c-a-1', failed: false }] : null,
        );
        const open: string[] = [];
        for (const [, end, name, attributes] of html.matchAll(TAG)) {
          expect(name).toMatch(ALLOWED);
          for (const [, key, address] of attributes!.matchAll(/([\w-]+)="([^"]*)"/g)) {
            expect(['href', 'title', 'class', 'rel', 'start', 'align', 'type', 'checked', 'disabled']).toContain(key);
            if (key === 'href') expect(address).toMatch(/^(https?:\/\/|#)/);
          }
          if (/^(br|hr|input)$/.test(name!)) continue;
          if (end) expect(open.pop()).toBe(name);
          else open.push(name!);
        }
        expect(open).toEqual([]);
        expect(html.replace(TAG, '')).not.toMatch(/[<\0\ud800]/);
      }),
      { numRuns: 500 },
    );
  });
});
