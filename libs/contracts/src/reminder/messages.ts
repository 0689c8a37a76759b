/** Reminder: turns given facts into candidates. Counts nothing itself, permits nothing, sends nothing (R1). */
import { z } from 'zod';
import { budgetSnapshot, purpose } from '../budget/index.js';
import { policy } from '../policy/shape.js';
import { publicationSnapshot } from '../publication/index.js';
import { bytes, contract, count, language, locator, ms, runId } from '../wire/index.js';

/** In presentation order (R2). */
export const REMINDER_TYPES = [
  'explore-requests',
  'finish-reserve',
  'active-time',
  'wall-clock',
  'context-bytes',
  'block-revisions',
  'run-revisions',
  'work-review',
  'partly-read-sources',
] as const;
export const reminderType = z.enum(REMINDER_TYPES);
export type ReminderType = z.infer<typeof reminderType>;

/** What a reminder is about: `run`, `block:<id>`, `source:<locator>`. */
export const subject = z.string().min(1).max(200);

/** The highest stage of a type and subject that really went into a request (R3, R8). */
export const watermark = z.strictObject({
  type: reminderType,
  kind: z.enum(['state', 'advice']),
  subject,
  policyVersion: z.int().min(1),
  stage: count,
  /** `uncertain` is not repeated at its stage because of the doubt (R8). */
  delivery: z.enum(['submitted', 'uncertain']),
});
export type Watermark = z.infer<typeof watermark>;

/** What was measured, so that a reader can check the words: value and limit in the type's own unit. */
export const basis = z.strictObject({ value: z.number(), limit: z.number(), unit: z.string(), version: count });

export const candidate = z.strictObject({
  type: reminderType,
  kind: z.enum(['state', 'advice']),
  subject,
  stage: count,
  policyVersion: z.int().min(1),
  /** One sentence in the run's language, with number, unit and denominator (R15). */
  text: z.string(),
  basis,
});
export type Candidate = z.infer<typeof candidate>;

export const composeRequest = z.strictObject({
  run: runId,
  language,
  policyVersion: z.int().min(1),
  phase: z.enum(['exploring', 'finishing']),
  purpose,
  /** For the lines as sent, by {@link noticeLineBytes}; the message round them has been taken off. */
  noticeRoomBytes: bytes,
  stages: policy.shape.stages,
  /** From the grant of this very request, which it counts (R18). */
  budget: budgetSnapshot,
  /** Bytes of the content as it will be sent, notices excluded, and the hard limit (R9, R10). */
  context: z.strictObject({ contentBytes: bytes, hardLimitBytes: bytes }),
  publication: publicationSnapshot,
  /** Blocks with a write sent and not confirmed: taken as used in the state line (P9). */
  unconfirmed: z.array(z.string()).default([]),
  review: z.strictObject({
    enabled: z.boolean(),
    everyExploreRequests: z.int().min(1),
    everyMs: ms,
    /** Explore requests and active ms since the last review (or the start). */
    sinceExploreRequests: count,
    sinceMs: ms,
    running: z.boolean(),
  }),
  /** Sources read in part: bytes had of the total (C5). At most 50, tightest first. */
  partlyRead: z.array(z.strictObject({ locator, name: z.string(), hadBytes: bytes, totalBytes: bytes })).max(50),
  watermarks: z.array(watermark).max(500),
});
export type ComposeRequest = z.input<typeof composeRequest>;

export const reviewCandidate = z.strictObject({ reason: z.enum(['explore_requests', 'time']), basis });

/**
 * Each measurement below the value named here needs no composing: compose may be skipped while the last reply held
 * no state line and no candidate and all stay below (architecture, one turn). Null: nothing of that kind will come.
 * `quietAfter` and `staysQuiet` decide that in one place: also another phase, policy version, hard limit or number of
 * blocks ends the quiet.
 */
export const quietUntil = z.strictObject({
  exploreUsed: count.nullable(),
  physicalUsed: count.nullable(),
  activeMs: ms.nullable(),
  wallMs: ms.nullable(),
  contentBytes: bytes.nullable(),
  runRevisions: count.nullable(),
  blockRevisions: count.nullable(),
  reviewExploreRequests: count.nullable(),
  reviewMs: ms.nullable(),
  partlyReadSources: count.nullable(),
});
export type QuietUntil = z.infer<typeof quietUntil>;

export const composeReply = z.strictObject({
  /** In presentation order; all that fit the notice room stand, the rest counted in the last line of its type (R4). */
  state: z.array(candidate),
  /** Ordered; the caller fits them in what the state lines leave (R7). */
  advice: z.array(candidate),
  /** Advice that lost to other advice (R17). */
  combined: z.array(z.strictObject({ type: reminderType, subject, stage: count, by: reminderType })),
  /** Keys that are armed again because their measurement fell or the policy changed (R3); recorded with the request. */
  rearmed: z.array(z.strictObject({ type: reminderType, kind: z.enum(['state', 'advice']), subject })),
  reviewCandidate: reviewCandidate.nullable(),
  quietUntil,
});
export type ComposeReply = z.infer<typeof composeReply>;

export const compose = contract('waymark.reminder.v1.compose', composeRequest, composeReply, {
  access: 'internal',
  summary: 'Reminders for one request. Stateless: nothing is written on its path; the same facts give the same reply.',
});

export const statistics = contract(
  'waymark.reminder.v1.statistics',
  z.strictObject({ run: runId.optional() }),
  z.strictObject({
    rows: z.array(
      z.strictObject({ type: reminderType, kind: z.enum(['state', 'advice']), stage: count, fate: z.string(), count }),
    ),
  }),
  {
    access: 'internal',
    summary: 'How often each type and stage was submitted, omitted, combined or uncertain, over all runs seen.',
  },
);

export const reminderContracts = { compose, statistics } as const;
