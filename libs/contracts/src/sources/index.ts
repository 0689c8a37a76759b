/** Sources: documents, their text, pages and ranges, the search index. Knows no runs. */
import { z } from 'zod';
import { bytes, contract, count, objectRef, pageSize, passageContext } from '../wire/index.js';

export const corpusId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,80}$/)
  .describe('name of a set of documents, of your choice');
export const documentLocator = z
  .string()
  .regex(/^doc:[A-Za-z0-9._-]{1,120}$/)
  .describe('stable name of a document');
/** Decided by content first, then by the name's ending. `other` is a file that cannot be read (`unsupported_kind`). */
export const documentKind = z.enum(['pdf', 'html', 'md', 'csv', 'txt', 'other']);
export type DocumentKind = z.infer<typeof documentKind>;

/** Text returned by one read at most, and when no end is named. */
export const MAX_READ_BYTES = 16 * 1024;
export const DEFAULT_READ_BYTES = 8 * 1024;

export const documentView = z
  .strictObject({
    locator: documentLocator,
    name: z.string(),
    kind: documentKind,
    title: z.string(),
    bytes: bytes.describe('of the stored UTF-8 text, 0 while there is none'),
    pages: count.nullable(),
    status: z.enum(['pending', 'ready', 'unreadable']),
    reason: z
      .strictObject({ code: z.string(), message: z.string() })
      .nullable()
      .describe(
        'why it is unreadable, e.g. `damaged`, `encrypted`, `empty`, `too_large`, `timed_out`, `out_of_memory`, `unsupported_kind`, `no_text`, `interrupted`',
      ),
  })
  .meta({ id: 'Document', description: 'A document of a corpus.' });
export type DocumentView = z.infer<typeof documentView>;

export const addDocument = contract(
  'waymark.sources.v1.add-document',
  z.strictObject({
    corpus: corpusId,
    name: z.string().describe('a label: a relative path with `/`, no `..`, no control characters, at most 255 bytes'),
    object: objectRef,
  }),
  z.strictObject({ document: documentView, created: z.boolean().describe('false when it was there already') }),
  {
    access: 'public',
    summary:
      'Takes in a document whose bytes you put into the object store. Idempotent by (corpus, name, digest): the locator is stable. It replies when the bytes are safe (`pending`); parsing goes on by itself. The object is used up: it is deleted, so give each document an object name of its own.',
    codes: ['bad_name', 'unknown_object', 'object_mismatch'],
  },
);
export const describeCorpus = contract(
  'waymark.sources.v1.describe-corpus',
  z.strictObject({ corpus: corpusId }),
  z.strictObject({ corpus: corpusId, documents: count, ready: count, pending: count, unreadable: count, bytes }),
  {
    access: 'public',
    summary: 'How many documents a corpus has, and how many are parsed: ask until `pending` is 0.',
    codes: ['unknown_corpus'],
  },
);
export const listDocuments = contract(
  'waymark.sources.v1.list-documents',
  z.strictObject({
    corpus: corpusId,
    after: documentLocator.optional().describe('`next` of the page before'),
    limit: pageSize(200, 100),
  }),
  z.strictObject({
    documents: z.array(documentView),
    next: documentLocator.nullable().describe('`after` of the next page; null at the end'),
  }),
  {
    access: 'public',
    summary: 'The documents of a corpus, and what is wrong with those that cannot be read.',
    codes: ['unknown_corpus', 'unknown_locator'],
  },
);
export const search = contract(
  'waymark.sources.v1.search',
  z.strictObject({
    corpus: corpusId,
    query: z.string().min(1).max(1000).describe('words; a passage with any of them is a hit'),
    limit: z.int().min(1).max(50).default(10).describe('hits at most'),
  }),
  z.strictObject({
    query: z.string(),
    hits: z.array(
      z.strictObject({
        locator: documentLocator,
        name: z.string(),
        start: bytes,
        end: bytes,
        label: z.string().describe('page or line, for people'),
        score: z.number().describe('higher is better, within one search'),
        excerpt: z.string(),
      }),
    ),
    total: count.describe('passages that were found'),
  }),
  {
    access: 'public',
    summary: 'Passages of a corpus that hold words of the query, best first.',
    codes: ['unknown_corpus'],
  },
);
export const readRange = contract(
  'waymark.sources.v1.read-range',
  z.strictObject({
    corpus: corpusId,
    locator: documentLocator,
    start: bytes.default(0).describe('first byte'),
    end: bytes
      .optional()
      .describe(`byte after the last; ${DEFAULT_READ_BYTES} bytes on unless given, ${MAX_READ_BYTES} at most`),
  }),
  z.strictObject({
    locator: documentLocator,
    name: z.string(),
    start: bytes,
    end: bytes,
    total: bytes.describe('of the whole text'),
    more: z.boolean().describe('whether text follows `end`'),
    label: z.string().describe('page or line, for people'),
    text: z.string(),
  }),
  {
    access: 'public',
    summary:
      'Text of a document by byte range: what a citation of a report points to. The range is narrowed to whole characters; an `end` past the text is cut to it.',
    codes: ['unknown_locator', 'not_ready', 'unreadable', 'empty_range', 'range_outside'],
  },
);
export const checkRanges = contract(
  'waymark.sources.v1.check-ranges',
  z.strictObject({
    corpus: corpusId,
    ranges: z.array(z.strictObject({ locator: documentLocator, start: bytes, end: bytes })).max(100),
  }),
  z.strictObject({
    results: z.array(
      z.strictObject({
        status: z.enum(['ok', 'unknown_locator', 'range_outside', 'empty_range', 'not_on_characters']),
        name: z.string().nullable(),
        total: bytes.nullable(),
        quote: z.string().nullable(),
        label: z.string().optional().describe('page or line; with `ok` only, as is the context'),
        context: passageContext.optional(),
      }),
    ),
  }),
  {
    access: 'internal',
    summary: "Whether locators and ranges exist (P6), each for itself, with the passage's beginning.",
  },
);

export const sourcesContracts = { addDocument, describeCorpus, listDocuments, search, readRange, checkRanges } as const;
