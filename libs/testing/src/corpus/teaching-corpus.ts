import { answersOf, ask } from './ask.js';
import { annualReport } from './annual-report.js';
import { DISCLAIMER, type Draft } from './document.js';
import { tellAll, type Corpus, type CorpusOptions } from './generate-corpus.js';
import { longDocuments } from './long-documents.js';
import { rngOf } from './rng.js';
import { conflictLetter, correctionNotice, damaged, spoilFigures, type Spoiled } from './spoiled.js';
import { inventWorld, type Language, type World } from './world.js';
import { writeDocument } from './write-document.js';

/** Fees, tracking, holdings, and one or two measures more by seed. */
const CORE = ['ongoing charge', 'tracking difference', 'number of holdings'];
const YEARS = 3;

/**
 * A large corpus: over 500 KiB of text in at least twelve documents of all five kinds, in English and Chinese, a table that
 * spans pages, one damaged file, two figures on which two documents disagree and one that a later notice corrects. The
 * same seed gives the same corpus; everything that is asked can be found.
 */
export async function teachingCorpus(seed: number, options: Pick<CorpusOptions, 'language'> = {}): Promise<Corpus> {
  const rng = rngOf(seed);
  const world = inventWorld(rng, { core: CORE, years: YEARS });
  const language = options.language ?? (rng.chance(0.5) ? 'en' : 'zh');
  const [first, second, correction] = spoilFigures(rng, world, 3) as [Spoiled, Spoiled, Spoiled];
  const drafts = [
    ...tellAll(rng, world, language),
    annualReport(rng, world),
    conflictLetter(rng, world, first, language, 'another-view'),
    conflictLetter(rng, world, second, language, 'reader-s-letter'),
    correctionNotice(rng, world, correction, language),
    editorialNote(world, language),
    ...longDocuments(rng, world, language),
  ];
  const files = await Promise.all(rng.shuffle(drafts).map(writeDocument));
  files.push(damaged(rng));
  return {
    question: ask(rng, world, language, { everyName: true }),
    language,
    files,
    answers: answersOf(world, language, [first, second], correction),
  };
}

/** The rule by which the answers are reckoned, told as a document among the others. */
function editorialNote({ periods }: World, language: Language): Draft {
  const zh = language === 'zh';
  const rules = zh
    ? [
        `本说明适用于${periods.at(0)}年至${periods.at(-1)}年的全部文件。`,
        '更正公告晚于其所更正的文件，以更正后的数字为准。',
        '两份文件不一致而又没有更正公告时，不以任何一份为准，应同时列出两个数字。',
      ]
    : [
        `This note is about all documents of ${periods.at(0)} to ${periods.at(-1)}.`,
        'A notice of correction is later than the document that it corrects, and what it gives is what stands.',
        'Where two documents differ and no notice was published, neither is preferred: both figures are to be given.',
      ];
  return {
    ...{ name: `editorial-note.${zh ? 'txt' : 'md'}`, kind: zh ? 'txt' : 'md', language },
    title: zh ? '编辑说明' : 'Editorial note',
    parts: [DISCLAIMER[language], ...rules].map((text) => ({ kind: 'paragraph', text })),
  };
}
