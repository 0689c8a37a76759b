/** Publication: blocks, versions, revision quotas, citations, what readers were shown. Knows no requests, no time limits. */
import { z } from 'zod';
import {
  after,
  byteRange,
  contract,
  count,
  epoch,
  language,
  listEventsOf,
  locator,
  next,
  pageSize,
  passageContext,
  position,
  runId,
  time,
} from '../wire/index.js';

/** A section's stable name within its report. */
export const blockId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
  .describe('stable name of a section within its report');
/** One block's text in UTF-8 bytes at most, more is `block_too_large`; a report has at most {@link MAX_BLOCKS} blocks. */
export const MAX_BLOCK_BYTES = 32 * 1024;
export const MAX_BLOCKS = 64;
/** A closing text as JSON in bytes at most, so that it rides in one message beside its gaps; the runtime cuts a longer one. */
export const MAX_CLOSING_BYTES = 384 * 1024;

/** A checked citation (P6): the writer's owner of results and sources says whether locator and range exist. */
export const citation = z
  .strictObject({
    locator,
    ...byteRange.shape,
    name: z.string().max(300).nullable().describe('of the source or result, as readers know it'),
    quote: z.string().max(2400).nullable().describe('the passage cited, at most 600 characters'),
    status: z.enum(['ok', 'failed']).describe('whether locator and range exist'),
    reason: z
      .string()
      .max(300)
      .nullable()
      .describe('why it failed, e.g. `unknown_locator`, `range_outside`, `not_a_source`'),
    label: z.string().max(100).optional().describe('page or line, as the owner of the source tells it'),
    context: passageContext.optional(),
  })
  .meta({
    id: 'Citation',
    description: 'Where a statement of the report comes from: a range of a source or of a result.',
  });
export type Citation = z.infer<typeof citation>;

export const revisionState = z.strictObject({ limit: count, used: count, left: count });

export const blockState = z.strictObject({
  block: blockId,
  title: z.string(),
  version: z.int().min(1),
  bytes: count,
  citations: count,
  failedCitations: count,
  revisions: revisionState,
});
export type BlockState = z.infer<typeof blockState>;

export const publicationSnapshot = z
  .strictObject({
    run: runId,
    version: count,
    closed: z.boolean(),
    epoch: count,
    revisions: revisionState,
    blocks: z.array(blockState),
  })
  .meta({ id: 'Publication', description: 'Blocks of a report without their texts.' });
export type PublicationSnapshot = z.infer<typeof publicationSnapshot>;

export const writeRefusal = z.strictObject({
  code: z.enum([
    'block_revisions_exhausted',
    'run_revisions_exhausted',
    'version_mismatch',
    'block_exists',
    'unknown_block',
    'too_many_blocks',
    'report_closed',
    'fenced',
  ]),
  message: z.string(),
  remedy: z.string(),
});
export type WriteRefusal = z.infer<typeof writeRefusal>;

export const open = contract(
  'waymark.publication.v1.open',
  z.strictObject({
    run: runId,
    question: z.string(),
    language,
    revisions: z.strictObject({ perBlock: position, perRun: position }),
    policyVersion: epoch,
    epoch,
  }),
  z.strictObject({ snapshot: publicationSnapshot, created: z.boolean() }),
  { access: 'internal', summary: 'Opens the report of a run. By key run: opening again reads the same one.' },
);

const writeReply = z.strictObject({
  outcome: z.enum(['written', 'refused']),
  /** True when this key had been carried out before, also if the report has been closed since (P5). */
  repeated: z.boolean(),
  block: blockId,
  /** The version that this key made, also when asked again; when refused, the current one, null when there is none. */
  version: z.int().nullable(),
  refusal: writeRefusal.nullable(),
  snapshot: publicationSnapshot,
});

export const writeBlock = contract(
  'waymark.publication.v1.write-block',
  z.strictObject({
    run: runId,
    epoch,
    /** `<run>/<action>`, never the epoch. */
    key: z.string().min(1).max(200),
    block: blockId,
    expectVersion: position,
    title: z.string().min(1).max(300),
    text: z.string().min(1),
    citations: z.array(citation).max(100),
    /** Why it was corrected, for the block's history. */
    reason: z.string().max(1000).nullable(),
  }),
  writeReply,
  {
    access: 'internal',
    summary:
      'Writes a block: `expectVersion` 0 makes it, n replaces version n (P2, P5). A first version costs no revision.',
    codes: ['block_too_large'],
  },
);
export const noteProgress = contract(
  'waymark.publication.v1.note-progress',
  z.strictObject({ run: runId, epoch, key: z.string().min(1).max(200), text: z.string().min(1).max(4000) }),
  z.strictObject({ outcome: z.enum(['noted', 'refused']), repeated: z.boolean(), refusal: writeRefusal.nullable() }),
  { access: 'internal', summary: 'A progress note: no block, no revision, never in the report (P10).' },
);
export const close = contract(
  'waymark.publication.v1.close',
  z.strictObject({
    run: runId,
    epoch,
    outcome: z.enum(['completed', 'partial', 'cancelled', 'failed']),
    /** For programs, e.g. `finished`, `explore_exhausted`, `model_unusable`. */
    code: z.string().max(100),
    /** For readers, one sentence. */
    reason: z.string().max(1000),
    /** Closing text of the model, shown first; null when there was none. */
    closing: z.string().nullable(),
    /** Open gaps that the ending knows of. */
    gaps: z.array(z.string().max(1000)).max(50),
  }),
  z.strictObject({ outcome: z.enum(['closed', 'already_closed', 'fenced']), snapshot: publicationSnapshot }),
  {
    access: 'internal',
    summary:
      'Closes the report for good; closing again, by whoever, reads the same fact. The frame is what the ending knows (P7).',
  },
);
export const snapshot = contract(
  'waymark.publication.v1.snapshot',
  z.strictObject({ run: runId }),
  z.strictObject({ snapshot: publicationSnapshot }),
  {
    access: 'public',
    summary: 'The blocks of a report with their versions and what is left of the revisions, without texts.',
  },
);

export const reportBlock = z.strictObject({
  block: blockId,
  title: z.string(),
  version: z.int().min(1),
  text: z.string(),
  citations: z.array(citation),
  at: time,
});
export const report = z
  .strictObject({
    run: runId,
    version: count,
    question: z.string(),
    language,
    state: z.enum(['open', 'closed']).describe('closed: nothing changes any more'),
    outcome: z.enum(['completed', 'partial', 'cancelled', 'failed']).nullable(),
    code: z.string().nullable(),
    reason: z.string().nullable(),
    closing: z.string().nullable().describe("the model's answer, shown first"),
    blocks: z.array(reportBlock),
    corrections: z
      .array(
        z.strictObject({
          block: blockId,
          title: z.string(),
          from: z.int(),
          to: z.int(),
          reason: z.string().nullable(),
          at: time,
        }),
      )
      .describe('what was corrected, newest last; the current text stands in its block'),
    gaps: z.array(z.string()).describe('what is open'),
  })
  .meta({ id: 'Report', description: 'A report as readers see it.' });
export type Report = z.infer<typeof report>;

export const getReport = contract(
  'waymark.publication.v1.report',
  z.strictObject({
    run: runId,
    format: z.enum(['json', 'markdown', 'html']).default('json').describe('html is a page that needs nothing else'),
    viewer: z.string().max(200).optional().describe('records that this viewer was shown this version (P8)'),
  }),
  z.strictObject({
    report: report.nullable().describe('null when it is too large to ride beside its rendering'),
    rendered: z.string().nullable().describe('the text in `format`; null for json, and when it stands in `object`'),
    object: z
      .strictObject({ name: z.string(), size: count, digest: z.string() })
      .nullable()
      .describe('where the rendering, or with `json` the report, is when it has over 256 KiB'),
  }),
  {
    access: 'public',
    summary:
      'The report as it stands now, at any moment of a run: committed versions only (P9). Reading it starts nothing.',
  },
);
export const blockHistory = contract(
  'waymark.publication.v1.block-history',
  z.strictObject({ run: runId, block: blockId, after, limit: pageSize(10, 10) }),
  z.strictObject({
    versions: z.array(
      z.strictObject({
        version: z.int(),
        title: z.string(),
        text: z.string(),
        reason: z.string().nullable().describe('why it was corrected'),
        at: time,
      }),
    ),
    next,
  }),
  { access: 'public', summary: 'All versions of one block, oldest first.', codes: ['unknown_block'] },
);
export const shown = contract(
  'waymark.publication.v1.shown',
  z.strictObject({ run: runId, after, limit: pageSize(200, 100) }),
  z.strictObject({
    shown: z.array(z.strictObject({ viewer: z.string(), version: count.describe('of the report'), at: time })),
    next,
  }),
  { access: 'public', summary: 'Which version of the report was shown to whom, and when, oldest first (P8).' },
);
export const listEvents = listEventsOf('publication');

export const publicationContracts = {
  open,
  writeBlock,
  noteProgress,
  close,
  snapshot,
  getReport,
  blockHistory,
  shown,
  listEvents,
} as const;
