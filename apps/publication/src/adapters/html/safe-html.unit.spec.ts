import { safeHtml } from './safe-html.js';

const none = () => null;
const html = (text: string) => safeHtml(text, none);

describe('Markdown to harmless HTML', () => {
  it.each([
    ['a script', '<script>alert(1)</script>'],
    ['a handler', 'x <img src=x onerror=alert(1)> y'],
    ['a handler on an allowed tag', '<p onclick="alert(1)">x</p>'],
    ['a javascript link', '[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) <javascript:alert(1)>'],
    ['a data link', '[x](data:text/html;base64,PHNjcmlwdD4=)'],
    ['an image that calls home', '![x](http://evil.example/pixel.png)'],
    ['a frame', '<iframe src="http://evil.example"></iframe>'],
    ['a style', '<style>body{display:none}</style><link rel=stylesheet href=http://evil.example>'],
    ['an svg', '<svg><script>alert(1)</script></svg>'],
    ['an attribute broken out of', '[x](http://a.example/"onmouseover="alert(1) "t\\"onclick=\\"alert(1)")'],
    ['a form', '<form action="http://evil.example"><button>go</button></form>'],
    ['a base', '<base href="http://evil.example">'],
  ])('P7: %s in a block is shown or dropped, never carried out', (_what, text) => {
    const tags = [...html(text).matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
    for (const [, name, attributes] of tags) {
      expect(['p', 'a']).toContain(name);
      expect(attributes).not.toMatch(/ on\w+=|javascript:|data:|style=/i);
    }
  });

  it('P7: raw HTML is shown as text, so that nothing is lost or hidden', () => {
    expect(html('if a <b and c> d')).toContain('if a &lt;b and c&gt; d');
    expect(html('before\n\n<!-- the rest is gone\n\nafter')).toMatch(/&lt;!-- the rest is gone[\s\S]*after/);
    const marked = safeHtml('<div>5 % [1]</div>', () => [{ label: '1', anchor: 'c-a-1', failed: false }]);
    expect(marked).toContain('&lt;div&gt;5 % <a class="cite" href="#c-a-1">[1]</a>&lt;/div&gt;');
    expect(html('</section></main>')).toBe('<p>&lt;/section&gt;&lt;/main&gt;</p>\n');
  });

  it('P7: headings of a block stand below its own, tables and links work', () => {
    expect(html('# Head\n\n|a|b|\n|-|-:|\n|1|2|')).toMatch(/<h3>Head<\/h3>[\s\S]*<td align="right">2<\/td>/);
    expect(html('[x](https://a.example/?q=1)')).toContain(
      '<a href="https://a.example/?q=1" rel="noopener noreferrer nofollow">x</a>',
    );
  });

  it('P6: markers are linked and cannot be taken over by a link definition', () => {
    const links = (marker: string) => (marker === '1' ? [{ label: '1', anchor: 'c-a-1', failed: false }] : null);
    const out = safeHtml('rose by 5 % [1]\n\n[1]: http://evil.example', links);
    expect(out.match(/<a class="cite" href="#c-a-1">\[1\]<\/a>/g)).toHaveLength(2);
    expect(out).not.toMatch(/href="http:\/\/evil\.example"[^>]*>1</);
  });

  it('F-R7: control characters and lone surrogates are shown as replaced', () => {
    expect(html('a\0b\ud800c')).toBe('<p>a\ufffdb\ufffdc</p>\n');
  });

  it('P7: a text that would stall or exhaust the parser is shown as it was written, soon', () => {
    for (const unit of ['_a', '[', '***a', '> ', '>', '1. ', '- ', '![', '<a ', '~~a', '`a']) {
      const text = unit.repeat(Math.floor((32 * 1024) / unit.length));
      expect(html(text)).toMatch(/^<pre>/);
    }
    expect(html('x'.repeat(65 * 1024))).toMatch(/^<pre>x/);
  });
});
