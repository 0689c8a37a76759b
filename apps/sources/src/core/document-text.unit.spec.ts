import { createHash } from 'node:crypto';
import { refuseSize } from './decide-intake.js';
import { locatorOf } from './document-locator.js';
import { MAX_PASSAGE_BYTES } from './cut-passages.js';
import { documentText, passagesOf } from './document-text.js';
import { BLOCK_BYTES } from './labels.js';
import { decodeText } from './text-bytes.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('decision 12: pages start at byte offsets, and each passage bears its page', () => {
  const document = documentText('a.pdf', { title: 'T', text: '', pages: ['研究\n\n', 'second'] });
  expect(document.marks.pageStarts).toEqual([0, 8]);
  expect(decodeText(document.text)).toBe('研究\n\nsecond');
  expect([...passagesOf('a.pdf', document)].map(({ start, end, label }) => [start, end, label])).toEqual([
    [0, 8, 'page 1'],
    [8, 14, 'page 2'],
  ]);
});

test('a document is also found by its title and name', () => {
  const document = documentText('reports/harbour-2023.txt', { title: ' Annual\n\0report ', text: 'x', pages: null });
  expect(document.title).toBe('Annual report');
  expect([...passagesOf('reports/harbour-2023.txt', document)][0]?.terms).toBe(
    'annual report reports harbour 2023 txt x',
  );
});

test('without a title it is called by its file', () => {
  expect(documentText('reports/a.txt', { title: '', text: 'x', pages: null }).title).toBe('a.txt');
});

test('a locator is the same for the same corpus, name and content, and differs otherwise', () => {
  const locator = locatorOf(sha256, 'c', 'n', 'd');
  expect(locator).toMatch(/^doc:[0-9a-f]{16}$/);
  expect(locatorOf(sha256, 'c', 'n', 'd')).toBe(locator);
  const others = [
    locatorOf(sha256, 'c2', 'n', 'd'),
    locatorOf(sha256, 'c', 'n2', 'd'),
    locatorOf(sha256, 'c', 'n', 'd2'),
  ];
  expect(new Set([locator, ...others]).size).toBe(4);
});

test('a file of no bytes or too many is refused before it is fetched', () => {
  expect(refuseSize(0, 10)).toMatchObject({ code: 'empty' });
  expect(refuseSize(30 * 1024 * 1024, 25 * 1024 * 1024)).toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('30.0 MiB'),
  });
  expect(refuseSize(10, 10)).toBeUndefined();
});

test('a text without a line break is cut and labelled by looking near each passage, never on to its end', () => {
  const find = Uint8Array.prototype.indexOf;
  let looked = 0;
  let passages = 0;
  Uint8Array.prototype.indexOf = function (sign: number, from = 0): number {
    const at = find.call(this, sign, from);
    looked += (at === -1 ? this.length : at) - from;
    return at;
  };
  try {
    const document = documentText('line.txt', { title: '', text: 'a'.repeat(600_000), pages: null });
    for (const { label } of passagesOf('line.txt', document)) {
      passages += 1;
      expect(label).toBe('line 1');
    }
  } finally {
    Uint8Array.prototype.indexOf = find;
  }
  expect(passages).toBe(600_000 / MAX_PASSAGE_BYTES);
  expect(looked).toBeLessThan(2 * 600_000 + passages * (BLOCK_BYTES + 2 * MAX_PASSAGE_BYTES));
});
