import { generateCorpus } from '@waymark/testing/corpus';
import { inBase } from '../src/core/researcher/extract/decimal.js';
import { contextOf, extractFigures } from '../src/core/researcher/extract/extract-figures.js';
import type { Figure } from '../src/core/researcher/extract/figure.js';
import { findMetrics } from '../src/core/researcher/extract/metrics.js';
import { nameKey } from '../src/core/researcher/extract/names.js';

const SEEDS = Array.from({ length: 80 }, (_, i) => i + 1);

describe('extraction over generated corpora', () => {
  it.each(SEEDS)('seed %i: every figure is found, and where it stands is its evidence', async (seed) => {
    const corpus = await generateCorpus(seed);
    const found: (Figure & { name: string })[] = [];
    for (const file of corpus.files) {
      if (file.text === null) continue;
      const { figures } = extractFigures(file.text, 0, file.kind, contextOf('', file.name, []));
      for (const figure of figures) {
        const evidence = Buffer.from(file.text).subarray(figure.start, figure.end).toString('utf8');
        expect(evidence.replace(/,/g, '')).toContain(figure.value.replace('-', ''));
        found.push({ ...figure, name: file.name });
      }
    }
    const same = (
      f: Figure,
      w: { entity: string; metric: string; period: string; value: string; unit: string },
    ): boolean =>
      nameKey(f.entity) === nameKey(w.entity) &&
      f.metric === (findMetrics(w.metric)[0]?.key ?? w.metric) &&
      f.period === w.period &&
      f.value === w.value &&
      inBase('1', f.unit).unit === w.unit;
    const missing = corpus.answers.figures.filter((w) => !found.some((f) => same(f, w)));
    expect(missing).toEqual([]);
    for (const c of corpus.answers.conflicts) {
      for (const v of c.values) expect(found.some((f) => same(f, { ...c, ...v }))).toBe(true);
    }
    for (const c of corpus.answers.corrections) expect(found.some((f) => same(f, c) && f.corrected)).toBe(true);
    // Nothing is made up: what is found is asked for or was the wrong value of a correction or conflict.
    const known = [
      ...corpus.answers.figures,
      ...corpus.answers.conflicts.flatMap((c) => c.values.map((v) => ({ ...c, ...v }))),
      ...corpus.answers.corrections.map((c) => ({ ...c, value: c.was })),
    ];
    expect(found.filter((f) => !known.some((w) => same(f, w)))).toEqual([]);
  });
});
