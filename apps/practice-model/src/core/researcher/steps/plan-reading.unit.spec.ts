import { nothingKnown, type Document, type Knowledge } from '../notes/knowledge.js';
import { isLong, nextReads, promising, readShare, rest } from './plan-reading.js';

const KIB = 1024;
const document = (index: number, bytes: number, hits: number[] = []): Document => ({
  ...{ index, locator: `doc:${index}`, kind: 'txt', bytes, ready: true, name: `${index}.txt`, title: '' },
  ...{ read: [], hits, attempts: new Map(), context: undefined },
});
const known = (...documents: Document[]): Knowledge => ({ ...nothingKnown(), documents });
const ranges = (parts: { document: Document; start: number; end: number }[]): unknown[] =>
  parts.map((p) => [p.document.index, p.start, p.end]);

describe('what is read, and in which order', () => {
  it('what search found comes first: small documents whole, of large ones the places; then the rest', () => {
    const k = known(document(0, 100 * KIB), document(1, 100 * KIB, [60 * KIB]), document(2, 4 * KIB, [0, 90]));
    expect(ranges(promising(k))).toEqual([
      [2, 0, 4 * KIB],
      [1, 0, 16 * KIB],
      [1, 58 * KIB, 66 * KIB],
    ]);
    expect(ranges(rest(k))).toEqual([[0, 0, 100 * KIB]]);
    expect(isLong(rest(k))).toBe(true);
    expect(ranges(nextReads(k, false))).toEqual([
      [2, 0, 4 * KIB],
      [1, 0, 16 * KIB],
      [0, 0, 16 * KIB],
    ]);
  });

  it('when the places were read, the rest of their document follows', () => {
    const large = document(0, 60 * KIB, [0]);
    large.read.push([0, 16 * KIB]);
    expect(promising(known(large))).toEqual([]);
    expect(readShare(known(large))).toBe(1);
    expect(ranges(rest(known(large)))).toEqual([[0, 16 * KIB, 60 * KIB]]);
  });
});
