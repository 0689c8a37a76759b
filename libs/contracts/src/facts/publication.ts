import { z } from 'zod';
import { blockId } from '../publication/index.js';
import { runOutcome } from '../runtime/index.js';
import { count, epoch, language } from '../wire/index.js';
import type { FactShapes } from './shape.js';

const block = z.object({
  block: blockId,
  version: z.int().min(1),
  title: z.string(),
  bytes: count,
  citations: count,
  failedCitations: count,
  reason: z.string().nullable().describe('why it was corrected'),
});

export const PUBLICATION_FACTS = {
  ReportOpened: {
    about: 'The report can be read from now on.',
    data: z.object({
      questionBytes: count,
      language,
      revisions: z.object({ perBlock: count, perRun: count }),
      policyVersion: epoch,
      epoch,
    }),
  },
  BlockPublished: { about: 'A block was published for the first time.', data: block },
  BlockCorrected: { about: 'A new version stands in the place of a block.', data: block },
  ProgressNoted: {
    about: 'A note on the progress; it is not in the report.',
    data: z.object({ text: z.string() }),
  },
  ReportClosed: {
    about: 'The report changes no more.',
    data: z.object({
      outcome: runOutcome,
      code: z.string(),
      reason: z.string(),
      closingBytes: count.nullable(),
      gaps: count.describe('open gaps that it names'),
    }),
  },
  ReportShown: {
    about: 'A viewer was shown a version for the first time.',
    data: z.object({ viewer: z.string(), version: count }),
  },
} as const satisfies FactShapes;
