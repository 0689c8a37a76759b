import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../workspace-root.js';
import type { Corpus } from './generate-corpus.js';
import { teachingCorpus } from './teaching-corpus.js';
import { demoCorpus } from './write-demo-corpus.js';

const SEEDS = [1, 2, 3, 4, 5];
/** Rows of 16 points that an A4 page has room for. */
const ROWS_PER_PAGE = 46;

/** Each seed is told once. */
const told = new Map<number, Promise<Corpus>>();
function corpusOf(seed: number): Promise<Corpus> {
  const known = told.get(seed) ?? teachingCorpus(seed);
  told.set(seed, known);
  return known;
}

describe('teachingCorpus', () => {
  it.each(SEEDS)(
    'seed %i: half a megabyte in all kinds and both languages, two conflicts, a correction',
    async (seed) => {
      const { files, answers } = await corpusOf(seed);
      const texts = files.flatMap((f) => (f.text === null ? [] : [f.text]));
      expect(texts.length).toBe(files.length - 1);
      expect(texts.length).toBeGreaterThanOrEqual(12);
      expect(texts.reduce((n, text) => n + Buffer.byteLength(text), 0)).toBeGreaterThan(500 * 1024);
      expect(new Set(files.map((f) => f.kind))).toEqual(new Set(['pdf', 'html', 'md', 'csv', 'txt']));
      expect(new Set(files.map((f) => f.name)).size).toBe(files.length);
      for (const { name, text } of files)
        if (text !== null) expect([name, /invented|虚构/.test(text)]).toEqual([name, true]);
      expect(texts.some((text) => /\p{Script=Han}{8}/u.test(text))).toBe(true);
      expect(texts.some((text) => /\b\w+ \w+ \w+ \w+\b/.test(text))).toBe(true);
      expect(answers.conflicts).toHaveLength(2);
      expect(answers.corrections).toHaveLength(1);
    },
  );

  it('little of it is said twice', async () => {
    const { files } = await corpusOf(1);
    for (const { name, kind, text } of files) {
      const pieces = (text ?? '').split(kind === 'csv' || kind === 'md' ? '\n' : '\n\n').filter((p) => p.length > 40);
      expect([name, new Set(pieces).size >= 0.95 * pieces.length]).toEqual([name, true]);
    }
  });

  it.each(SEEDS)(
    'seed %i: each table of the survey is longer than a page, and the names asked for stand in it',
    async (seed) => {
      const { files, answers } = await corpusOf(seed);
      const survey = files.find((f) => f.name.startsWith('survey-')) ?? files[0];
      const tables = (survey?.text ?? '').split('Survey: ').slice(1);
      expect(tables.length).toBeGreaterThanOrEqual(4);
      const brands = new Set(answers.figures.map((f) => f.entity.split(' ')[0] ?? ''));
      for (const table of tables) {
        const rows = table.split('\n').filter((line) => /^\S+ .*\d$/.test(line));
        expect(rows.length).toBeGreaterThan(ROWS_PER_PAGE);
        for (const brand of brands) expect(rows.some((row) => row.startsWith(brand))).toBe(true);
      }
    },
  );

  it('seeds differ in names, documents and figures', async () => {
    const corpora = await Promise.all([...SEEDS.map(corpusOf), demoCorpus()]);
    const questions = corpora.map(({ question }) => question);
    expect(new Set(questions).size).toBe(questions.length);
    expect(new Set(corpora.map((c) => c.language)).size).toBe(2);
    expect(new Set(corpora.map((c) => JSON.stringify(c.answers.figures))).size).toBe(corpora.length);
  });

  it('the answers are in no file that is uploaded', async () => {
    for (const { files, answers } of [await demoCorpus(), await corpusOf(1)]) {
      for (const { name, bytes } of files) {
        const text = Buffer.from(bytes).toString('utf8');
        expect([name, /answers|"figures"|"conflicts"/i.test(name + text)]).toEqual([name, false]);
        expect([name, text.includes(JSON.stringify(answers.figures[0]))]).toEqual([name, false]);
      }
    }
  });

  it('no service and no model knows a corpus: nothing that runs names it, its answers or the demo’s policy', () => {
    const apps = join(workspaceRoot(), 'apps');
    const sources = readdirSync(apps)
      .flatMap((app) =>
        readdirSync(join(apps, app, 'src'), { recursive: true, encoding: 'utf8' }).map((f) => join(app, 'src', f)),
      )
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'));
    expect(sources.length).toBeGreaterThan(200);
    for (const path of sources) {
      const found = /testing\/corpus|demo-(?:corpus|answers)|teachingCorpus|'teaching'/.exec(
        readFileSync(join(apps, path), 'utf8'),
      );
      expect([path, found?.[0]]).toEqual([path, undefined]);
    }
  });
});
