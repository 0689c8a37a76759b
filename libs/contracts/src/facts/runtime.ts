import { z } from 'zod';
import { usage } from '../budget/index.js';
import { policy } from '../policy/shape.js';
import { runOutcome } from '../runtime/index.js';
import { bodyRef, count, language, ms } from '../wire/index.js';
import type { FactShapes } from './shape.js';

const at1 = z.int().min(1);
const textRef = z
  .object({ ...bodyRef.shape, escaped: z.literal(true).optional() })
  .describe('a stored text; `escaped`: stored as a JSON string, because it is no well-formed Unicode');
const frame = z.object({ instructions: textRef, tools: textRef.nullable() });
const code = z.string().describe('for programs');
const noticeLine = z.object({
  type: z.string(),
  kind: z.enum(['state', 'advice']),
  subject: z.string(),
  stage: count,
  policyVersion: at1,
  value: z.number().optional(),
  limit: z.number().optional(),
});
const notices = z.object({
  source: z.enum(['reminder', 'plain', 'quiet', 'none']),
  included: z.array(noticeLine).describe('stood in the bytes, in order'),
  omitted: z.array(noticeLine),
  combined: z.array(z.object({ type: z.string(), subject: z.string(), stage: count, by: z.string() })),
  rearmed: z.array(z.object({ type: z.string(), kind: z.enum(['state', 'advice']), subject: z.string() })),
  text: z.string().nullable(),
});
const fact = <T extends z.ZodRawShape>(type: string, shape: T) => z.object({ type: z.literal(type), ...shape });

export const RUNTIME_FACTS = {
  RunAdmitted: {
    about: 'The run was taken in, with all that it keeps to its end.',
    data: fact('RunAdmitted', {
      format: at1,
      renderer: at1,
      question: textRef,
      language,
      corpus: z.string(),
      policy,
      model: z.object({ name: z.string(), dialect: z.string(), outputCap: count.nullable() }),
      frames: z.record(z.string(), frame).describe('by purpose'),
    }),
  },
  RequestIntended: {
    about: 'A model request is about to leave; exactly these bytes (L4).',
    data: fact('RequestIntended', {
      request: at1,
      turn: count,
      attempt: at1,
      purpose: z.string(),
      reservation: z.string(),
      key: z.string(),
      grant: z.object({ version: count, leftMs: ms, bound: z.string() }),
      deadlines: z.object({ firstContentMs: ms, progressMs: ms, totalMs: ms }),
      digest: z.string(),
      bytes: count,
      parts: z.array(count).describe('bytes by part'),
      content: count.describe('bytes without notices'),
      hard: count.describe('hard limit in bytes'),
      notices,
      interval: z.object({ from: count, to: count, resultCap: count }).optional(),
      inbox: count,
    }),
  },
  RequestSettled: {
    about: 'How a model request ended, and the actions that its answer asks for.',
    data: fact('RequestSettled', {
      request: at1,
      outcome: z.enum(['completed', 'failed', 'unknown', 'not_sent']),
      content: z.boolean(),
      code: code.nullable(),
      status: z.int().nullable().describe('HTTP status of the provider'),
      delivery: z.enum(['submitted', 'rejected', 'uncertain']).describe('of its notices'),
      answer: textRef.nullable(),
      empty: z.boolean(),
      finish: z.string().nullable(),
      usage: usage.nullable(),
      actions: z.array(z.object({ action: z.string(), tool: z.string(), kind: z.enum(['read', 'keyed', 'effect']) })),
      ms: z.object({ firstContent: ms.nullable(), total: ms }),
    }),
  },
  ActionSettled: {
    about: 'The receipt of one action: its result is stored.',
    data: fact('ActionSettled', {
      action: z.string(),
      outcome: z.enum(['ok', 'failed', 'refused', 'unknown', 'unconfirmed']),
      code: code.nullable(),
      result: textRef,
      title: z.string(),
      range: z
        .object({ locator: z.string(), name: z.string(), start: count, end: count, total: count })
        .optional()
        .describe('what of a source the result shows'),
      effect: z
        .object({ kind: z.enum(['review', 'finish', 'block', 'progress']), detail: z.string().optional() })
        .optional(),
    }),
  },
  ResultsRetired: {
    about: 'Bodies of results left the request; a stub with the locator stands for each.',
    data: fact('ResultsRetired', {
      reason: z.enum(['residency', 'fit']),
      items: z.array(z.object({ action: z.string(), had: z.array(z.tuple([count, count])) })),
    }),
  },
  ResultPaged: {
    about: 'A result that is too large shows only its head.',
    data: fact('ResultPaged', { action: z.string(), headBytes: count }),
  },
  SummaryAdopted: {
    about: 'A summary stands for an interval of turns.',
    data: fact('SummaryAdopted', {
      summary: at1,
      from: count,
      to: count,
      request: at1,
      text: textRef,
      bytesBefore: count,
      bytesAfter: count,
    }),
  },
  SummaryAbandoned: {
    about: 'A summary was not adopted; nothing changed.',
    data: fact('SummaryAbandoned', {
      from: count,
      to: count,
      basis: z.string(),
      request: at1.nullable(),
      code,
    }),
  },
  FloorBuilt: {
    about: 'All but instructions and question gave way to the map of the report.',
    data: fact('FloorBuilt', { map: textRef }),
  },
  HardLimitLowered: {
    about: 'The provider said "too long", and is believed.',
    data: fact('HardLimitLowered', { from: count, to: count, request: at1 }),
  },
  PhaseChanged: {
    about: 'Exploring is over; the report is written now.',
    data: fact('PhaseChanged', { phase: z.literal('finishing'), code, reason: z.string() }),
  },
  LimitHeard: {
    about: 'The run took in that a time limit is near or reached.',
    data: fact('LimitHeard', { inbox: count, limit: z.string(), stage: z.enum(['neared', 'reached']) }),
  },
  VerdictHeard: {
    about: 'The run took in what a review found.',
    data: fact('VerdictHeard', {
      inbox: count,
      review: z.string(),
      outcome: z.enum(['ok', 'revise', 'failed']),
      code: code.nullable(),
      advice: textRef.nullable().describe('as it stands in the next request'),
    }),
  },
  ReviewRaised: {
    about: 'A review is due.',
    data: fact('ReviewRaised', {
      activeMs: ms.optional(),
      candidate: count,
      reason: z.string(),
      value: z.number(),
      limit: z.number(),
    }),
  },
  ReviewDeclined: {
    about: 'A review was not admitted.',
    data: fact('ReviewDeclined', { candidate: count.nullable(), code }),
  },
  ReviewDispatched: {
    about: 'A review was ordered.',
    data: fact('ReviewDispatched', { review: z.string(), candidate: count.nullable(), deadlineMs: ms, activeMs: ms }),
  },
  ReviewOverdue: {
    about: 'A review gave no verdict in time; the run goes on without it.',
    data: fact('ReviewOverdue', { review: z.string() }),
  },
  RunParked: {
    about: 'The run waits for something outside and wakes by itself.',
    data: fact('RunParked', { round: count, forMs: ms, code, counted: z.boolean() }),
  },
  WriteConfirmed: {
    about: 'A write that got no answer was asked again, and answered.',
    data: fact('WriteConfirmed', { action: z.string(), outcome: z.enum(['written', 'refused']) }),
  },
  RunWoken: { about: 'A parked run goes on.', data: fact('RunWoken', {}) },
  RunEnding: {
    about: 'How the run will end is decided.',
    data: fact('RunEnding', {
      outcome: runOutcome,
      code,
      reason: z.string(),
      closing: textRef.nullable(),
      gaps: z.array(z.string()),
    }),
  },
  EndingStepDone: {
    about: 'A step of the ending is done.',
    data: fact('EndingStepDone', {
      step: z.enum(['budget_closed', 'settled', 'reviews_stopped', 'report_closed']),
    }),
  },
  RunEnded: {
    about: 'The run has ended: the last event of the runtime.',
    data: fact('RunEnded', { outcome: runOutcome, code }),
  },
} as const satisfies FactShapes;
