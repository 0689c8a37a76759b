/** An explanation as the runtime gives it, small and with one of each fate. */
import type { BudgetSnapshot } from '@waymark/contracts/budget';
import { POLICIES } from '@waymark/contracts/policy';
import type { ExplainedRequest } from '@waymark/contracts/runtime';
import type { Explained } from '../src/core/explain-page.js';

const RUN = '01a22cba-26ab-7636-96e6-e015a7c7df90';

export const budgetNumbers = (): BudgetSnapshot => ({
  ...{ run: RUN, version: 9, policyVersion: 1, phase: 'exploring', finishReserve: 6, outputMs: 1_000, user: null },
  explore: { limit: 10, used: 3, reserved: 0, unknown: 1, left: 6 },
  finish: { limit: 2, used: 0, reserved: 0, unknown: 0, left: 2 },
  physical: { limit: 26, used: 4, reserved: 0, unknown: 1, left: 21 },
  purposes: { explore: 4, finish: 0, summarize: 1, review: 0 },
  active: { limitMs: 10_000, usedMs: 4_000, leftMs: 6_000, unknownMs: 500, overshootMs: 0, running: false },
  wall: { limitMs: 100_000, usedMs: 20_000, leftMs: 80_000 },
  usage: { inputTokens: 1_234, outputTokens: null, cachedInputTokens: null, costMicros: null },
});

const notice = (fate: ExplainedRequest['notices'][number]['fate'], text: string | null) => ({
  ...{ type: 'explore_requests', kind: 'state' as const, subject: 'run', stage: 50 },
  ...{ fate, reason: `it was ${fate}`, text },
});

export const requestNumbers = (over: Partial<ExplainedRequest> = {}): ExplainedRequest => ({
  ...{ request: 2, turn: 2, attempt: 1, purpose: 'explore', seq: 17, epoch: 3, digest: 'd1', bytes: 1_000 },
  parts: {
    ...{ frame: 20, instructions: 180, tools: 300, question: 100, summaries: 0 },
    ...{ turns: 150, results: 150, stubs: 50, advice: 0, notices: 50 },
  },
  ...{ contentBytes: 950, hardLimitBytes: 4_096, noticeSource: 'reminder', reservation: 'r-2', grantVersion: 8 },
  notices: [notice('submitted', 'Explore requests: 5 of 10.'), notice('omitted', null), notice('combined', null)],
  deadlines: { firstContentMs: 60_000, progressMs: 45_000, totalMs: 600_000, leftMs: 9_000, bound: 'active' },
  ...{ outcome: 'completed', code: null, usage: { inputTokens: 10, outputTokens: null } },
  actions: [
    { action: 'a1', tool: 'search', outcome: 'ok', bytes: 77 },
    { action: 'a2', tool: 'search', outcome: 'ok', bytes: 5 },
    { action: 'a3', tool: 'read_range', outcome: 'failed', bytes: 9 },
  ],
  ...over,
});

export const explained = (): Explained => ({
  run: {
    ...{
      run: RUN,
      state: 'parked',
      phase: 'exploring',
      outcome: null,
      code: 'rate_limited',
      reason: 'the provider asked for a pause',
    },
    ...{
      question: 'What\nfees?',
      corpus: 'demo',
      policy: 'teaching',
      epoch: 3,
      owner: null,
      turns: 2,
      requests: 3,
      seq: 21,
    },
    ...{ admittedAt: '2026-01-01T00:00:00.000Z', wakeAt: '2026-01-01T00:10:00.000Z', endedAt: null },
  },
  policy: POLICIES.teaching,
  budget: budgetNumbers(),
  publication: null,
  requests: [
    requestNumbers({ request: 1, turn: 1, seq: 2, notices: [], actions: [] }),
    requestNumbers(),
    requestNumbers({
      request: 3,
      turn: 3,
      seq: 20,
      outcome: 'unknown',
      code: 'cut_stream',
      notices: [notice('uncertain', 'x')],
    }),
  ],
});
