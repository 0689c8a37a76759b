import { learn, nothingKnown, type DocumentFigure, type Knowledge } from './notes/knowledge.js';
import { quotesIn, readBackOf } from './read-back.js';

const HEAD = '{"locator":"doc:a","start":1000}\n';
const TEXT = '甲 one line.\nThe charge was 0.3 %.\nthe end\n';
const at = (text: string): number => 1000 + Buffer.byteLength(TEXT.slice(0, TEXT.indexOf(text)));
const figure: DocumentFigure = {
  ...{ document: 0, entity: 'A', metric: 'charge', period: '2021', value: '0.3', unit: '%', corrected: false },
  ...{ start: at('The charge'), end: at('\nthe end') },
};

function known(): Knowledge {
  const k = learn(nothingKnown(), [['b', '0', '1000', String(1000 + Buffer.byteLength(TEXT)), 'result:4.1']]);
  k.figures.push(figure);
  return k;
}

describe('reading a stored result back', () => {
  it('C2: asks for the bytes of the passage out of the result that holds it', () => {
    const wanted = readBackOf(figure, known());
    expect(wanted).toMatchObject({ locator: 'result:4.1', start: figure.start - 1000 });
    expect(wanted!.end - wanted!.start).toBeGreaterThan(figure.end - figure.start);
    expect(readBackOf({ document: 1, start: 0, end: 9 }, known())).toBeUndefined();
  });

  it('C13: notes the passage word for word, wherever the part that came back begins', () => {
    const stored = Buffer.from(HEAD + TEXT);
    for (const start of [0, HEAD.length, HEAD.length + 4]) {
      const head = { locator: 'result:4.1', start, end: stored.length, total: stored.length };
      const notes = quotesIn(head, stored.subarray(start).toString('utf8'), known());
      expect(notes).toEqual([['q', '0', String(figure.start), String(figure.end), 'The charge was 0.3 %.']]);
    }
  });

  it('notes nothing of a passage that came back in part, or out of another result', () => {
    const stored = Buffer.from(HEAD + TEXT);
    const head = { locator: 'result:4.1', start: 0, end: stored.length - 12, total: stored.length };
    expect(quotesIn(head, stored.subarray(0, stored.length - 12).toString('utf8'), known())).toEqual([]);
    expect(quotesIn({ ...head, locator: 'result:4.2' }, HEAD + TEXT, known())).toEqual([]);
  });
});
