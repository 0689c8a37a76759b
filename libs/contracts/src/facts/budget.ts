import { z } from 'zod';
import { holder, purpose, settlementOutcome, usage } from '../budget/index.js';
import { limits } from '../policy/shape.js';
import { epoch, ms } from '../wire/index.js';
import type { FactShapes } from './shape.js';

const instant = z.number().describe("milliseconds since 1970, by budget's database clock");
const reservation = z.string();
const limit = z.enum(['active', 'wall', 'user']);

export const BUDGET_FACTS = {
  BudgetOpened: {
    about: "The run's ledger was opened.",
    data: z.object({ limits, policyVersion: epoch, admittedAt: instant }),
  },
  HolderTakenOver: {
    about: 'A new owner acts for the run or a review; earlier ones get nothing any more.',
    data: z.object({ holder, epoch }),
  },
  ReservationGranted: {
    about: 'A model request may be sent.',
    data: z.object({
      reservation,
      key: z.string(),
      holder,
      epoch,
      purpose,
      at: instant,
      deadlineAt: instant,
      bound: limit.describe('which limit the deadline comes from'),
    }),
  },
  RequestSettled: {
    about: 'How a granted request ended.',
    data: z.object({
      reservation,
      outcome: settlementOutcome,
      content: z.boolean(),
      code: z.string().nullable(),
      usage: usage.nullable(),
      by: z.enum(['holder', 'budget']),
    }),
  },
  SettlementProved: {
    about: 'What was unknown has been proved; the counts stay.',
    data: z.object({
      reservation,
      purpose,
      outcome: z.enum(['completed', 'failed']),
      usage: usage.nullable(),
      counted: usage.nullable(),
    }),
  },
  ActivityClosed: {
    about: 'When model and tools worked under one grant.',
    data: z.object({
      reservation,
      intervals: z.array(z.tuple([instant, instant])),
      unknownFrom: instant.nullable(),
    }),
  },
  LimitNeared: { about: 'A time limit minus the output time is reached.', data: z.object({ limit, at: instant }) },
  LimitReached: {
    about: 'A time limit is reached.',
    data: z.object({ limit, overshootMs: ms, at: instant }),
  },
  BudgetClosed: { about: 'Nothing is granted any more.', data: z.object({ reason: z.string(), at: instant }) },
} as const satisfies FactShapes;
