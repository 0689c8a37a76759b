import { blockOf, citation, reportOf } from '../../../test/given.js';
import { containMarkdown } from './contain-markdown.js';
import { escapeHtml } from './escape-html.js';
import { markerLinks } from './markers.js';
import { renderMarkdown } from './render-markdown.js';
import { renderPage } from './render-page.js';

const page = (report: Parameters<typeof renderPage>[0]) =>
  renderPage(report, (block) => `<p>${escapeHtml(block?.text ?? report.closing ?? '')}</p>`);
const inOrder = (text: string, parts: readonly string[]) => {
  const places = parts.map((part) => text.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
};

const full = reportOf({
  outcome: 'partial',
  code: 'explore_exhausted',
  reason: 'the 4 explore requests were used up',
  blocks: [
    blockOf({ citations: [citation(), citation({ status: 'failed', reason: 'unknown_locator', quote: null })] }),
    blockOf({ block: 'cost', title: 'Cost', text: 'It cost 7.', citations: [] }),
  ],
  corrections: [
    { block: 'cost', title: 'Cost', from: 1, to: 2, reason: 'a unit was wrong', at: '2026-01-01T00:00:00.000Z' },
  ],
  gaps: ['no figures for plant C'],
});

describe('the report as readers see it', () => {
  it.each([
    ['page', page],
    ['Markdown', renderMarkdown],
  ])('P7: the %s is organised round the question and holds all that stands', (_name, render) => {
    inOrder(render(full), [
      'How did the three plants differ in 2023?',
      'The evidence is partial',
      '1 of 2 citations failed their check',
      'Answer',
      'Plant A led',
      'Output',
      'Grounds',
      'plants.csv',
      'bytes 10–42',
      'Plant A,40',
      'FAILED CITATION (unknown',
      'It cost 7.',
      'No grounds are cited for this section.',
      'Revised sections',
      'Cost: version 1 was replaced by version 2',
      'a unit was wrong',
      'What this report leaves open',
      'no figures for plant C',
      'Byte ranges count the text that was extracted from a source',
      'Outcome',
      'partial — the 4 explore requests were used up',
      'explore_exhausted',
    ]);
  });

  it('P7: a completed report with all its grounds says nothing of partial evidence, an open one says that it is open', () => {
    expect(page(reportOf())).not.toMatch(/partial|class="status"/);
    const open = reportOf({ state: 'open', outcome: null, code: null, reason: null, closing: null });
    expect(page(open)).toContain('This report is still being written.');
    expect(renderMarkdown(open)).toContain('This report is still being written.');
  });

  it('L10, P7: a failed run without any block still gives a page with outcome and reason', () => {
    const failed = reportOf({
      outcome: 'failed',
      code: 'model_unusable',
      reason: 'the key was refused',
      closing: null,
    });
    for (const text of [page({ ...failed, blocks: [] }), renderMarkdown({ ...failed, blocks: [] })]) {
      inOrder(text, ['How did', 'The research failed', 'Nothing was published.', 'failed — the key was refused']);
    }
  });

  it('P7: headings follow the language of the run', () => {
    const zh = { ...full, language: 'zh' as const };
    expect(page(zh)).toContain('<html lang="zh-Hans">');
    for (const text of [page(zh), renderMarkdown(zh)]) {
      inOrder(
        text,
        ['问题', '证据不完整', '结论', '依据', '引用失败', '修订过的章节', '本报告尚未解决的问题', '结果'].slice(
          text[0] === '#' ? 0 : 1,
        ),
      );
    }
  });

  it('P7: a known reason is told in the language of the run, an unknown one in its own words', () => {
    const zh = (change: object): string =>
      renderMarkdown(reportOf({ language: 'zh', outcome: 'completed', ...change }));
    expect(zh({ code: 'finished', reason: 'The model finished by itself.' })).toContain(
      '**结果：** 完成。模型自行完成。',
    );
    expect(zh({ code: 'explore_exhausted', reason: 'Exploring was cut short.' })).not.toContain('Exploring');
    expect(zh({ code: 'provider_refused', reason: 'the key was refused' })).toContain('完成。the key was refused');
    expect(zh({ code: 'finished', reason: '自己的话' })).toContain('完成。自己的话');
    expect(renderMarkdown(reportOf({ code: 'finished', reason: 'Done.' }))).toContain('Done.');
  });

  it('P6, P7: what byte ranges count is said once, and only where something is cited', () => {
    const note = 'Byte ranges count the text';
    expect(page(full).split(note)).toHaveLength(2);
    expect(renderMarkdown(full).split(note)).toHaveLength(2);
    expect(renderMarkdown(reportOf({ blocks: [blockOf({ citations: [] })] }))).not.toContain(note);
  });

  it('P6: a passage is told with its page, and opens to its neighbours and the header of its table', () => {
    const context = { before: 'Before <b>. ', after: ' After.', header: 'Plant  2023' };
    const cited = reportOf({ blocks: [blockOf({ citations: [citation({ label: 'page 3', context })] })] });
    const html = page(cited);
    expect(html).toMatch(/page 3 · <code>/);
    expect(html).toContain('<summary>in its place</summary>');
    expect(html).toContain('<span class="head">Plant  2023</span>');
    expect(html).toContain('Before &lt;b&gt;. <mark>Plant A,40</mark> After.');
    expect(renderMarkdown(cited)).toMatch(/page 3, `doc:[^\n]*\n\n {2}> Plant 2023\n {2}>\n {2}> Plant A,40/);
    expect(page({ ...cited, language: 'zh' })).toContain('第 3 页 · <code>');
  });

  it('P6: each marker leads to its citation with the passage, from the closing text through its section', () => {
    const [output] = full.blocks;
    expect(markerLinks('1', full, output!)).toEqual([{ label: '1', anchor: 'c-output-1', failed: false }]);
    expect(markerLinks('1, 2', full, output!)).toMatchObject([{ failed: false }, { failed: true }]);
    expect(markerLinks('3', full, output!)).toBeNull();
    expect(markerLinks('1,3', full, output!)).toBeNull();
    expect(markerLinks('1', full, null)).toBeNull();
    expect(markerLinks('output', full, null)).toMatchObject([{ anchor: 'b-output' }]);
    expect(markerLinks('output:2', full, null)).toMatchObject([{ anchor: 'c-output-2', failed: true }]);
    expect(markerLinks('cost:1', full, null)).toBeNull();
    expect(page(full)).toMatch(/<li id="c-output-1">[\s\S]*?<blockquote[^>]*>Plant A,40<\/blockquote>/);
    expect(page(full)).toContain('<li id="c-output-2" class="failed">');
  });

  it('P7: nothing of others is markup in the page', () => {
    const hostile = "\"><script>alert(1)</script><b onclick='x'>";
    const text = page(
      reportOf({
        question: hostile,
        reason: hostile,
        code: hostile,
        closing: hostile,
        gaps: [hostile],
        blocks: [blockOf({ title: hostile, text: hostile, citations: [citation({ name: hostile, quote: hostile })] })],
        corrections: [{ block: 'output', title: hostile, from: 1, to: 2, reason: hostile, at: hostile }],
      }),
    );
    expect(text).not.toMatch(/<script|<b |onclick='/);
    expect(text.match(/&lt;script&gt;/g)!.length).toBeGreaterThanOrEqual(11);
    expect(text).toContain("default-src 'none'");
  });

  it('P7: nothing of others is markup in the Markdown outside a block', () => {
    const hostile = '# [x](http://evil.example) <b>\n# second *line*';
    const text = renderMarkdown(
      reportOf({ question: hostile, gaps: [hostile], blocks: [blockOf({ title: hostile, citations: [] })] }),
    );
    expect(text.match(/^#+ .*/gm)).toEqual([
      '# Research report',
      '## Answer',
      '## \\# \\[x\\](http://evil.example) &lt;b&gt; \\# second \\*line\\*',
      '## What this report leaves open',
    ]);
  });

  it('P7: direction marks and control characters cannot dress a text up as another', () => {
    expect(escapeHtml('a\u202eb\u0007')).toBe('a‹U+202E›b\ufffd');
  });

  it('P7: a long question stands whole below its first words', () => {
    const question = `${'word '.repeat(100)}end`;
    expect(page(reportOf({ question }))).toContain(`<div class="asked" dir="auto">${question}</div>`);
  });
});

describe('a block as a part of a larger Markdown', () => {
  it.each([
    ['an open fence is closed', 'a\n```js\nb', 'a\n```js\nb\n```'],
    ['an open longer fence is closed by its like', '````\n```\n', '````\n```\n\n````'],
    ['a closed fence stays', '~~~\n# no heading\n~~~\nx', '~~~\n# no heading\n~~~\nx'],
    ['headings go below the section', '# A\n## B\n###### C', '### A\n#### B\n###### C'],
    ['underlined headings too', 'A\n===\n\nB\n---', '### A\n\n#### B'],
    ['a rule and a table stay', 'x\n\n---\n\n|a|\n|---|\n|1|', 'x\n\n---\n\n|a|\n|---|\n|1|'],
    ['an open comment hides nothing', '<!-- x\n\ny', '<\u200b!-- x\n\ny'],
    ['code spans look as written', 'a `<b>` <b> <https://x.example>', 'a `<\u200bb>` <\u200bb> <https://x.example>'],
    ['a link definition is text', '- [1]: http://evil.example', '- [1]\u200b: http://evil.example'],
    ['a fence in a list stands at the margin', '- a\n  ```\n  b\n<b>', '- a\n```\n  b\n<b>\n```'],
    ['an underline below a fence is a rule', '```\na\n```\n---', '```\na\n```\n\n---'],
    ['an underline below no text is text', '    a\n===', '    a\n\\==='],
  ])('P7: %s', (_what, text, contained) => {
    expect(containMarkdown(text, 2)).toBe(contained);
  });

  it('P7: text in, text out: a plain text is not changed', () => {
    const plain = 'Output rose by 5 % [1].\n\n- one\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |';
    expect(containMarkdown(plain, 2)).toBe(plain);
  });
});
