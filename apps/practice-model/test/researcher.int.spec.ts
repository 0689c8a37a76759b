import { generateCorpus, teachingCorpus, type Corpus, type CorpusFile } from '@waymark/testing/corpus';
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

  it.each([1, 2, 3, 4, 5, 6])(
    'large corpus %i: every figure is right and cited before all is read, and what was not read is named',
    async (seed) => {
      const corpus = await teachingCorpus(seed);
      const played = await new RuntimeDouble(client, corpus.files, corpus.question, { exploreRequests: 18 }).play();
      assertRight({ corpus, played });
      expect(played.blocks.get('unread-documents')?.text).toMatch(/were not read to the end|未读完/);
    },
  );

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

describe('a folder of firms with names of every make', () => {
  const file = (name: string, kind: CorpusFile['kind'], text: string): CorpusFile => ({
    name,
    kind,
    text,
    bytes: Buffer.from(text),
  });
  const FILES = [
    file(
      'review.md',
      'md',
      '# Review of the year\n\n| Company | Revenue 2022 (EUR million) |\n|---|---|\n| Okafor & Sons | 97.2 |\n| Bauer GmbH & Co. KG | 41.0 |\n| Lindqvist Holdings | 12.5 |\n',
    ),
    file(
      'notes.txt',
      'txt',
      'Correction of 3 May 2023. The revenue of Okafor & Sons for 2022 is corrected from EUR 97.2 million to EUR 95.6 million.\n\n' +
        'Okafor & Sons moved its head office from Lagos to Accra in June 2022 because of energy costs.\n',
    ),
    file(
      'letter.pdf',
      'pdf',
      'Letter to the owners\n\nOkafor & Sons reported net profit of EUR 6.1 million for 2022.\n',
    ),
    file('report.txt', 'txt', '华星科技股份有限公司2022年度报告\n\n华星科技2022年净利润为9.3亿元。\n'),
  ];
  const ask = (question: string): Promise<Played> =>
    new RuntimeDouble(client, FILES, question, { exploreRequests: 40 }).play();
  const textOf = ({ blocks }: Played): string => [...blocks.values()].map((b) => `${b.title}\n${b.text}`).join('\n');

  it('a correction in a sentence is taken in, and each figure stands at its whole name', async () => {
    const played = await ask(
      'Compare the revenue of Okafor & Sons, Bauer GmbH & Co. KG and Lindqvist Holdings for 2022.',
    );
    const text = textOf(played);
    expect(text).toContain('The figure of Okafor & Sons for 2022 was corrected from 97.2 EUR million');
    expect(text).toMatch(/\| Okafor & Sons \| 95\.6 EUR million \[\d\] \|/);
    expect(text).toMatch(/\| Bauer GmbH & Co\. KG \| 41\.0 EUR million/);
    expect(text).toMatch(/\| Lindqvist Holdings \| 12\.5 EUR million/);
    expect([...played.blocks.keys()]).toEqual(['revenue']);
    expect(played.closing).toContain(
      'figures that a source corrects: 1; figures not found: 0; documents not read, or not to the end: 0',
    );
    expect(played.closing).not.toMatch(/open gaps|corrections taken in/);
  });

  it('a figure in a sentence of a PDF and one in a Chinese report are found', async () => {
    const text = textOf(await ask('What was the net profit of Okafor and Sons in 2022?'));
    expect(text).toMatch(/6\.1 EUR million \[1\]/);
    expect(textOf(await ask('华星科技股份有限公司2022年的净利润是多少？'))).toContain('9.3 亿元 [1]');
  });

  it('P7: each part of a question is answered with a passage or listed as open', async () => {
    const question =
      'What was the revenue of Okafor & Sons in 2022, and why did Okafor & Sons move its head office? Why did Lindqvist Holdings sell its fleet?';
    const played = await ask(question);
    const parts = played.blocks.get('other-parts');
    expect(parts?.text).toContain('**why did Okafor & Sons move its head office**');
    expect(parts?.text).toMatch(/> .*because of energy costs\..* \[1\]/);
    expect(parts?.citations).toEqual([expect.objectContaining({ locator: 'doc:1' })]);
    expect(played.closing).toContain('Not answered here: “Why did Lindqvist Holdings sell its fleet”.');
    expect(played.closing).not.toContain('head office');
  });

  it('P7: a measure without a figure is listed as open, and nothing is claimed of the sources', async () => {
    const played = await ask('Compare the revenue and the headcount of Okafor & Sons and Lindqvist Holdings for 2022.');
    expect(played.blocks.get('headcount')?.text).toBe(
      'No figure for headcount could be extracted from the sources that were read.',
    );
    expect(played.closing).toContain('Not answered here: “headcount”.');
  });

  it('P7: a name that was asked for and has no figure is said to have none', async () => {
    const played = await ask('Compare the revenue of Okafor & Sons, Okafor Holdings and Tamsin & Daughters for 2022.');
    expect(played.blocks.get('revenue')?.text).toContain('| Okafor Holdings | — |');
    expect(played.blocks.get('revenue')?.text).toContain(
      'No figure was found for Okafor Holdings 2022 and Tamsin & Daughters 2022.',
    );
    expect(played.closing).toContain('figures not found: 2');
    expect(played.closing).toContain('Not answered here: “Okafor Holdings”; “Tamsin & Daughters”.');
  });

  it('P7: a Chinese question names its open parts too', async () => {
    const played = await ask('比较华星科技股份有限公司2022年的净利润。为什么华星科技迁移总部？');
    expect(played.closing).toContain('尚未回答：“为什么华星科技迁移总部”。');
  });
});

describe('a folder in which the reason stands late', () => {
  const file = (name: string, kind: CorpusFile['kind'], text: string): CorpusFile => ({
    name,
    kind,
    text,
    bytes: Buffer.from(text),
  });
  const ask = (files: CorpusFile[], question: string): Promise<Played> =>
    new RuntimeDouble(client, files, question, { exploreRequests: 40 }).play();
  const HISTORY =
    'The long story of the house goes back to 1887, when two sisters leased a shed by the harbour and began to trade in rope and sail cloth; today it keeps four lofts and a dye works, and it sells for the most part to the yards of the northern coast and its islands.';
  const REASON =
    'Revenue fell in 2021 because the dye works at Tarn stood under water for nine weeks after a dam broke.';
  const WHY =
    'What was the revenue of Velling & Daughters in 2021? Why did the revenue of Velling & Daughters fall in 2021?';
  const FIGURE = 'Velling & Daughters had revenue of EUR 21.4 million in 2021.';

  it('P7: a reason that ends a document which was read for figures is quoted whole, without headings', async () => {
    const files = [
      file('velling.md', 'md', `# Velling & Daughters\n\n${FIGURE} ${HISTORY}\n\n${REASON}\n`),
      file('f.csv', 'csv', 'firm,year,revenue (EUR million)\nVelling & Daughters,2021,21.4\nMoor plc,2021,30\n'),
    ];
    const played = await ask(files, WHY);
    expect(played.blocks.get('other-parts')?.text).toContain(`> ${REASON} [1]`);
    expect(played.closing).not.toContain('Not answered');
  });

  it('P7: a reason that no search hit shows is found where the document is read, under its own heading', async () => {
    const long = Array.from({ length: 8 }, () => HISTORY).join(' ');
    const files = [
      file(
        'letters.md',
        'md',
        `# Letters\n\n## Velling & Daughters\n\nWhy the revenue of Velling & Daughters fell in 2021 is told below. ${FIGURE} ${long}\n\n${REASON}\n\n` +
          '## Moor plc\n\nMoor plc had revenue of EUR 30 million in 2021.\n\nRevenue fell in 2021 because two ships were lost.\n',
      ),
    ];
    const played = await ask(files, WHY);
    const parts = played.blocks.get('other-parts');
    expect(parts?.text).toContain(`> ${REASON} [1]`);
    expect(parts?.text).not.toContain('two ships');
    const { start, end } = parts!.citations[0]!;
    expect(Buffer.from(files[0]!.bytes).subarray(start, end).toString('utf8')).toBe(REASON);
  });
});
