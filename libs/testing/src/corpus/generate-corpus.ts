import { answersOf, ask, type CorpusAnswers } from './ask.js';
import { DISCLAIMER, type CorpusFile, type Draft } from './document.js';
import { rngOf, type Rng } from './rng.js';
import { conflictLetter, correctionNotice, damaged, spoilFigures, type Spoiled } from './spoiled.js';
import { factsheets, letter, sheet, tables } from './tell.js';
import { fullName, inventWorld, metricLabel, type Language, type MetricSpec, type World } from './world.js';
import { writeDocument } from './write-document.js';

export interface CorpusOptions {
  /** How many files, the damaged one included; at least 8. */
  documents?: number;
  /** Of the question; by seed unless given. */
  language?: Language;
}

export interface Corpus {
  question: string;
  language: Language;
  files: CorpusFile[];
  answers: CorpusAnswers;
}

/**
 * The same seed gives the same corpus. All five kinds are there, one damaged file, one figure on which two documents
 * disagree, and one that a later notice corrects. Everything that is asked can be found.
 */
export async function generateCorpus(seed: number, options: CorpusOptions = {}): Promise<Corpus> {
  const rng = rngOf(seed);
  const world = inventWorld(rng);
  const language = options.language ?? (rng.chance(0.5) ? 'en' : 'zh');
  const told = tellAll(rng, world, language);
  const [conflict, correction] = spoilFigures(rng, world, 2) as [Spoiled, Spoiled];
  const drafts = [
    ...told,
    conflictLetter(rng, world, conflict, language),
    correctionNotice(rng, world, correction, language),
  ];
  const wanted = Math.max(8, options.documents ?? 10);
  for (let n = 1; drafts.length < wanted - 1; n++) drafts.push(aside(rng, world, n, language));
  const files = await Promise.all(rng.shuffle(drafts).map(writeDocument));
  files.push(damaged(rng));
  return {
    question: ask(rng, world, language),
    language,
    files,
    answers: answersOf(world, language, [conflict], correction),
  };
}

/** Every measure is told by one document at least, every kind of document tells one at least. */
export function tellAll(rng: Rng, world: World, language: Language): Draft[] {
  const metrics = rng.shuffle(world.metrics);
  const prose = metrics.filter((m) => m.prose);
  // Two measures a document, so that most figures stand in two of them.
  const share = (i: number, pool: MetricSpec[]): MetricSpec[] =>
    [...new Set([pool[i % pool.length], pool[(i + 1) % pool.length]])].filter((m) => m !== undefined);
  const other: Language = language === 'zh' ? 'en' : rng.chance(0.4) ? 'zh' : 'en';
  const tabular = rng.pick([tables, factsheets] as const);
  // A measure that only its label names can be recognised in one language only.
  const inPdf = share(2, language === 'en' ? metrics : prose);
  const inMarkdown = share(3, language === other ? metrics : prose);
  const drafts = [
    sheet(rng, world, share(0, metrics), language, 1),
    tables(rng, world, share(1, metrics), 'html', language, 1),
    tabular(rng, world, inPdf, 'pdf', 'en', 1),
    rng.pick([tables, factsheets] as const)(rng, world, inMarkdown, 'md', other, 2),
    letter(rng, world, share(4, prose), 'txt', language, 1),
  ];
  const covered = new Set([share(0, metrics), share(1, metrics), inPdf, inMarkdown, share(4, prose)].flat());
  const rest = metrics.filter((m) => !covered.has(m));
  return rest.length > 0 ? [...drafts, tables(rng, world, rest, 'md', language, 3)] : drafts;
}

/** Says something about the funds and gives no figure of theirs. */
function aside(rng: Rng, world: World, n: number, language: Language): Draft {
  const kind = rng.pick(['md', 'txt', 'html'] as const);
  const brand = fullName(world, rng.pick(world.brands), language);
  const label = metricLabel(rng.pick(world.metrics), language);
  const lines =
    language === 'zh'
      ? [
          `${brand}的团队在这一年没有变化。`,
          `读者常问${label}如何计算，本文只作一般说明，不含数据。`,
          '办公室共有三层，设有一间图书室。',
        ]
      : [
          `The team of ${brand} did not change during the year.`,
          `Readers often ask how the ${label.toLowerCase()} is reckoned; this page explains it in words and gives no data.`,
          'The office has three floors and a small library.',
        ];
  return {
    name: `background-${n}.${kind}`,
    kind,
    language,
    title: language === 'zh' ? `背景说明 ${n}` : `Background ${n}`,
    parts: [DISCLAIMER[language], ...lines].map((text) => ({ kind: 'paragraph', text })),
  };
}
