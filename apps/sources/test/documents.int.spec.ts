import { sourcesContracts as contracts, MAX_READ_BYTES } from '@waymark/contracts/sources';
import PDFDocument from 'pdfkit';
import { startSources, type SourcesService } from './sources-service.js';

let sources: SourcesService;
beforeAll(async () => (sources = await startSources()), 60_000);
afterAll(() => sources.stop());

function pdf(pages: readonly string[], options: PDFKit.PDFDocumentOptions = {}): Promise<Buffer> {
  const document = new PDFDocument({ autoFirstPage: false, ...options });
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks)));
    for (const page of pages) document.addPage().text(page);
    document.end();
  });
}

const HTML = `<html><head><title>Ferry lines</title></head><body><h1>Ferry lines</h1><p>The ferry carried passengers.</p>
<table><tr><th>Line</th><th>Passengers</th></tr><tr><td>North</td><td>98,765</td></tr></table></body></html>`;

test('documents of all five kinds become text with locators and labels', async () => {
  await sources.add('kinds', 'a.pdf', await pdf(['The harbour moved 1,234,567 tons.', 'Second page: dredging.']));
  await sources.add('kinds', 'b.html', HTML);
  await sources.add('kinds', 'c.md', '# Rail\n\nThe railway opened in 1887.\n');
  await sources.add('kinds', 'd.csv', 'Year;Cranes\n2022;17\n2023;19\n');
  await sources.add('kinds', 'e/notes.txt', 'Notes on tolls.\n');
  const documents = await sources.settled('kinds');
  expect(
    [...documents.values()].map(({ name, kind, title, status, pages }) => [name, kind, title, status, pages]),
  ).toEqual([
    ['a.pdf', 'pdf', 'a.pdf', 'ready', 2],
    ['b.html', 'html', 'Ferry lines', 'ready', null],
    ['c.md', 'md', 'Rail', 'ready', null],
    ['d.csv', 'csv', 'd.csv', 'ready', null],
    ['e/notes.txt', 'txt', 'notes.txt', 'ready', null],
  ]);
  const found = async (query: string): Promise<string> => {
    const { hits } = await sources.ask(contracts.search, { corpus: 'kinds', query });
    return `${hits[0]?.name} ${hits[0]?.label}`;
  };
  expect(await found('dredging')).toBe('a.pdf page 2');
  expect(await found('1234567')).toBe('a.pdf page 1');
  expect(await found('98,765 passenger')).toBe('b.html lines 1–7');
  expect(await found('when did the railways open')).toBe('c.md lines 1–3');
  expect(await found('cranes 2023')).toBe('d.csv lines 1–4');
  const counts = await sources.ask(contracts.describeCorpus, { corpus: 'kinds' });
  expect(counts).toMatchObject({ documents: 5, ready: 5, pending: 0, unreadable: 0 });
}, 60_000);

test('files that cannot be read are listed by name and reason, and the rest goes on', async () => {
  const damaged = (await pdf(['cut off in the middle of its first page, which nobody can open again'])).subarray(
    0,
    300,
  );
  await sources.add('faults', '1-damaged.pdf', damaged);
  await sources.add('faults', '2-empty.txt', '');
  await sources.add('faults', '3-locked.pdf', await pdf(['secret'], { userPassword: 'x' }));
  await sources.add('faults', '4-large.txt', Buffer.alloc(30 * 1024 * 1024, 'a'));
  await sources.add('faults', '5-office.docx', 'PK\u0003\u0004…');
  await sources.add('faults', '6-blank.md', ' \n');
  await sources.add('faults', '7-good.txt', 'the rest goes on');
  const documents = await sources.settled('faults', 60_000);
  expect([...documents.values()].map(({ name, status, reason }) => [name, status, reason?.code])).toEqual([
    ['1-damaged.pdf', 'unreadable', 'damaged'],
    ['2-empty.txt', 'unreadable', 'empty'],
    ['3-locked.pdf', 'unreadable', 'encrypted'],
    ['4-large.txt', 'unreadable', 'too_large'],
    ['5-office.docx', 'unreadable', 'unsupported_kind'],
    ['6-blank.md', 'unreadable', 'no_text'],
    ['7-good.txt', 'ready', undefined],
  ]);
  const locator = documents.get('3-locked.pdf')!.locator;
  const refusal = await sources.refusal(contracts.readRange, { corpus: 'faults', locator });
  expect(refusal).toMatchObject({ code: 'unreadable', message: expect.stringContaining('password') });
  expect(await sources.ask(contracts.describeCorpus, { corpus: 'faults' })).toMatchObject({
    documents: 7,
    unreadable: 6,
  });
}, 120_000);

test('adding is idempotent by corpus, name and content; the object is taken over', async () => {
  const { add, objects, ask } = sources;
  const object = await objects.put('twice', Buffer.from('the same'));
  const first = await ask(contracts.addDocument, { corpus: 'twice', name: 'a.txt', object });
  const again = await ask(contracts.addDocument, { corpus: 'twice', name: 'a.txt', object });
  expect([first.created, again.created]).toEqual([true, false]);
  expect(again.document.locator).toBe(first.document.locator);
  await expect(objects.get(object)).rejects.toMatchObject({ code: 'unknown_object' });
  const other = await add('twice', 'a.txt', 'another text under the same name');
  expect(other.locator).not.toBe(first.document.locator);
  expect((await add('elsewhere', 'a.txt', 'the same')).locator).not.toBe(first.document.locator);
  const rival = await objects.put('rivals', Buffer.from('rivals'));
  const request = { corpus: 'twice', name: 'rivals.txt', object: rival };
  const replies = await Promise.all([ask(contracts.addDocument, request), ask(contracts.addDocument, request)]);
  expect(replies.filter(({ created }) => created)).toHaveLength(1);
});

test('a name that leaves its folder, a missing object and a wrong digest are refused with a remedy', async () => {
  const object = await sources.objects.put('refused', Buffer.from('x'));
  const add = (change: object) =>
    sources.refusal(contracts.addDocument, { corpus: 'refused', name: 'x', object, ...change });
  expect(await add({ name: '../x' })).toMatchObject({ code: 'bad_name', field: 'name', remedy: expect.any(String) });
  expect(await add({ object: { ...object, name: 'nobody' } })).toMatchObject({ code: 'unknown_object' });
  expect(await add({ object: { ...object, digest: '0'.repeat(64) } })).toMatchObject({ code: 'object_mismatch' });
  expect(await add({ surplus: 1 })).toMatchObject({ code: 'unknown_field' });
  expect(await sources.refusal(contracts.describeCorpus, { corpus: 'refused' })).toMatchObject({
    code: 'unknown_corpus',
  });
});

test('documents are listed by name, page by page', async () => {
  for (const name of ['c.txt', 'a.txt', 'b/a.txt']) await sources.add('pages', name, name);
  const first = await sources.ask(contracts.listDocuments, { corpus: 'pages', limit: 2 });
  expect(first.documents.map(({ name }) => name)).toEqual(['a.txt', 'b/a.txt']);
  const after = first.next ?? undefined;
  const rest = await sources.ask(contracts.listDocuments, { corpus: 'pages', after, limit: 2 });
  expect(rest).toMatchObject({ documents: [{ name: 'c.txt' }], next: null });
  const lost = { corpus: 'pages', after: 'doc:none' };
  expect(await sources.refusal(contracts.listDocuments, lost)).toMatchObject({
    code: 'unknown_locator',
    field: 'after',
  });
});

describe('reading ranges', () => {
  async function ready(corpus: string, name: string, text: string | Uint8Array): Promise<string> {
    await sources.add(corpus, name, text);
    return (await sources.settled(corpus)).get(name)!.locator;
  }

  test('F-R1: five lines of 20,000 characters are read to the end in growing, bounded ranges', async () => {
    const text = Array.from({ length: 5 }, (_, i) => `${i}`.repeat(20_000)).join('\n');
    const locator = await ready('long', 'long.txt', text);
    let whole = '';
    for (let start = 0; ;) {
      const part = await sources.ask(contracts.readRange, { corpus: 'long', locator, start, end: start + 1_000_000 });
      expect(part).toMatchObject({ start, total: text.length });
      expect(part.end - part.start).toBeLessThanOrEqual(MAX_READ_BYTES);
      expect(part.end).toBeGreaterThan(start);
      whole += part.text;
      start = part.end;
      if (!part.more) break;
    }
    expect(whole).toBe(text);
  });

  test('C5: a result states its range, the total, whether more follows and where it stands', async () => {
    const locator = await ready('stated', 'lines.txt', 'line\n'.repeat(4_000));
    const read = (start?: number, end?: number) =>
      sources.ask(contracts.readRange, { corpus: 'stated', locator, start, end });
    expect(await read()).toMatchObject({ start: 0, end: 8192, total: 20_000, more: true, label: 'lines 1–1639' });
    expect(await read(19_990)).toMatchObject({ start: 19_990, end: 20_000, more: false, label: 'lines 3999–4000' });
    expect(await read(5, 10)).toMatchObject({ text: 'line\n', label: 'line 2' });
  });

  test('F-R6, C13: a hundred Chinese characters are 300 bytes, and no character is split', async () => {
    const locator = await ready('han', 'han.txt', '研'.repeat(100));
    const read = (start: number, end: number) =>
      sources.ask(contracts.readRange, { corpus: 'han', locator, start, end });
    expect(await read(0, 300)).toMatchObject({ total: 300, text: '研'.repeat(100) });
    expect(await read(1, 11)).toMatchObject({ start: 3, end: 9, text: '研研' });
    expect(await read(4, 5)).toMatchObject({ start: 3, end: 6, text: '研' });
  });

  test('C13: reading across blocks of a large text, twice, gives the same', async () => {
    const text = '研究报告\n'.repeat(20_000);
    const locator = await ready('blocks', 'large.txt', text);
    const bytes = Buffer.from(text);
    for (let round = 0; round < 2; round += 1) {
      for (const start of [0, 65_530, 65_536, 131_000, bytes.length - 100]) {
        const part = await sources.ask(contracts.readRange, { corpus: 'blocks', locator, start, end: start + 5_000 });
        expect(part.text).toBe(bytes.subarray(part.start, part.end).toString());
        expect(part.label).toMatch(new RegExp(`^lines ${Math.floor(part.start / 13) + 1}–`));
      }
    }
  });

  test('F-R7: a NUL, its six-character escape and a lone surrogate come back unchanged', async () => {
    const text = 'a\0b \\u0000 c\ud800d';
    const locator = await ready('odd', 'odd.txt', Buffer.from(`\ufeff${text}`, 'utf16le'));
    expect((await sources.ask(contracts.readRange, { corpus: 'odd', locator })).text).toBe(text);
    const { hits } = await sources.ask(contracts.search, { corpus: 'odd', query: 'u0000' });
    expect(hits).toHaveLength(1);
  });

  test('what cannot be read says why', async () => {
    const locator = await ready('why', 'a.txt', 'ten bytes.');
    const refused = async (request: object): Promise<string> =>
      (await sources.refusal(contracts.readRange, { corpus: 'why', locator, ...request })).code;
    expect(await refused({ start: 10 })).toBe('range_outside');
    expect(await refused({ start: 2 ** 40 })).toBe('range_outside');
    expect(await refused({ start: 5, end: 5 })).toBe('empty_range');
    expect(await refused({ start: -1 })).toBe('invalid_field');
    expect(await refused({ locator: 'doc:none' })).toBe('unknown_locator');
    expect(await refused({ corpus: 'nobody' })).toBe('unknown_locator');
  });

  test('P6: cited ranges are checked each for itself, with the beginning of the passage', async () => {
    const text = '研究：港口2023年的货运量。'.repeat(20);
    const locator = await ready('cited', 'cited.txt', text);
    const total = Buffer.byteLength(text);
    const ranges = [
      { locator, start: 0, end: 6 },
      { locator, start: 0, end: total },
      { locator, start: 1, end: 6 },
      { locator, start: 0, end: total + 1 },
      { locator, start: 2 ** 40, end: 2 ** 41 },
      { locator, start: 6, end: 6 },
      { locator: 'doc:none', start: 0, end: 6 },
    ];
    const { results } = await sources.ask(contracts.checkRanges, { corpus: 'cited', ranges });
    expect(results.map(({ status }) => status)).toEqual([
      ...['ok', 'ok', 'not_on_characters', 'range_outside', 'range_outside', 'empty_range', 'unknown_locator'],
    ]);
    expect(results[0]).toEqual({
      ...{ status: 'ok', name: 'cited.txt', total, quote: '研究', label: 'line 1' },
      context: { before: '', after: expect.stringMatching(/^：港口2023年的货运量。.*…$/), header: null },
    });
    const quote = results[1]?.quote ?? '';
    expect(text.startsWith(quote)).toBe(true);
    expect([198, 199, 200]).toContain(Buffer.byteLength(quote));
    expect(results[6]).toEqual({ status: 'unknown_locator', name: null, total: null, quote: null });
  });
});
