/** Sources: documents, their text, pages and ranges, the search index. Knows no runs. */
import { z } from 'zod';
import { bytes, contract, count, objectRef, passageContext } from '../wire/index.js';

export const corpusId = z.string().regex(/^[A-Za-z0-9._-]{1,80}$/);
export const documentLocator = z.string().regex(/^doc:[A-Za-z0-9._-]{1,120}$/);
/** Decided by content first, then by the name's ending. `other` is a file that cannot be read (`unsupported_kind`). */
export const documentKind = z.enum(['pdf', 'html', 'md', 'csv', 'txt', 'other']);
export type DocumentKind = z.infer<typeof documentKind>;

/** Text returned by one read at most, and when no end is named. */
export const MAX_READ_BYTES = 16 * 1024;
export const DEFAULT_READ_BYTES = 8 * 1024;

export const documentView = z.strictObject({
  locator: documentLocator,
  name: z.string(),
  kind: documentKind,
  title: z.string(),
  /** Bytes of the stored UTF-8 text; locators are offsets in it. 0 while pending or unreadable. */
  bytes,
  pages: count.nullable(),
  status: z.enum(['pending', 'ready', 'unreadable']),
  /**
   * Code and words when unreadable, e.g. `damaged`, `encrypted`, `empty`, `too_large`, `timed_out`, `out_of_memory`,
   * `unsupported_kind`, `no_text`, `interrupted`.
   */
  reason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type DocumentView = z.infer<typeof documentView>;

/**
 * A document reaches sources as bytes in the object store (bucket in contracts/streams). `name` is a label: a relative
 * path with `/`, no `..`, no leading `/`, no control characters, at most 255 bytes; anything else is refused as `bad_name`.
 * Idempotent by (corpus, name, digest): the locator is stable. Replies when the bytes are taken in (`pending`); parsing
 * goes on in a worker.
 * The object is used up: once this has replied it is deleted, so upload each document under an object name of its own.
 */
export const addDocument = contract(
  'waymark.sources.v1.add-document',
  z.strictObject({ corpus: corpusId, name: z.string(), object: objectRef }),
  z.strictObject({ document: documentView, created: z.boolean() }),
);
export const describeCorpus = contract(
  'waymark.sources.v1.describe-corpus',
  z.strictObject({ corpus: corpusId }),
  z.strictObject({ corpus: corpusId, documents: count, ready: count, pending: count, unreadable: count, bytes }),
);
export const listDocuments = contract(
  'waymark.sources.v1.list-documents',
  z.strictObject({ corpus: corpusId, after: documentLocator.optional(), limit: z.int().min(1).max(200).default(100) }),
  z.strictObject({ documents: z.array(documentView), next: documentLocator.nullable() }),
);
export const search = contract(
  'waymark.sources.v1.search',
  z.strictObject({ corpus: corpusId, query: z.string().min(1).max(1000), limit: z.int().min(1).max(50).default(10) }),
  z.strictObject({
    query: z.string(),
    hits: z.array(
      z.strictObject({
        locator: documentLocator,
        name: z.string(),
        start: bytes,
        end: bytes,
        /** Page or line label, for people. */
        label: z.string(),
        score: z.number(),
        excerpt: z.string(),
      }),
    ),
    total: count,
  }),
);
/** Reads `[start, end)`, moved outward-in to character borders; an `end` past the text is cut to it. */
export const readRange = contract(
  'waymark.sources.v1.read-range',
  z.strictObject({ corpus: corpusId, locator: documentLocator, start: bytes.default(0), end: bytes.optional() }),
  z.strictObject({
    locator: documentLocator,
    name: z.string(),
    start: bytes,
    end: bytes,
    total: bytes,
    more: z.boolean(),
    label: z.string(),
    text: z.string(),
  }),
);
/** Whether locators and ranges exist (P6), each for itself, with the passage's beginning. */
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
        /** Page or line, and what stands round the passage; with `ok` only. */
        label: z.string().optional(),
        context: passageContext.optional(),
      }),
    ),
  }),
);

export const sourcesContracts = { addDocument, describeCorpus, listDocuments, search, readRange, checkRanges } as const;
