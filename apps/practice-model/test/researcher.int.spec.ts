import { demoCorpus, generateCorpus, type Corpus } from '@waymark/testing/corpus';
import OpenAI from 'openai';
import { readConfig } from '../src/config.js';
import { inBase } from '../src/core/researcher/extract/decimal.js';
import { findMetrics } from '../src/core/researcher/extract/metrics.js';
import { nameKey } from '../src/core/researcher/extract/names.js';
import { findPeriods } from '../src/core/researcher/extract/periods.js';
import { findValues } from '../src/core/researcher/extract/values.js';
import { startPracticeModel, type PracticeModel } from '../src/start-practice-model.js';
import { RuntimeDouble, type PlayOptions, type Played } from './play-runtime.js';

let model: PracticeModel;
let client: OpenAI;

beforeAll(async () => {
  model = await startPracticeModel(readConfig({ PORT: '0' }));
  client = new OpenAI({ baseURL: `${model.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => model.stop());

const research = async (seed: number, options: PlayOptions): Promise<{ corpus: Corpus; played: Played }> => {
  const corpus = await generateCorpus(seed);
  return { corpus, played: await new RuntimeDouble(client, corpus.files, corpus.question, options).play() };
};

interface Shown {
  values: { value: string; unit: string; citation: number }[];
  block: string;
}

/** The table cells of the report, by measure, name and period. */
function cellsOf({ blocks }: Played): Map<string, Shown> {
  const cells = new Map<string, Shown>();
  for (const [block, { title, text }] of blocks) {
    const rows = text
      .split('\n')
      .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      );
    const metric = findMetrics(title)[0]?.key ?? title.toLowerCase();
    for (const row of rows.slice(1)) {
      row.slice(1).forEach((cell, c) => {
        const period = findPeriods(rows[0]?.[c + 1] ?? '')[0]?.period ?? '';
        const values = cell.split(' / ').flatMap((part) => {
          const value = findValues(` ${part.replace(/\[\d+\]/, '')}`)[0];
          const citation = Number(/\[(\d+)\]/.exec(part)?.[1]);
          const unit = part
            .replace(/\[\d+\]/, '')
            .trim()
            .split(' ')
            .slice(1)
            .join(' ');
          return value ? [{ value: value.value, unit, citation }] : [];
        });
        cells.set(`${metric}|${nameKey(row[0] ?? '')}|${period}`, { values, block });
      });
    }
  }
  return cells;
}

const keyOf = (f: { metric: string; entity: string; period: string }): string =>
  `${findMetrics(f.metric)[0]?.key ?? f.metric}|${nameKey(f.entity)}|${f.period}`;

function assertRight({ corpus, played }: { corpus: Corpus; played: Played }): void {
  const cells = cellsOf(played);
  const figure = ({ value, unit }: { value: string; unit: string }): string =>
    `${value} ${inBase('1', unit).unit}`.trim();
  const wrong = corpus.answers.figures.flatMap((want) => {
    const got = cells.get(keyOf(want))?.values.map(figure) ?? [];
    return got.length === 1 && got[0] === figure(want)
      ? []
      : [`${keyOf(want)}: ${figure(want)}, got ${got.join(' / ')}`];
  });
  expect(wrong).toEqual([]);
  for (const conflict of corpus.answers.conflicts) {
    const shown = cells.get(keyOf(conflict));
    expect(shown?.values.map(figure).sort()).toEqual(conflict.values.map(figure).sort());
    expect(played.blocks.get(shown?.block ?? '')?.text).toMatch(/disagree|不一致/);
  }
  for (const correction of corpus.answers.corrections) {
    const { text = '' } = played.blocks.get(cells.get(keyOf(correction))?.block ?? '') ?? {};
    expect(text).toMatch(/corrected from|更正为/);
    expect(text).toContain(correction.was);
  }
  expect(played.failedCitations).toEqual([]);
  for (const { values, block } of cells.values()) {
    for (const { value, citation } of values) {
      const { locator, start, end } = played.blocks.get(block)!.citations[citation - 1]!;
      const text = Buffer.from(corpus.files[Number(locator.slice(4))]!.text!)
        .subarray(start, end)
        .toString('utf8');
      expect(text.replace(/,(?=\d{3})/g, '')).toContain(value.replace('-', ''));
    }
  }
  expect(played.closing).toMatch(/not a language model|并非语言模型/);
  expect([...played.blocks.values()].map((b) => b.text).join()).toContain('damaged.pdf');
}

describe('the researcher over HTTP, with a double of the runtime', () => {
  it.each([11, 12, 13, 14, 15, 16, 17, 18, 19, 20])(
    'seed %i: every figure is right and cited, in at most 20 requests',
    async (seed) => {
      const run = await research(seed, { exploreRequests: 40 });
      assertRight(run);
      expect(run.played.exploreRequests).toBeLessThanOrEqual(20);
      expect(run.played.finishRequests).toBe(0);
    },
  );

  it('on the bundled documents every figure is right and cited too', async () => {
    const corpus = await demoCorpus();
    const played = await new RuntimeDouble(client, corpus.files, corpus.question, { exploreRequests: 40 }).play();
    assertRight({ corpus, played });
    expect(played.exploreRequests).toBeLessThanOrEqual(12);
  });

  it.each([21, 22, 23, 24, 25])('seed %i: the same when older results are stubs', async (seed) => {
    assertRight(await research(seed, { exploreRequests: 40, retireAfter: 1 }));
  });

  it.each([31, 32, 33, 34, 35])('seed %i: the same when older turns are summarised', async (seed) => {
    const run = await research(seed, { exploreRequests: 40, retireAfter: 1, summarizeEvery: 3 });
    assertRight(run);
    expect(run.played.summaries).toBeGreaterThan(0);
  });

  it('a block written early is corrected when a later source corrects a figure', async () => {
    const runs = await Promise.all([41, 42, 43, 44, 45, 46].map((seed) => research(seed, { exploreRequests: 40 })));
    runs.forEach(assertRight);
    expect(runs.flatMap((run) => run.played.corrected).length).toBeGreaterThan(0);
    for (const { played } of runs)
      for (const { version } of played.blocks.values()) expect(version).toBeLessThanOrEqual(3);
  });

  it('when exploring ends early it writes what it has, with the tools that are offered', async () => {
    const { played } = await research(51, { exploreRequests: 3 });
    expect(played.finishRequests).toBeGreaterThan(0);
    expect(played.blocks.size).toBeGreaterThan(0);
    expect(played.closing).not.toBe('');
    expect(played.failedCitations).toEqual([]);
  });

  it('a notice that exploring must end is heeded', async () => {
    const notices = (request: number): string[] =>
      request === 4 ? ['36 of 40 explore requests are used and 4 are left: finish now with what is established.'] : [];
    const { played } = await research(52, { exploreRequests: 40, notices });
    expect(played.calls.slice(-1)).toEqual(['finish']);
    expect(played.exploreRequests).toBeLessThanOrEqual(6);
  });

  it('a review is asked for once when it is advised', async () => {
    const notices = (request: number): string[] =>
      request >= 5
        ? ['15 explore requests since the start: go back to the question, and consider asking for a review.']
        : [];
    const { played } = await research(53, { exploreRequests: 40, notices });
    expect(played.calls.filter((call) => call === 'ask_for_review')).toHaveLength(1);
  });

  it('a question that no figure answers gets cited passages', async () => {
    const corpus = await generateCorpus(54, { language: 'en' });
    const played = await new RuntimeDouble(client, corpus.files, 'small library', { exploreRequests: 40 }).play();
    expect(played.blocks.get('passages')?.citations.length).toBeGreaterThan(0);
    expect(played.failedCitations).toEqual([]);
  });

  it('an empty folder ends with a closing that says so', async () => {
    const played = await new RuntimeDouble(client, [], 'Compare the ongoing charge of all funds.', {
      exploreRequests: 40,
    }).play();
    expect(played.closing).toContain('nothing on the question');
    expect(played.exploreRequests).toBeLessThanOrEqual(4);
  });
});
