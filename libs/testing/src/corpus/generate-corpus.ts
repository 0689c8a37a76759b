import { DISCLAIMER, type CorpusFile, type Draft, type Kind } from './document.js';
import { rngOf, type Rng } from './rng.js';
import { factsheets, letter, sentence, sheet, tables } from './tell.js';
import {
  fullName,
  inventWorld,
  metricLabel,
  otherValue,
  spoken,
  type Figure,
  type Language,
  type MetricSpec,
  type World,
} from './world.js';
import { writeDocument } from './write-document.js';

export interface CorpusOptions {
  /** How many files, the damaged one included; at least 8. */
  documents?: number;
  /** Of the question; by seed unless given. */
  language?: Language;
}

export interface CorpusAnswers {
  /** What stands at the end, corrections taken in; figures in conflict are not among them. */
  figures: Figure[];
  conflicts: { entity: string; metric: string; period: string; values: { value: string; unit: string }[] }[];
  corrections: (Figure & { was: string })[];
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
  const { conflict, correction } = spoil(rng, world);
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
    answers: answersOf(world, language, conflict, correction),
  };
}

interface Spoiled {
  brand: string;
  metric: MetricSpec;
  period: string;
  value: string;
  other: string;
}

/** Every measure is told by one document at least, every kind of document tells one at least. */
function tellAll(rng: Rng, world: World, language: Language): Draft[] {
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

function spoil(rng: Rng, world: World): { conflict: Spoiled; correction: Spoiled } {
  const draw = (): Spoiled => {
    const brand = rng.pick(world.brands);
    const metric = rng.pick(world.metrics.filter((m) => m.prose));
    const period = rng.pick(world.periods);
    const value = world.value(brand, metric, period);
    return { brand, metric, period, value, other: otherValue(rng, metric, value) };
  };
  const conflict = draw();
  for (;;) {
    const correction = draw();
    if (
      correction.brand !== conflict.brand ||
      correction.metric !== conflict.metric ||
      correction.period !== conflict.period
    ) {
      return { conflict, correction };
    }
  }
}

function conflictLetter(rng: Rng, world: World, { brand, metric, period, other }: Spoiled, language: Language): Draft {
  const kind = rng.pick(['md', 'html', 'txt'] as const);
  const text = sentence(rng, world, brand, metric, period, other, language);
  const title = language === 'zh' ? '另一来源的说明' : 'Another view';
  return {
    name: `another-view.${kind}`,
    kind,
    language,
    title,
    parts: [
      { kind: 'paragraph', text: DISCLAIMER[language] },
      { kind: 'paragraph', text },
    ],
  };
}

function correctionNotice(rng: Rng, world: World, c: Spoiled, language: Language): Draft {
  const kind: Kind = rng.pick(['md', 'html', 'txt'] as const);
  const name = fullName(world, c.brand, language);
  const was = spoken(c.metric, c.value, language);
  const is = spoken(c.metric, c.other, language);
  const plural = c.metric.en.startsWith('assets');
  const text =
    language === 'zh'
      ? rng.pick([
          `${name}${c.period}年的${c.metric.zh}由${was}更正为${is}。`,
          `${c.period}年${name}的${c.metric.zh}原为${was}，应为${is}。`,
        ])
      : rng.pick([
          `The ${c.metric.en} of ${name} for ${c.period} ${plural ? 'were' : 'was'} wrongly given as ${was}; the correct figure is ${is}.`,
          `The ${c.metric.en} of ${name} for ${c.period} ${plural ? 'are' : 'is'} corrected from ${was} to ${is}.`,
          `For ${c.period}, the ${c.metric.en} of ${name} should read ${is} instead of ${was}.`,
        ]);
  const title = language === 'zh' ? '更正公告' : rng.pick(['Correction', 'Erratum', 'Corrected figure']);
  return {
    name: `correction-notice-${c.period}.${kind}`,
    kind,
    language,
    title,
    parts: [
      { kind: 'paragraph', text: DISCLAIMER[language] },
      { kind: 'paragraph', text },
    ],
  };
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

function damaged(rng: Rng): CorpusFile {
  const bytes = new Uint8Array(600);
  bytes.set(new TextEncoder().encode('%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R'));
  for (let i = 60; i < bytes.length; i++) bytes[i] = rng.int(0, 255);
  return { name: 'damaged.pdf', kind: 'pdf', bytes, text: null };
}

function ask(rng: Rng, world: World, language: Language): string {
  const labels = world.metrics.map((m) => metricLabel(m, language).toLowerCase());
  const names = world.brands.map((brand) => fullName(world, brand, language));
  if (language === 'zh') {
    const whose = rng.chance(0.5) ? names.join('、') : '各基金';
    return `比较${whose}在${world.periods.join('年、')}年的${labels.join('、')}，并指出来源之间的矛盾和更正。`;
  }
  const whose = rng.chance(0.5) ? `of ${list(names)}` : 'of all funds';
  return rng.pick([
    `Compare the ${list(labels)} ${whose} for ${list(world.periods)}. Say where the sources disagree and what was corrected.`,
    `What were the ${list(labels)} ${whose} in ${list(world.periods)}? Point out conflicts and corrections.`,
  ]);
}

function answersOf(world: World, language: Language, conflict: Spoiled, correction: Spoiled): CorpusAnswers {
  const named = (s: Spoiled): Figure => ({
    entity: fullName(world, s.brand, language),
    metric: metricLabel(s.metric, language).toLowerCase(),
    period: s.period,
    value: s.other,
    unit: s.metric.unit,
  });
  const same = (s: Spoiled, brand: string, metric: MetricSpec, period: string): boolean =>
    s.brand === brand && s.metric === metric && s.period === period;
  const figures = world.brands.flatMap((brand) =>
    world.metrics.flatMap((metric) =>
      world.periods
        .filter((period) => !same(conflict, brand, metric, period))
        .map((period) => ({
          entity: fullName(world, brand, language),
          metric: metricLabel(metric, language).toLowerCase(),
          period,
          value: same(correction, brand, metric, period) ? correction.other : world.value(brand, metric, period),
          unit: metric.unit,
        })),
    ),
  );
  const { entity, metric, period, unit } = named(conflict);
  return {
    figures,
    conflicts: [{ entity, metric, period, values: [conflict.value, conflict.other].map((value) => ({ value, unit })) }],
    corrections: [{ ...named(correction), was: correction.value }],
  };
}

const list = (items: string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
