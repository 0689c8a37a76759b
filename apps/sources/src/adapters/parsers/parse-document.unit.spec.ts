import PDFDocument from 'pdfkit';
import { parseDocument, type ReadableKind } from './parse-document.js';
import type { Parsed } from './parsed.js';

async function parsed(kind: ReadableKind, bytes: Uint8Array | string): Promise<Parsed> {
  const result = await parseDocument(kind, Buffer.from(bytes as string));
  if (!result.ok) throw new Error(JSON.stringify(result.unreadable));
  return result.parsed;
}
async function fault(kind: ReadableKind, bytes: Uint8Array | string): Promise<string> {
  const result = await parseDocument(kind, Buffer.from(bytes as string));
  return result.ok ? 'none' : result.unreadable.code;
}
function pdf(options: PDFKit.PDFDocumentOptions, write: (document: PDFKit.PDFDocument) => void): Promise<Buffer> {
  const document = new PDFDocument(options);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
    write(document);
    document.end();
  });
}

describe('HTML', () => {
  const prose = 'The harbour moved more goods than in any year before it, as the port authority said. '.repeat(6);
  const page = `<!doctype html><html><head><title>Harbour &amp; port</title><style>p{}</style><script>var secret</script></head>
    <body><nav><a href="/">Home</a></nav><article><h1>Harbour</h1><p>${prose}</p><p>${prose}</p>
    <table><tr><th>Year</th><th>Tons</th></tr><tr><td>2023</td><td>1,234,567</td></tr><tr><td>2022</td><td></td></tr></table>
    <ul><li>one</li><li>two</li></ul><pre>a  b\n c</pre></article><script>alert(1)</script></body></html>`;

  test('the main content stays with its structure; scripts and navigation leave no text', async () => {
    const { title, text } = await parsed('html', page);
    expect(title).toBe('Harbour & port');
    expect(text.startsWith('# Harbour\n\n')).toBe(true);
    expect(text).toContain('as the port authority said.');
    expect(text).toContain('- one\n- two');
    expect(text).toContain('a  b\n c');
    expect(text).not.toMatch(/alert|secret|Home/);
  });

  test('tables become rows with every cell, empty ones too', async () => {
    const { text } = await parsed('html', page);
    expect(text).toContain('| Year | Tons |\n| --- | --- |\n| 2023 | 1,234,567 |\n| 2022 |  |');
  });

  test('a table outside the main content is not lost', async () => {
    const aside = '<div class="sidebar footer comment"><table><tr><td>Berths</td><td>42</td></tr></table></div>';
    const { text } = await parsed('html', page.replace('</article>', `</article>${aside}`));
    expect(text).toContain('| Berths | 42 |');
  });

  test('main content that is the smaller part of a page does not displace the rest', async () => {
    const items = Array.from({ length: 80 }, (_, i) => `<li>Berth ${i}: depth ${i + 5} m, length ${i * 10} m</li>`);
    const aside = `<div class="sidebar"><ul>${items.join('')}</ul></div>`;
    const { text } = await parsed('html', page.replace('</article>', `</article>${aside}`));
    expect(text).toContain('- Berth 42: depth 47 m, length 420 m');
  });

  test('a page that is nothing but a list is not lost', async () => {
    const { text } = await parsed(
      'html',
      '<html><body><ul><li>Key figure: 42</li><li>Other: 7</li></ul></body></html>',
    );
    expect(text.trim()).toBe('- Key figure: 42\n- Other: 7');
  });

  test('the charset that the page names is used', async () => {
    const body = Buffer.of(0xc6, 0xfb, 0xb3, 0xb5);
    const head = Buffer.from('<html><head><meta charset="gbk"></head><body><p>');
    expect((await parsed('html', Buffer.concat([head, body, Buffer.from('</p></body></html>')]))).text).toBe('汽车\n');
  });

  test('a heading that repeats the title stays in the text', async () => {
    const same = page.replace('<h1>Harbour</h1>', '<h1>Harbour &amp; port</h1>');
    expect((await parsed('html', same)).text.startsWith('# Harbour & port\n\n')).toBe(true);
  });

  test('a layout table does not hide the table in it, and depth breaks nothing', async () => {
    const inner = '<table><tr><td>a</td><td>b</td></tr></table>';
    expect((await parsed('html', `<table><tr><td>${inner}</td><td>c</td></tr></table>`)).text).toContain('| a | b |');
    const deep = `<html><body>${'<div>'.repeat(1_000)}deep${'</div>'.repeat(1_000)}</body></html>`;
    expect((await parsed('html', deep)).text).toBe('deep\n');
  });

  test('a page without text is no_text', async () => {
    expect(await fault('html', '<html><body><script>1</script></body></html>')).toBe('no_text');
  });
});

describe('CSV', () => {
  test('F-R7: every cell stays verbatim, with blanks, quotes, NULs and Chinese', async () => {
    const { text } = await parsed('csv', 'Name,Note\nA," 1,234 "\nB,"say ""x"""\nC,n\0l\n丁, 出口 \n');
    expect(text).toBe(
      '| Name | Note |\n| --- | --- |\n| A |  1,234  |\n| B | say "x" |\n| C | n\0l |\n| 丁 |  出口  |\n',
    );
  });

  test.each([';', '\t', '|', ','])('the delimiter %j is recognised', async (delimiter) => {
    const rows = [
      ['Year', 'Tons, metric'],
      ['2023', '1.5'],
      ['2022', '2.5'],
    ];
    const quoted = rows.map((row) =>
      row.map((cell) => (cell.includes(delimiter) ? `"${cell}"` : cell)).join(delimiter),
    );
    expect((await parsed('csv', quoted.join('\r\n'))).text).toContain('| 2023 | 1.5 |');
  });

  test('rows of other lengths are kept, and what is no table is kept as text', async () => {
    expect((await parsed('csv', 'a,b\n1\n1,2,3\n')).text).toBe('| a | b |\n| --- | --- |\n| 1 |\n| 1 | 2 | 3 |\n');
    expect((await parsed('csv', 'a,"never closed\n1,2\n')).text).toContain('never closed');
  });
});

describe('Markdown and text', () => {
  test('both stay as they are; Markdown is called by its first heading', async () => {
    const text = 'intro\n\n## Figures of 2023 ##\n\n| a | b |\n';
    expect(await parsed('md', text)).toEqual({ title: 'Figures of 2023', text, pages: null });
    expect(await parsed('txt', text)).toEqual({ title: '', text, pages: null });
  });

  test('blanks only is no_text; one byte is a text', async () => {
    expect(await fault('txt', ' \n\t')).toBe('no_text');
    expect((await parsed('txt', 'x')).text).toBe('x');
  });
});

describe('PDF', () => {
  test('lines, table rows and pages', async () => {
    const bytes = await pdf({ info: { Title: 'Annual report' } }, (document) => {
      document.fontSize(11).text('The harbour moved more goods.');
      [
        ['Year', 'Tons'],
        ['2023', '1,234,567'],
      ].forEach((row, i) =>
        row.forEach((cell, k) => document.text(cell, 72 + 150 * k, 120 + 14 * i, { lineBreak: false })),
      );
      document.addPage().text('Second page.', 72, 72);
    });
    const { title, text, pages } = await parsed('pdf', bytes);
    expect(title).toBe('Annual report');
    expect(text).toContain('Year  Tons\n2023  1,234,567');
    expect(pages?.join('')).toBe(text);
    expect(pages?.[1]).toBe('Second page.');
  });

  test('a password is encrypted, rubbish is damaged, pages without text are no_text', async () => {
    expect(await fault('pdf', await pdf({ userPassword: 'x' }, (document) => document.text('secret')))).toBe(
      'encrypted',
    );
    expect(await fault('pdf', '%PDF-1.7\nrubbish')).toBe('damaged');
    expect(await fault('pdf', await pdf({}, (document) => document.rect(0, 0, 9, 9).fill('red')))).toBe('no_text');
  });
});
