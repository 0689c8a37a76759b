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

/** Largest message body in bytes, either way; NATS itself ends at 1 MiB with headers. */
export const MAX_BODY_BYTES = 512 * 1024;
/** Larger bodies travel through the object store as {name, size, digest}. */
export const INLINE_BYTES = 256 * 1024;

export const errorBody = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  field: z.string().optional(),
});
/** What a caller gets instead of a reply: what is wrong and how to mend it. */
export type ErrorBody = z.infer<typeof errorBody>;

/** Codes that any subject may answer with. */
export const WIRE_CODES = [
  'malformed_json',
  'body_too_large',
  'reply_too_large',
  'unknown_field',
  'missing_field',
  'invalid_field',
  'unknown_run',
  'unavailable',
  'internal',
] as const;

export interface Contract<Q extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly request: Q;
  readonly reply: A;
}
export type RequestOf<C extends Contract> = z.input<C['request']>;
export type ParsedRequestOf<C extends Contract> = z.output<C['request']>;
export type ReplyOf<C extends Contract> = z.output<C['reply']>;

/** One subject with its shapes. */
export function contract<Q extends z.ZodType, A extends z.ZodType>(
  subject: string,
  request: Q,
  reply: A,
): Contract<Q, A> {
  return { subject, request, reply };
}

/** Largest sequence, epoch or version: owners keep them in 32 bits. */
export const MAX_NUMBER = 2 ** 31 - 1;
/** Longest duration in ms, about 317 years: a clock plus it is still a time that every owner can keep. */
export const MAX_MS = 10 ** 13;

export const runId = z.uuid();
export type RunId = string;
/** Grows with each owner of a run or of a review; fences older owners off (L2). */
export const epoch = z.int().min(1).max(MAX_NUMBER);
export const count = z.int().min(0);
/** A place in a sequence, or a version; 0 is before the first. */
export const position = z.int().min(0).max(MAX_NUMBER);
export const ms = z.number().min(0).max(MAX_MS);
export const bytes = z.int().min(0);
/** Lower-case hex SHA-256. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/);
/** A body stored once under its digest. */
export const bodyRef = z.strictObject({ digest, bytes });
export type BodyRef = z.infer<typeof bodyRef>;
/** A name of the object store: printable ASCII, because its client can address no other. */
export const objectName = z.string().regex(/^[\x20-\x7e]{1,512}$/);
/** A body in the object store. */
export const objectRef = z.strictObject({ name: objectName, size: bytes, digest });
export type ObjectRef = z.infer<typeof objectRef>;

/** Text that every owner can keep and show: well-formed Unicode without control characters. */
export const plainText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'expected well-formed text without control characters');

export const language = z.enum(['en', 'zh']);
export type Language = z.infer<typeof language>;

/** `[start, end)` in bytes of the stored UTF-8 text. */
export const byteRange = z.strictObject({ start: bytes, end: bytes });
export type ByteRange = z.infer<typeof byteRange>;
/** What stands before and after a passage (at most 160 bytes each), and the header of the table that it is a row of. */
export const passageContext = z.strictObject({
  before: z.string().max(200),
  after: z.string().max(200),
  header: z.string().max(300).nullable(),
});
export type PassageContext = z.infer<typeof passageContext>;

/** Stable name under which a source (`doc:…`) or a tool result (`result:<turn>.<n>`) is read again. */
export const locator = z.string().regex(/^(doc|result):[A-Za-z0-9._-]{1,120}$/);

/** One fact as the outside sees it: the cursor is (owner, run, sequence), stands in every event (L14). */
export const event = z.object({
  owner: z.string(),
  run: runId,
  seq: z.int().min(1),
  /** RFC 3339, by the owner's database clock. */
  at: z.string(),
  /** `waymark.<owner>.fact.v1.<Name>` */
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
});
export type WaymarkEvent = z.infer<typeof event>;

/** Pages an owner's facts from its own table, also past the stream's retention. */
export const listEventsRequest = z.strictObject({
  run: runId,
  after: position.default(0),
  limit: z.int().min(1).max(500).default(100),
});
export const listEventsReply = z.object({ events: z.array(event), next: z.int().nullable() });
