/** Runtime: runs, their record, requests as sent, actions, receipts; the public way to start and follow research. */
import { z } from 'zod';
import { budgetSnapshot } from '../budget/index.js';
import { policy, policyOverrides } from '../policy/shape.js';
import { publicationSnapshot } from '../publication/index.js';
import { verdict } from '../reviewer/index.js';
import { corpusId } from '../sources/index.js';
import {
  contract,
  count,
  epoch,
  language,
  listEventsReply,
  listEventsRequest,
  ms,
  plainText,
  position,
  runId,
} from '../wire/index.js';

/** UTF-8 bytes of a question at most; more is refused as `question_too_large`. */
export const MAX_QUESTION_BYTES = 64 * 1024;

export const runState = z.enum(['queued', 'running', 'parked', 'ending', 'ended']);
export const runOutcome = z.enum(['completed', 'partial', 'cancelled', 'failed']);
export type RunState = z.infer<typeof runState>;
export type RunOutcome = z.infer<typeof runOutcome>;

export const runView = z.strictObject({
  run: runId,
  state: runState,
  phase: z.enum(['exploring', 'finishing', 'ended']),
  outcome: runOutcome.nullable(),
  /** For programs. */
  code: z.string().nullable(),
  /** For people. */
  reason: z.string().nullable(),
  question: z.string(),
  corpus: corpusId,
  policy: z.string(),
  epoch: count,
  owner: z.string().nullable(),
  turns: count,
  requests: count,
  /** Head of the record: the cursor for events. */
  seq: count,
  /** RFC 3339. */
  admittedAt: z.string(),
  wakeAt: z.string().nullable(),
  endedAt: z.string().nullable(),
});
export type RunView = z.infer<typeof runView>;

/** Starts a run, once per `key`; the same key with other contents is refused as `key_reused`. */
export const start = contract(
  'waymark.runtime.v1.start',
  z.strictObject({
    key: z.string().min(1).max(200),
    question: z.string().min(1),
    corpus: corpusId,
    policy: z.string().default('standard'),
    overrides: policyOverrides.default({}),
    language: language.optional(),
    model: plainText(200).optional(),
  }),
  z.strictObject({ run: runId, created: z.boolean(), state: runState, policy }),
);
export const get = contract('waymark.runtime.v1.get', z.strictObject({ run: runId }), z.strictObject({ run: runView }));
export const list = contract(
  'waymark.runtime.v1.list',
  z.strictObject({ cursor: runId.optional(), limit: z.int().min(1).max(200).default(50), state: runState.optional() }),
  z.strictObject({ runs: z.array(runView), next: runId.nullable() }),
);
/** Stop means stop: once acknowledged nothing more is granted (L6). Cancelling an ended run says so. */
export const cancel = contract(
  'waymark.runtime.v1.cancel',
  z.strictObject({ run: runId, reason: z.string().max(500).optional() }),
  z.strictObject({ outcome: z.enum(['cancelling', 'already_ended']), run: runView }),
);

/** Bytes of a request's parts as sent (E1). */
export const partBytes = z.strictObject({
  frame: count,
  instructions: count,
  tools: count,
  question: count,
  summaries: count,
  turns: count,
  results: count,
  stubs: count,
  advice: count,
  notices: count,
});
export type PartBytes = z.infer<typeof partBytes>;

/** One reminder's fate in one request (R8, R17). */
export const noticeFate = z.enum(['submitted', 'rejected', 'uncertain', 'omitted', 'combined', 'pending']);
export const explainedNotice = z.strictObject({
  type: z.string(),
  kind: z.enum(['state', 'advice']),
  subject: z.string(),
  stage: count,
  fate: noticeFate,
  reason: z.string(),
  text: z.string().nullable(),
});
export const explainedRequest = z.strictObject({
  request: z.int().min(1),
  turn: count,
  attempt: z.int().min(1),
  purpose: z.string(),
  seq: z.int().min(1),
  epoch,
  digest: z.string(),
  bytes: count,
  parts: partBytes,
  contentBytes: count,
  hardLimitBytes: count,
  noticeSource: z.enum(['reminder', 'plain', 'quiet', 'none']),
  notices: z.array(explainedNotice),
  reservation: z.string(),
  grantVersion: count,
  deadlines: z.strictObject({ firstContentMs: ms, progressMs: ms, totalMs: ms, leftMs: ms, bound: z.string() }),
  outcome: z.string().nullable(),
  code: z.string().nullable(),
  usage: z.unknown(),
  actions: z.array(
    z.strictObject({ action: z.string(), tool: z.string(), outcome: z.string().nullable(), bytes: count.nullable() }),
  ),
});
export type ExplainedRequest = z.infer<typeof explainedRequest>;

/** E1: pages of requests with all that stood in them; `request` picks one. Also where the run is and why. */
export const explain = contract(
  'waymark.runtime.v1.explain',
  z.strictObject({
    run: runId,
    request: z.int().min(1).optional(),
    after: position.default(0),
    limit: z.int().min(1).max(100).default(50),
  }),
  z.strictObject({
    run: runView,
    policy,
    budget: budgetSnapshot.nullable(),
    publication: publicationSnapshot.nullable(),
    requests: z.array(explainedRequest),
    next: z.int().nullable(),
  }),
);
/** The stored record, byte for byte (base64), for checking by anybody. */
export const readRecord = contract(
  'waymark.runtime.v1.read-record',
  z.strictObject({ run: runId, after: position.default(0), limit: z.int().min(1).max(200).default(100) }),
  z.strictObject({
    rows: z.array(
      z.strictObject({
        seq: z.int(),
        epoch: count,
        kind: z.string(),
        body: z.string(),
        hash: z.string(),
        at: z.string(),
      }),
    ),
    next: z.int().nullable(),
  }),
);
/** Stored bodies by digest (base64); a body over the inline size is paged by `offset`. */
export const readBody = contract(
  'waymark.runtime.v1.read-body',
  z.strictObject({ run: runId, digest: z.string(), offset: count.default(0) }),
  z.strictObject({ digest: z.string(), size: count, offset: count, body: z.string(), next: z.int().nullable() }),
);
export const listEvents = contract('waymark.runtime.v1.list-events', listEventsRequest, listEventsReply);

export const runtimeContracts = { start, get, list, cancel, explain, readRecord, readBody, listEvents } as const;

/** What stands on the work stream for a run: only "look at it" (L2). */
export const runOrder = z.object({ run: runId });
export type RunOrder = z.infer<typeof runOrder>;

/** What other owners put into a run's inbox through the work stream; `key` makes it once. */
export const inboxDelivery = z.discriminatedUnion('kind', [
  z.strictObject({ run: runId, key: plainText(200), kind: z.literal('verdict'), verdict }),
  z.strictObject({
    run: runId,
    key: plainText(200),
    kind: z.literal('limit'),
    limit: z.enum(['active', 'wall', 'user']),
    stage: z.enum(['neared', 'reached']),
  }),
]);
export type InboxDelivery = z.infer<typeof inboxDelivery>;
