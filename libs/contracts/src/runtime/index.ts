/** Runtime: runs, their record, requests as sent, actions, receipts; the public way to start and follow research. */
import { z } from 'zod';
import { budgetSnapshot } from '../budget/index.js';
import { policy, policyOverrides } from '../policy/shape.js';
import { publicationSnapshot } from '../publication/index.js';
import { verdict } from '../reviewer/index.js';
import { corpusId } from '../sources/index.js';
import {
  after,
  contract,
  count,
  epoch,
  language,
  listEventsOf,
  ms,
  next,
  pageSize,
  plainText,
  runId,
  time,
} from '../wire/index.js';

/** UTF-8 bytes of a question at most; more is refused as `question_too_large`. */
export const MAX_QUESTION_BYTES = 64 * 1024;

export const runState = z
  .enum(['queued', 'running', 'parked', 'ending', 'ended'])
  .describe('`parked` waits for something outside and wakes by itself');
export const runOutcome = z
  .enum(['completed', 'partial', 'cancelled', 'failed'])
  .describe(
    '`partial`: a limit or a person cut it short; `failed`: nothing could be published; a report exists in every case',
  );
export type RunState = z.infer<typeof runState>;
export type RunOutcome = z.infer<typeof runOutcome>;

export const runView = z
  .strictObject({
    run: runId,
    state: runState,
    phase: z
      .enum(['exploring', 'finishing', 'ended'])
      .describe('finishing: no more tools to explore, the report is written'),
    outcome: runOutcome.nullable(),
    code: z.string().nullable().describe('why it ended or waits, for programs'),
    reason: z.string().nullable().describe('the same for people'),
    question: z.string().describe('in a list only its beginning'),
    corpus: corpusId,
    policy: z.string().describe('name of the policy'),
    epoch: count.describe('owners that it has had'),
    owner: z.string().nullable().describe('replica that works on it'),
    turns: count.describe('main-model requests that completed with their actions'),
    requests: count.describe('physical model requests, retries included'),
    seq: count.describe('head of its record: sequence of the newest event of the runtime'),
    admittedAt: time,
    wakeAt: time.nullable().describe('when a parked run goes on'),
    endedAt: time.nullable(),
  })
  .meta({ id: 'Run', description: 'Where a run is.' });
export type RunView = z.infer<typeof runView>;

export const start = contract(
  'waymark.runtime.v1.start',
  z.strictObject({
    key: z.string().min(1).max(200).describe('of your choice, printable: the same key is the same run'),
    question: z
      .string()
      .min(1)
      .describe(`at most ${MAX_QUESTION_BYTES / 1024} KiB of UTF-8`),
    corpus: corpusId,
    policy: z.string().default('standard').describe('`standard`, `deep`, `teaching` or `bench`'),
    overrides: policyOverrides.default({}).describe('numbers of the policy that you set yourself; 0 means 0'),
    language: language.optional().describe('of notices and report; taken from the question unless given'),
    model: plainText(200).optional().describe("model of the provider; the runtime's own unless given"),
  }),
  z.strictObject({
    run: runId,
    created: z.boolean().describe('false when the key had started it before'),
    state: runState,
    policy: policy.describe('all numbers that this run keeps'),
  }),
  {
    access: 'public',
    summary:
      'Starts a run, once per `key`: asked again with the same contents it names the same run, with others it is refused. It has been stored when this replies; work begins by itself.',
    codes: [
      'empty_question',
      'question_too_large',
      'unknown_policy',
      'limit_too_short',
      'reserve_too_small',
      'physical_too_small',
      'hard_limit_too_small',
      'unknown_corpus',
      'key_reused',
    ],
  },
);
export const get = contract(
  'waymark.runtime.v1.get',
  z.strictObject({ run: runId }),
  z.strictObject({ run: runView }),
  { access: 'public', summary: 'Where a run is, and how and why it ended.' },
);
export const list = contract(
  'waymark.runtime.v1.list',
  z.strictObject({
    cursor: runId.optional().describe('`next` of the page before'),
    limit: pageSize(200, 50),
    state: runState.optional().describe('only runs in this state'),
  }),
  z.strictObject({
    runs: z.array(runView),
    next: runId.nullable().describe('cursor of the next page; null at the end'),
  }),
  { access: 'public', summary: 'Runs, newest first.' },
);
export const cancel = contract(
  'waymark.runtime.v1.cancel',
  z.strictObject({ run: runId, reason: z.string().max(500).optional().describe('kept with the run') }),
  z.strictObject({ outcome: z.enum(['cancelling', 'already_ended']), run: runView }),
  {
    access: 'public',
    summary:
      'Stops a run for good (L6): once this has replied no model request is granted any more; what was on its way is cut and charged. The run ends as `cancelled` with a report of what stands. Asking again is safe; a run that has ended says so.',
  },
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
export const noticeFate = z
  .enum(['submitted', 'rejected', 'uncertain', 'omitted', 'combined', 'pending'])
  .describe('`submitted`: the model had it; `uncertain`: nothing proves that it had or had not; `omitted`: no room');
export const explainedNotice = z.strictObject({
  type: z.string(),
  kind: z.enum(['state', 'advice']),
  subject: z.string(),
  stage: count,
  fate: noticeFate,
  reason: z.string(),
  text: z.string().nullable(),
});
export const explainedRequest = z
  .strictObject({
    request: z.int().min(1).describe('1, 2, 3 … in the order of sending'),
    turn: count,
    attempt: z.int().min(1).describe('1 unless an earlier attempt of this turn failed'),
    purpose: z.string().describe('`explore`, `finish` or `summarize`'),
    seq: z.int().min(1).describe('the event that intended it'),
    epoch,
    digest: z.string().describe('SHA-256 of the body as sent'),
    bytes: count.describe('of the body as sent'),
    parts: partBytes.describe('bytes by part; they add up to `bytes`'),
    contentBytes: count.describe('without notices'),
    hardLimitBytes: count,
    noticeSource: z.enum(['reminder', 'plain', 'quiet', 'none']),
    notices: z.array(explainedNotice),
    reservation: z.string(),
    grantVersion: count.describe("budget's version when it was granted"),
    deadlines: z.strictObject({ firstContentMs: ms, progressMs: ms, totalMs: ms, leftMs: ms, bound: z.string() }),
    outcome: z.string().nullable().describe('`completed`, `failed`, `unknown`, `not_sent`; null while under way'),
    code: z.string().nullable(),
    usage: z.unknown().describe('tokens as the provider reported them; null when it did not'),
    actions: z.array(
      z.strictObject({ action: z.string(), tool: z.string(), outcome: z.string().nullable(), bytes: count.nullable() }),
    ),
  })
  .meta({ id: 'ExplainedRequest', description: 'What stood in one model request, and how it ended.' });
export type ExplainedRequest = z.infer<typeof explainedRequest>;

export const explain = contract(
  'waymark.runtime.v1.explain',
  z.strictObject({
    run: runId,
    request: z.int().min(1).optional().describe('only this one'),
    after,
    limit: pageSize(100, 50),
  }),
  z.strictObject({
    run: runView,
    policy,
    budget: budgetSnapshot.nullable().describe('null when budget does not answer or the run has not begun'),
    publication: publicationSnapshot.nullable().describe('null likewise'),
    requests: z.array(explainedRequest),
    next,
  }),
  {
    access: 'public',
    summary:
      'Why a run is where it is, and of every model request what stood in it (E1): bytes by part, reminders with what became of them, limits and deadlines in force, how it ended.',
    codes: ['unknown_request'],
  },
);
export const readRecord = contract(
  'waymark.runtime.v1.read-record',
  z.strictObject({ run: runId, after, limit: pageSize(200, 100) }),
  z.strictObject({
    rows: z.array(
      z.strictObject({
        seq: z.int(),
        epoch: count,
        kind: z.string().describe("the fact's name"),
        body: z.string().describe('canonical JSON of the fact, base64'),
        hash: z.string().describe('SHA-256 over the hash before and this row, hex'),
        at: time,
      }),
    ),
    next,
  }),
  {
    access: 'public',
    summary: 'The stored record of a run, byte for byte, so that anybody can check its chain of hashes (L3).',
  },
);
export const readBody = contract(
  'waymark.runtime.v1.read-body',
  z.strictObject({
    run: runId,
    digest: z.string().describe('SHA-256 from the record, hex'),
    offset: count.default(0).describe('first byte'),
  }),
  z.strictObject({
    digest: z.string(),
    size: count.describe('bytes in all'),
    offset: count,
    body: z.string().describe('bytes from `offset` on, base64'),
    next: z.int().nullable().describe('`offset` of the rest; null at the end'),
  }),
  {
    access: 'public',
    summary: 'A body that the record names by its digest: question, instructions, tool results, answers.',
    codes: ['unknown_body'],
  },
);
export const listEvents = listEventsOf('runtime');

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
