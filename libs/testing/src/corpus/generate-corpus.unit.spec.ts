import { createHash } from 'node:crypto';
import { generateCorpus } from './generate-corpus.js';

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('generateCorpus', () => {
  it('the same seed gives the same bytes, another seed other ones', async () => {
    const [a, b, c] = await Promise.all([generateCorpus(7), generateCorpus(7), generateCorpus(8)]);
    const shape = (corpus: typeof a): unknown => [corpus.question, corpus.files.map((f) => [f.name, digest(f.bytes)])];
    expect(shape(a)).toEqual(shape(b));
    expect(shape(a)).not.toEqual(shape(c));
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'seed %i has all five kinds, one damaged file, a conflict and a correction',
    async (seed) => {
      const { files, answers, question } = await generateCorpus(seed, { documents: 12 });
      expect(files).toHaveLength(12);
      expect(new Set(files.map((f) => f.name)).size).toBe(12);
      expect(new Set(files.map((f) => f.kind))).toEqual(new Set(['pdf', 'html', 'md', 'csv', 'txt']));
      expect(files.filter((f) => f.text === null)).toHaveLength(1);
      expect(answers.figures.length).toBeGreaterThanOrEqual(17);
      expect(answers.conflicts).toHaveLength(1);
      expect(answers.corrections).toHaveLength(1);
      expect(question.length).toBeGreaterThan(20);
    },
  );

  it('every figure stands in the text of a document', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { files, answers } = await generateCorpus(seed);
      const all = files
        .map((f) => f.text ?? '')
        .join('\n')
        .replace(/(?<=\d),(?=\d{3})/g, '');
      for (const figure of answers.figures) expect(all).toContain(figure.value);
    }
  });

  it('PDFs are whole, except for the damaged file', async () => {
    const { files } = await generateCorpus(3);
    for (const { kind, bytes, text } of files.filter((f) => f.kind === 'pdf')) {
      const ends = Buffer.from(bytes).subarray(-8).toString('latin1').includes('%%EOF');
      expect([kind, ends]).toEqual(['pdf', text !== null]);
    }
  });
});
