/**
 * The wire: plain JSON over NATS, one contract per subject, any client in any language.
 *
 * 1. A request is one JSON object; an unknown field is refused, never ignored.
 * 2. A reply is the bare value. What could not be understood or served is an {@link ErrorBody}, marked by the
 *    header `Nats-Service-Error`. A refusal that is a decision (budget, revision, admission) is part of the reply's
 *    own shape, not an error.
 * 3. Codes never change meaning; within a version only optional fields are added.
 */
import { z } from 'zod';
import type { ErrorCode } from './codes.js';

export { CODES, WIRE_CODES, type ErrorCode } from './codes.js';

/** Largest message body in bytes, either way; NATS itself ends at 1 MiB with headers. */
export const MAX_BODY_BYTES = 512 * 1024;
/** Larger bodies travel through the object store as {name, size, digest}. */
export const INLINE_BYTES = 256 * 1024;

export const errorBody = z
  .object({
    code: z.string().describe('for programs; never changes its meaning'),
    message: z.string().describe('what is wrong, with the numbers'),
    remedy: z.string().describe('what to do about it'),
    field: z.string().optional().describe('path of the field that is wrong, e.g. `overrides.wallMs`'),
  })
  .meta({ id: 'Error', description: 'What a caller gets instead of a reply.' });
/** What a caller gets instead of a reply: what is wrong and how to mend it. */
export type ErrorBody = z.infer<typeof errorBody>;

/** What a contract says about itself; the documents for other systems are made of it. */
export interface About {
  /** `public`: anybody with a user of NATS may call it; `internal`: the services among themselves. */
  readonly access: 'public' | 'internal';
  /** For a stranger: what it does, once or always, and what it never does. */
  readonly summary: string;
  /** Codes that it may answer with beside {@link WIRE_CODES}. */
  readonly codes?: readonly ErrorCode[];
}

export interface Contract<Q extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly request: Q;
  readonly reply: A;
  readonly about: About;
}
export type RequestOf<C extends Contract> = z.input<C['request']>;
export type ParsedRequestOf<C extends Contract> = z.output<C['request']>;
export type ReplyOf<C extends Contract> = z.output<C['reply']>;

/** One subject with its shapes. */
export function contract<Q extends z.ZodType, A extends z.ZodType>(
  subject: string,
  request: Q,
  reply: A,
  about: About,
): Contract<Q, A> {
  return { subject, request, reply, about };
}

/** Largest sequence, epoch or version: owners keep them in 32 bits. */
export const MAX_NUMBER = 2 ** 31 - 1;
/** Longest duration in ms, about 317 years: a clock plus it is still a time that every owner can keep. */
export const MAX_MS = 10 ** 13;

export const runId = z.uuid().describe('id of a run, UUIDv7');
export type RunId = string;
/** Grows with each owner of a run or of a review; fences older owners off (L2). */
export const epoch = z.int().min(1).max(MAX_NUMBER).describe('grows with each owner; a lower one is refused');
export const count = z.int().min(0);
/** A place in a sequence, or a version; 0 is before the first. */
export const position = z.int().min(0).max(MAX_NUMBER);
/** Where a page begins: the `next` of the page before. */
export const after = position.default(0).describe('cursor: only what comes after it; the `next` of the page before');
export const pageSize = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe('entries of a page');
/** Where the next page begins. */
export const next = z.int().nullable().describe('`after` of the next page; null at the end');
export const time = z.string().describe("RFC 3339, by the owner's database clock");
export const ms = z.number().min(0).max(MAX_MS).describe('milliseconds');
export const bytes = z.int().min(0).describe('bytes of UTF-8');
/** Lower-case hex SHA-256. */
export const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256, lower-case hex');
/** A body stored once under its digest. */
export const bodyRef = z.strictObject({ digest, bytes });
export type BodyRef = z.infer<typeof bodyRef>;
/** A name of the object store: printable ASCII, because its client can address no other. */
export const objectName = z
  .string()
  .regex(/^[\x20-\x7e]{1,512}$/)
  .describe('name in the object store, printable ASCII');
/** A body in the object store. */
export const objectRef = z
  .strictObject({ name: objectName, size: z.int().min(0).describe('bytes'), digest })
  .describe('a body in the object store');
export type ObjectRef = z.infer<typeof objectRef>;

/** Text that every owner can keep and show: well-formed Unicode without control characters. */
export const plainText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'expected well-formed text without control characters');

export const language = z.enum(['en', 'zh']).describe('of notices and report');
export type Language = z.infer<typeof language>;

/** `[start, end)` in bytes of the stored UTF-8 text. */
export const byteRange = z.strictObject({
  start: bytes.describe('first byte of the stored UTF-8 text'),
  end: bytes.describe('byte after the last'),
});
export type ByteRange = z.infer<typeof byteRange>;

/** What stands round a passage, for people. */
export const passageContext = z
  .strictObject({
    before: z.string().max(200).describe('what stands before it, at most 160 bytes and a mark'),
    after: z.string().max(200).describe('what stands after it, likewise'),
    header: z.string().max(300).nullable().describe('header of the table that it is a row of'),
  })
  .meta({ id: 'PassageContext', description: 'What stands round a passage in its source.' });
export type PassageContext = z.infer<typeof passageContext>;

/** Stable name under which a source (`doc:…`) or a tool result (`result:<turn>.<n>`) is read again. */
export const locator = z
  .string()
  .regex(/^(doc|result):[A-Za-z0-9._-]{1,120}$/)
  .describe('stable name under which a source or a tool result is read again');

/** One fact as the outside sees it: the cursor is (owner, run, sequence), stands in every event (L14). */
export const event = z
  .object({
    owner: z.string().describe('who recorded it'),
    run: runId,
    seq: z.int().min(1).describe('1, 2, 3 … without a gap for each owner and run'),
    at: time,
    type: z.string().describe('`waymark.<owner>.fact.v1.<Name>`'),
    data: z.record(z.string(), z.unknown()).describe('the fact'),
  })
  .meta({ id: 'Event', description: 'One fact, as its owner tells it.' });
export type WaymarkEvent = z.infer<typeof event>;

/** Pages an owner's facts from its own table, also past the stream's retention. */
export const listEventsRequest = z.strictObject({ run: runId, after, limit: pageSize(500, 100) });
export const listEventsReply = z.object({ events: z.array(event), next });
/** Every owner that has events serves them alike. */
export const listEventsOf = (owner: string) =>
  contract(`waymark.${owner}.v1.list-events`, listEventsRequest, listEventsReply, {
    access: 'public',
    summary: `The events that ${owner} recorded for a run, oldest first, from its own table: also those that the stream has forgotten. A page may hold fewer than \`limit\`; \`next\` says whether more follow.`,
  });
