import { detectKind } from './document-kind.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');

test.each([
  ['pdf', '%PDF-1.7\n…', 'notes.txt'],
  ['pdf', 'truncated rubbish', 'report.pdf'],
  ['html', '<!DOCTYPE html><html>', 'page.txt'],
  ['html', '\u00ef\u00bb\u00bf\n<!-- a --><!-- b -->\n<html lang="en">', 'page'],
  ['html', '<p>a part</p>', 'page.htm'],
  ['md', '# Title', 'a.MD'],
  ['csv', 'a,b', 'a.csv'],
  ['csv', 'a\tb', 'a.tsv'],
  ['txt', 'a,b', 'a.log'],
  ['txt', 'plain', 'no-ending'],
  ['txt', '\0', 'nul.txt'],
])('content first, then the name: %s for %j in %s', (kind, content, name) => {
  expect(detectKind(bytes(content), name).kind).toBe(kind);
});

test.each([
  ['PK\u0003\u0004rest', 'a.txt', 'Office'],
  ['\u0089PNG\r\n', 'a.md', 'PNG'],
  ['\u0001\u0002\u0003\u0000'.repeat(100), 'a.txt', 'not text'],
])('a file that is no document says what it is: %j', (content, name, what) => {
  expect(detectKind(bytes(content), name)).toMatchObject({ kind: 'other', what: expect.stringContaining(what) });
});

test('UTF-16 is text', () => {
  expect(detectKind(Buffer.from('\ufeffYear;Tons\n2023;12', 'utf16le'), 'a.csv').kind).toBe('csv');
  expect(detectKind(Buffer.from('plain text in wide letters', 'utf16le'), 'a.txt').kind).toBe('txt');
});

test('a page of open comments does not hold up the look', () => {
  const startedAt = performance.now();
  detectKind(bytes('<!-- --> '.repeat(200)), 'a.txt');
  expect(performance.now() - startedAt).toBeLessThan(200);
});
