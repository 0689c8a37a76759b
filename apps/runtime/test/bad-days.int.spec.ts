/**
 * A model on its bad days: whatever it answers, each attempt is reserved and recorded, each run ends with a report that a
 * reader can use and a code that a program can read (B14, T1, L11).
 */
import { cancel } from '@waymark/contracts/runtime';
import { messagesIn, toolsIn, WholeSystem } from './whole-system.js';

let whole: WholeSystem;
/** Reviews are another file's matter. */
const ALONE = { review: false } as const;
/** Explore requests that the practice researcher needs here, and not one more. */
const SHORT = { ...ALONE, exploreRequests: 5 } as const;
const explore = (more: object = {}) => ({ purpose: 'explore', ...more });
const finish = { purpose: 'finish' } as const;

beforeAll(async () => {
  whole = await WholeSystem.start({ replicas: { reviewer: 0 } });
}, 180_000);

afterEach(async () => {
  if (whole.stack.processes.get('practice-model')?.alive() === true) await whole.faults([]);
});

afterAll(async () => {
  await whole?.stop();
}, 30_000);

/** Outcomes and codes of a run's requests in order; every one arrived once, under its own reservation. */
async function attemptsOf(run: string): Promise<(string | null)[]> {
  const requests = await whole.requests(run);
  expect(whole.calls(run).map((c) => c.id)).toEqual(requests.map((r) => `${run}/${r.request}`));
  expect(new Set(requests.map((r) => r.reservation)).size).toBe(requests.length);
  return requests.map((r) => r.code);
}

/** What a reader finds at the end: closed, with outcome, code and words that agree with the run's. */
async function readable(run: string): Promise<string> {
  const view = await whole.view(run);
  const { report, markdown } = await whole.report(run);
  expect(report).toMatchObject({ state: 'closed', outcome: view.outcome, code: view.code, reason: view.reason });
  expect(markdown).toContain(whole.corpus.question.slice(0, 40));
  expect(markdown.length).toBeGreaterThan(100);
  return markdown;
}

const purposesOf = (run: string): Record<string, number> => {
  const tally: Record<string, number> = {};
  for (const { purpose } of whole.calls(run)) tally[purpose ?? '?'] = (tally[purpose ?? '?'] ?? 0) + 1;
  return tally;
};

describe('errors that pass', () => {
  it.each([429, 500, 503])(
    'B14, F-B9: after two answers of %i the third attempt stands; each is a request',
    async (status) => {
      const { run, outcome } = await whole.runUnder([{ fault: 'status', status, times: 2 }], ALONE);
      expect(outcome).toBe('completed');
      const code = status === 429 ? 'rate_limited' : 'provider_unavailable';
      const [first, second, ...rest] = await attemptsOf(run);
      expect([first, second]).toEqual([code, code]);
      expect(rest.every((c) => c === null)).toBe(true);
      const attempts = (await whole.requests(run)).slice(0, 3).map(({ turn, attempt }) => [turn, attempt]);
      expect(attempts).toEqual([
        [1, 1],
        [1, 2],
        [1, 3],
      ]);
      const budget = await whole.budget(run);
      expect(budget.explore).toMatchObject({ used: rest.length, reserved: 0, unknown: 0 });
      expect(budget.physical).toMatchObject({ used: rest.length + 2, reserved: 0, unknown: 0 });
      expect(budget.usage.costMicros).toBeNull();
    },
  );

  it('B14: a short Retry-After is waited for', async () => {
    const { run, outcome } = await whole.runUnder([{ fault: 'status', status: 429, retryAfter: 1, times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const [first, second] = whole.calls(run);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(await whole.factsOf(run, 'RunParked')).toEqual([]);
  });

  it('B14: three parks in a row without content lead to finishing', async () => {
    const { run, outcome, code } = await whole.runUnder([{ fault: 'status', status: 429, match: explore() }], ALONE);
    expect({ outcome, code }).toMatchObject({ code: 'rate_limited' });
    const parks = await whole.factsOf(run, 'RunParked');
    expect(parks.map((p) => p.round)).toEqual([1, 2, 3]);
    expect(purposesOf(run)).toEqual({ explore: 9, finish: 1 });
    const budget = await whole.budget(run);
    expect(budget.explore).toMatchObject({ used: 0, unknown: 0 });
    expect(budget.finish).toMatchObject({ used: 1 });
    expect(budget.physical).toMatchObject({ used: 10 });
    await readable(run);
  }, 60_000);

  it('L11: in finishing nothing parks; a model that answers 429 for ever leaves a report that says so', async () => {
    const { run, outcome, code, reason } = await whole.runUnder(
      [{ fault: 'status', status: 429, match: finish }],
      SHORT,
    );
    expect({ outcome, code }).toEqual({ outcome: 'partial', code: 'explore_exhausted' });
    expect(reason).toContain('rate_limited');
    expect(await whole.factsOf(run, 'RunParked')).toEqual([]);
    expect(purposesOf(run)).toEqual({ explore: 5, finish: 3 });
    expect((await whole.budget(run)).finish).toMatchObject({ used: 0, left: 2 });
    await readable(run);
  });

  it('B14: an error event after content takes the count; the next attempt is another explore request', async () => {
    const { run, outcome } = await whole.runUnder([{ fault: 'mid_error', chunks: 1, times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const requests = await whole.requests(run);
    expect(requests[0]).toMatchObject({ turn: 1, attempt: 1, outcome: 'failed', code: 'provider_unavailable' });
    expect((await whole.budget(run)).explore).toMatchObject({ used: requests.length, unknown: 0 });
    await attemptsOf(run);
  });
});

describe('answers that end wrongly', () => {
  it('F-B7: a stream that died and then a good attempt are two requests, the first unknown', async () => {
    const { run, outcome } = await whole.runUnder([{ fault: 'cut', chunks: 1, times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const [first, second] = await whole.requests(run);
    expect(first).toMatchObject({ turn: 1, attempt: 1, outcome: 'unknown', code: 'stream_cut' });
    expect(second).toMatchObject({ turn: 1, attempt: 2, outcome: 'completed' });
    const [settled] = await whole.factsOf(run, 'RequestSettled');
    expect(settled).toMatchObject({ content: true, delivery: 'submitted', usage: null });
    const budget = await whole.budget(run);
    expect(budget.explore.unknown).toBe(1);
    expect(budget.physical.unknown).toBe(1);
    await attemptsOf(run);
  });

  it.each(['html', 'sse'])('B3: garbage as %s is no answer: unknown, counted, and asked again', async (form) => {
    const { run, outcome } = await whole.runUnder([{ fault: 'garbage', form, times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const [first] = await attemptsOf(run);
    expect(first).toBe('garbage');
    const budget = await whole.budget(run);
    expect([budget.explore.unknown, budget.physical.unknown]).toEqual([1, 1]);
  });

  it.each([
    ['silence', { fault: 'stall' }, { firstContentMs: 5_000 }, 'first_content_timeout', null],
    ['pings only', { fault: 'pings_only', everyMs: 40 }, { firstContentMs: 5_000 }, 'first_content_timeout', 200],
    ['content, then nothing', { fault: 'stall_after', bytes: 10 }, { progressMs: 5_000 }, 'progress_timeout', 200],
    ['one byte after the other', { fault: 'slow', everyMs: 20 }, { totalMs: 5_000 }, 'total_timeout', 200],
  ])('T1, F-T2: %s ends by its own deadline', async (_what, fault, deadlines, code, status) => {
    const { run, outcome } = await whole.runUnder([{ ...fault, times: 1 }], { ...ALONE, ...deadlines });
    expect(outcome).toBe('completed');
    const [first] = await whole.factsOf(run, 'RequestSettled');
    expect(first).toMatchObject({ outcome: 'unknown', code, status });
    const limit = Object.values(deadlines)[0] ?? 0;
    expect(first?.ms.total).toBeGreaterThanOrEqual(limit);
    expect((await whole.budget(run)).explore.unknown).toBe(1);
    await attemptsOf(run);
  });

  it('B14: silence in every attempt costs three explore requests, then the run parks and goes on', async () => {
    const { run, outcome } = await whole.runUnder([{ fault: 'stall', times: 3 }], { ...ALONE, firstContentMs: 4_000 });
    expect(outcome).toBe('completed');
    expect(await whole.factsOf(run, 'RunParked')).toEqual([
      expect.objectContaining({ round: 1, code: 'first_content_timeout', counted: true }),
    ]);
    expect((await whole.budget(run)).explore.unknown).toBe(3);
    expect((await whole.factsOf(run, 'RunWoken')).length).toBe(1);
  });

  it('F-E2: the last finishing requests hang; the run still ends, within its deadlines, with a report', async () => {
    const limits = { ...SHORT, firstContentMs: 4_000 };
    const { run, outcome, code } = await whole.runUnder([{ fault: 'stall', match: finish }], limits);
    expect({ outcome, code }).toEqual({ outcome: 'partial', code: 'explore_exhausted' });
    expect(purposesOf(run)).toEqual({ explore: 5, finish: 2 });
    expect((await whole.budget(run)).finish).toMatchObject({ used: 0, unknown: 2, left: 0 });
    const codes = (await whole.requests(run)).filter((r) => r.purpose === 'finish').map((r) => r.code);
    expect(codes).toEqual(['first_content_timeout', 'first_content_timeout']);
    await readable(run);
  });
});

describe('answers that say nothing', () => {
  const note = 'Your last answer was';

  it('an empty answer counts as a turn, and the next request says so', async () => {
    const { run, outcome } = await whole.runUnder([{ fault: 'empty', times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const [first, second] = await whole.requests(run);
    expect(first).toMatchObject({ turn: 1, outcome: 'completed', actions: [] });
    expect(second).toMatchObject({ turn: 2, attempt: 1 });
    expect(messagesIn(whole.calls(run)[1]?.body ?? '{}').at(-1)?.content).toContain(note);
    expect((await whole.budget(run)).explore.used).toBe((await attemptsOf(run)).length);
  });

  it('F-E1: empty answers after all the tool work lead to one bounded request for the report', async () => {
    const nth = (n: number) => ({ fault: 'empty', match: explore({ nth: n }) });
    const limits = { ...ALONE, finishRequests: 1, finishReserve: 2 };
    const { run, outcome, code } = await whole.runUnder([nth(8), nth(9)], limits);
    expect({ outcome, code }).toEqual({ outcome: 'partial', code: 'empty_answers' });
    expect(purposesOf(run)).toEqual({ explore: 9, finish: 1 });
    expect((await whole.budget(run)).finish.used).toBe(1);
    const { report } = await whole.report(run);
    expect(report.closing).not.toBeNull();
    expect(report.blocks.length).toBeGreaterThan(0);
  });

  it('F-E1: when the finishing answers are empty too, the runtime closes from what is published', async () => {
    const nth = (n: number) => ({ fault: 'empty', match: explore({ nth: n }) });
    const { run, outcome, code } = await whole.runUnder([nth(8), nth(9), { fault: 'empty', match: finish }], ALONE);
    expect({ outcome, code }).toEqual({ outcome: 'partial', code: 'empty_answers' });
    expect(purposesOf(run)).toEqual({ explore: 9, finish: 2 });
    const { report } = await whole.report(run);
    expect(report.closing).toBeNull();
    expect(report.blocks.length).toBeGreaterThan(0);
    await readable(run);
  });

  it('F-B13: an answer cut by its length is charged, no closing, and the run finishes', async () => {
    const { run, outcome } = await whole.runUnder([{ fault: 'length', times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const [first] = await whole.factsOf(run, 'RequestSettled');
    expect(first).toMatchObject({ outcome: 'completed', finish: 'length', actions: [] });
    expect(messagesIn(whole.calls(run)[1]?.body ?? '{}').at(-1)).toMatchObject({ role: 'user' });
    expect(messagesIn(whole.calls(run)[1]?.body ?? '{}').at(-1)?.content).toContain(note);
    expect((await whole.budget(run)).explore.used).toBe((await attemptsOf(run)).length);
  });

  it('F-B13: the finish still happens after a finishing answer that was cut', async () => {
    const { run, outcome, code } = await whole.runUnder([{ fault: 'length', match: finish, times: 1 }], SHORT);
    expect({ outcome, code }).toEqual({ outcome: 'partial', code: 'explore_exhausted' });
    expect(purposesOf(run)).toEqual({ explore: 5, finish: 2 });
    expect((await whole.report(run)).report.closing).not.toBeNull();
  });

  it('an answer that a content filter cut is no closing; the run goes on', async () => {
    const { run, outcome } = await whole.runUnder([{ fault: 'filtered', times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const [first] = await whole.factsOf(run, 'RequestSettled');
    expect(first).toMatchObject({ outcome: 'completed', finish: 'content_filter', actions: [] });
    expect((await whole.requests(run)).length).toBeGreaterThan(5);
  });

  it('L11: when every answer is filtered, the run ends with a report and a code', async () => {
    const { run, outcome, code } = await whole.runUnder([{ fault: 'filtered' }], ALONE);
    expect({ outcome, code }).toEqual({ outcome: 'failed', code: 'empty_answers' });
    expect(purposesOf(run)).toEqual({ explore: 2, finish: 2 });
    await readable(run);
  });
});

describe('answers that ask wrongly', () => {
  it('F-B1: a model that always asks for tools gets 4 explore and 1 finish without exploring tools, then a report', async () => {
    const limits = { ...ALONE, exploreRequests: 4, finishRequests: 1, finishReserve: 1 };
    const { run, outcome, code, reason } = await whole.runUnder([{ fault: 'always_tools' }], limits);
    expect({ outcome, code }).toEqual({ outcome: 'partial', code: 'explore_exhausted' });
    expect(reason).toMatch(/4 explore requests/);
    expect(purposesOf(run)).toEqual({ explore: 4, finish: 1 });
    const offered = toolsIn(whole.calls(run).at(-1)?.body ?? '{}');
    expect(offered).toEqual(expect.arrayContaining(['write_block', 'correct_block', 'read_back', 'finish']));
    for (const exploring of ['list_sources', 'search', 'read_range', 'ask_for_review'])
      expect(offered).not.toContain(exploring);
    const [search] = (await whole.requests(run)).at(-1)?.actions ?? [];
    expect(search).toMatchObject({ tool: 'search', outcome: 'refused' });
    expect(await readable(run)).toMatch(/explore requests/);
    const budget = await whole.budget(run);
    expect(budget.explore).toMatchObject({ used: 4, left: 0 });
    expect(budget.finish).toMatchObject({ used: 1, left: 0 });
  });

  it.each([
    ['bad_tool_json', 'read_range', 'broken_arguments'],
    ['unknown_tool', 'open_portal', 'unknown_tool'],
  ])('a call with %s gets a clear answer and the run goes on', async (fault, tool, code) => {
    const { run, outcome } = await whole.runUnder([{ fault, times: 1 }], ALONE);
    expect(outcome).toBe('completed');
    const [receipt] = await whole.factsOf(run, 'ActionSettled');
    expect(receipt).toMatchObject({ action: '1.0', outcome: 'refused', code });
    const answer = messagesIn(whole.calls(run)[1]?.body ?? '{}').find((m) => m.role === 'tool');
    expect(JSON.parse(answer?.content ?? '{}')).toMatchObject({ error: { code, remedy: expect.stringMatching(/\w/) } });
    expect((await whole.requests(run))[0]?.actions).toMatchObject([{ tool }]);
  });
});

describe('errors that stay', () => {
  it.each([
    [401, {}, 'provider_auth'],
    [403, {}, 'provider_auth'],
    [400, { code: 'invalid_value' }, 'provider_rejected'],
  ])('B14: %i is never resent: one explore, one finish, and a report that says why', async (status, more, code) => {
    const view = await whole.runUnder([{ fault: 'status', status, ...more }], ALONE);
    expect(view).toMatchObject({ outcome: 'failed', code });
    expect(purposesOf(view.run)).toEqual({ explore: 1, finish: 1 });
    expect(view.reason).toContain(code);
    await readable(view.run);
    const budget = await whole.budget(view.run);
    expect(budget.physical).toMatchObject({ used: 2, reserved: 0, unknown: 0 });
    expect([budget.explore.used, budget.finish.used]).toEqual([0, 0]);
  });

  it('L11: what stands published is kept when the model cannot be used for finishing', async () => {
    const view = await whole.runUnder([{ fault: 'status', status: 401, match: finish }], SHORT);
    expect(view).toMatchObject({ outcome: 'partial', code: 'explore_exhausted' });
    const { report } = await whole.report(view.run);
    expect(report.blocks.length).toBeGreaterThan(0);
    expect(report.reason).toContain('provider_auth');
  });

  it('C18: too long is believed: the hard limit falls to three quarters, the request is refitted and goes out smaller', async () => {
    const room = { ...ALONE, exploreRequests: 40 }; // smaller requests take more of them
    const view = await whole.runUnder([{ fault: 'status', status: 400, match: { minBytes: 24_000 } }], room);
    expect(view.outcome).toBe('completed');
    const requests = await whole.requests(view.run);
    const refused = requests.findIndex((r) => r.code === 'too_long');
    const [lowered] = await whole.factsOf(view.run, 'HardLimitLowered');
    expect(lowered).toMatchObject({
      to: Math.floor((requests[refused]?.bytes ?? 0) * 0.75),
      request: requests[refused]?.request,
    });
    expect(requests[refused + 1]).toMatchObject({ turn: requests[refused]?.turn, attempt: 2, outcome: 'completed' });
    for (const later of requests.slice(refused + 1)) {
      expect(later.bytes).toBeLessThanOrEqual(lowered?.to ?? 0);
      expect(later.hardLimitBytes).toBeLessThanOrEqual(lowered?.to ?? 0);
    }
    await attemptsOf(view.run);
  });

  it('C18: refitted at most twice, each attempt reserved; then the run finishes', async () => {
    await whole.faults([]);
    const run = await whole.heldRun(4, ALONE);
    await whole.faults([{ fault: 'status', status: 400, match: explore() }]);
    whole.gateway.release();
    const view = await whole.ended(run);
    expect(view).toMatchObject({ outcome: 'partial', code: 'too_long' });
    const codes = (await whole.requests(run)).filter((r) => r.purpose === 'explore').map((r) => r.code);
    expect(codes.slice(-3)).toEqual(['too_long', 'too_long', 'too_long']);
    expect(codes.filter((c) => c === 'too_long')).toHaveLength(3);
    const lowered = await whole.factsOf(run, 'HardLimitLowered');
    expect(lowered).toHaveLength(2);
    expect(lowered[1]?.from).toBe(lowered[0]?.to);
    await attemptsOf(run);
    await readable(run);
  });
});

describe('reminders in requests that went wrong', () => {
  /** Fates of the advice on explore requests, by request and stage. */
  async function adviceIn(run: string): Promise<string[]> {
    return (await whole.requests(run)).flatMap((r) =>
      r.notices
        .filter((n) => n.type === 'explore-requests' && n.kind === 'advice')
        .map((n) => `${r.request}: ${n.stage} ${n.fate}`),
    );
  }
  const EIGHT = { ...ALONE, exploreRequests: 8 };

  it('R8: advice in a request that was refused unread is due again in the next one', async () => {
    const { run } = await whole.runUnder([{ fault: 'status', status: 429, match: explore({ nth: 4 }) }], EIGHT);
    expect((await adviceIn(run)).slice(0, 3)).toEqual(['4: 50 rejected', '5: 50 submitted', '7: 75 submitted']);
    const [fourth, fifth] = whole.calls(run).slice(3, 5);
    const said = '4 of 8 explore requests are used';
    for (const call of [fourth, fifth]) expect(messagesIn(call?.body ?? '{}').at(-1)?.content).toContain(said);
  });

  it('R8: advice in a request of which nobody knows is not repeated at that stage; the next stage is said', async () => {
    const { run } = await whole.runUnder([{ fault: 'cut', chunks: 0, match: explore({ nth: 4 }) }], EIGHT);
    expect((await whole.requests(run))[3]).toMatchObject({ outcome: 'unknown', code: 'stream_cut' });
    expect((await adviceIn(run)).slice(0, 2)).toEqual(['4: 50 uncertain', '6: 75 submitted']);
  });

  it('R8: advice is submitted once content came, also when the stream then died', async () => {
    const { run } = await whole.runUnder([{ fault: 'cut', chunks: 1, match: explore({ nth: 4 }) }], EIGHT);
    expect((await adviceIn(run)).slice(0, 2)).toEqual(['4: 50 submitted', '6: 75 submitted']);
  });
});

describe('a provider that asks for a long pause, then goes away', () => {
  it('B14: a Retry-After over 30 s parks at once, with a wake-up that lasts as long', async () => {
    await whole.faults([{ fault: 'status', status: 429, retryAfter: 300 }]);
    const run = await whole.begin(ALONE);
    const view = await whole.inState(run, 'parked');
    const [parked] = await whole.factsOf(run, 'RunParked');
    expect(parked).toMatchObject({ round: 1, code: 'rate_limited', counted: true, forMs: 300_000 });
    expect(Date.parse(view.wakeAt ?? '') - Date.now()).toBeGreaterThan(100_000);
    expect(whole.calls(run)).toHaveLength(1);
    const budget = await whole.budget(run);
    expect(budget.active.running).toBe(false);
    expect(budget.physical).toMatchObject({ used: 1, reserved: 0 });
    await whole.ask(cancel, { run });
    expect(await whole.ended(run)).toMatchObject({ outcome: 'cancelled' });
    expect(whole.calls(run)).toHaveLength(1);
  });

  it('B14: while the provider asked to wait, another run parks without a request, and is not counted as failing', async () => {
    const run = await whole.begin(ALONE);
    await whole.inState(run, 'parked');
    const [parked] = await whole.factsOf(run, 'RunParked');
    expect(parked).toMatchObject({ round: 0, code: 'provider_paused', counted: false });
    expect(parked?.forMs).toBeLessThanOrEqual(300_000);
    expect((await whole.budget(run)).physical).toMatchObject({ used: 0, reserved: 0, unknown: 0 });
    await whole.ask(cancel, { run });
    expect(await whole.ended(run)).toMatchObject({ outcome: 'cancelled' });
    expect(whole.calls(run)).toEqual([]);
  });

  it('B3: a provider that nobody can reach costs nothing: every attempt is given back, and the run ends with a reason', async () => {
    await whole.kill('runtime-1');
    await whole.stack.redis.restart(); // with them the pause is forgotten
    await whole.stack.start('runtime', 'runtime-2', { MODEL_URL: whole.stack.modelUrl });
    await whole.stack.processes.get('practice-model')?.stop('SIGKILL');
    const run = await whole.begin(ALONE);
    const view = await whole.ended(run, 60_000);
    expect(view).toMatchObject({ outcome: 'failed', code: 'connect_failed' });
    const budget = await whole.budget(run);
    expect(budget.physical).toMatchObject({ used: 0, reserved: 0, unknown: 0 });
    await readable(run);
  }, 90_000);
});

it('the invariants hold over all runs', async () => {
  expect(await whole.violations()).toEqual([]);
}, 60_000);
