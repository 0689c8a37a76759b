import {
  judgeBudget,
  judgeCallers,
  judgeEnd,
  judgeEvents,
  judgeExits,
  judgeFollower,
  judgeLog,
  judgePublished,
  judgeStop,
} from '../chaos/judge.mjs';
import { summaryTable } from '../chaos/summary.mjs';
import { lostWork } from '../chaos/work-left.mjs';

type Of<F extends (...args: never[]) => unknown, N extends number> = Parameters<F>[N];
type View = Of<typeof judgeEnd, 0>;
type Event = Of<typeof judgeEvents, 1>[number];
type Story = Of<typeof judgeCallers, 0>;
type Budget = NonNullable<Of<typeof judgeBudget, 1>>;

const RUN = '01890000-0000-7000-8000-000000000001';
const view: View = {
  ...{
    run: RUN,
    state: 'ended',
    phase: 'ended',
    outcome: 'completed',
    code: 'finished',
    reason: 'The model finished.',
  },
  ...{
    question: 'What is the fee?',
    corpus: 'plain',
    policy: 'teaching',
    epoch: 1,
    owner: null,
    turns: 2,
    requests: 2,
  },
  ...{ seq: 3, admittedAt: '2026-01-01T00:00:00.000Z', wakeAt: null, endedAt: '2026-01-01T00:01:00.000Z' },
};
const report = {
  ...{ run: RUN, version: 1, question: view.question, language: 'en' as const, state: 'closed' as const },
  ...{
    outcome: view.outcome,
    code: view.code,
    reason: view.reason,
    closing: null,
    blocks: [],
    corrections: [],
    gaps: [],
  },
};
const event = (owner: string, seq: number, name: string, at = '2026-01-01T00:00:10.000Z'): Event => ({
  ...{ owner, run: RUN, seq, at, type: `waymark.${owner}.fact.v1.${name}`, data: {} },
});
const events = [
  event('runtime', 1, 'RunAdmitted'),
  event('budget', 1, 'BudgetOpened'),
  event('budget', 2, 'ReservationGranted'),
  event('runtime', 2, 'RunEnding'),
  event('runtime', 3, 'RunEnded'),
];
const planned: Story['planned'] = {
  ...{ key: 'k', at: 0, corpus: 'plain', shape: 'roomy', twice: false, followed: true, cancelAfterMs: null },
};
const story: Story = {
  ...{ planned, run: RUN, answers: [RUN], cancelled: null, seen: events, followedToItsEnd: true, refusals: [] },
};
const count = { limit: 4, used: 3, reserved: 0, unknown: 1, left: 0 };
const time = { limitMs: 60_000, usedMs: 1_000, leftMs: 59_000 };
const budget: Budget = {
  ...{ run: RUN, version: 9, policyVersion: 1, phase: 'closed', explore: count, finish: count, physical: count },
  ...{ finishReserve: 1, purposes: { explore: 1, finish: 1, summarize: 0, review: 0 }, outputMs: 1, user: null },
  ...{ active: { ...time, unknownMs: 0, overshootMs: 0, running: false }, wall: time },
  usage: { inputTokens: null, outputTokens: null, cachedInputTokens: null, costMicros: null },
};
const named = (violations: readonly { invariant: string }[]) => [...new Set(violations.map((v) => v.invariant))];

it('finds nothing wrong with a run that went well', () => {
  const published = new Map(events.map((e) => [`${e.owner}/${RUN}/${e.seq}`, e.type]));
  expect([
    ...judgeEnd(view, report, 'What is the fee? 0.5 %'),
    ...judgeEvents(view, events),
    ...judgePublished(RUN, events, published),
    ...judgeFollower(story, events),
    ...judgeCallers(story),
    ...judgeStop(story, view, events),
    ...judgeBudget(RUN, budget),
    ...judgeExits('runtime-1', [
      { told: 'SIGKILL', exit: { code: null, signal: 'SIGKILL' } },
      { told: null, exit: null },
    ]),
  ]).toEqual([]);
});

describe('L10, L11: an end without report or reason is named', () => {
  const text = 'What is the fee?';
  it.each([
    ['a run that goes on', judgeEnd({ ...view, state: 'running' }, report, text), 'every run ends'],
    ['no reason', judgeEnd({ ...view, reason: null }, { ...report, reason: null }, text), 'a reason at the end'],
    ['no report', judgeEnd(view, null, null), 'a report at the end'],
    ['an open report', judgeEnd(view, { ...report, state: 'open' }, text), 'a report at the end'],
    ['a text about something else', judgeEnd(view, report, 'Hello'), 'a report at the end'],
    ['another outcome', judgeEnd(view, { ...report, outcome: 'partial' }, text), 'report and run agree'],
  ])('%s', (_what, found, invariant) => {
    expect(named(found)).toEqual([invariant]);
  });
});

describe('L3, L14: events that are not whole are named', () => {
  it.each([
    ['a gap', events.filter((e) => !e.type.endsWith('BudgetOpened')), 'events without gap'],
    ['a repeat', [events[0] as Event, ...events], 'events without gap'],
    ['two ends', [...events, event('runtime', 4, 'RunEnded')], 'exactly one end'],
    ['an end too few', events.filter((e) => !e.type.endsWith('RunEnded')), 'exactly one end'],
  ])('%s', (_what, seen, invariant) => {
    expect(named(judgeEvents(view, seen))).toContain(invariant);
  });

  it('a fact that was never published, or as another', () => {
    const published = new Map(events.map((e) => [`${e.owner}/${RUN}/${e.seq}`, e.type]));
    published.delete(`budget/${RUN}/2`);
    published.set(`runtime/${RUN}/3`, 'waymark.runtime.fact.v1.RunEnding');
    expect(judgePublished(RUN, events, published)).toHaveLength(2);
  });
});

describe('L14: a follower that missed, repeated or never finished is named', () => {
  it.each([
    ['missed one', { ...story, seen: events.filter((e) => e.type !== 'waymark.budget.fact.v1.BudgetOpened') }],
    ['saw one twice', { ...story, seen: [...events, events[2] as Event] }],
    ['missed the end', { ...story, seen: events.slice(0, -1) }],
    ['never came to the end', { ...story, followedToItsEnd: false }],
  ])('%s', (_what, followed) => {
    expect(named(judgeFollower(followed, events))).toEqual(['a follower sees all']);
  });
});

it('B2: two runs of one key, a start without answer and a code that no caller should get are named', () => {
  const twice = { ...story, planned: { ...planned, twice: true } };
  expect(named(judgeCallers({ ...twice, answers: [RUN, 'another'] }))).toEqual(['one key, one run']);
  expect(named(judgeCallers(twice))).toEqual(['callers are served']);
  expect(named(judgeCallers({ ...story, refusals: ['malformed_reply: x'] }))).toEqual(['callers are served']);
});

describe('L6: after an acknowledged stop', () => {
  const at = Date.parse('2026-01-01T00:00:09.000Z');
  const cancelled = { ...view, outcome: 'cancelled' as const };

  it('another end is named, and so is a grant', () => {
    const stopped = { ...story, cancelled: { outcome: 'cancelling', at } };
    expect(judgeStop(stopped, view, [])).toHaveLength(1);
    expect(judgeStop(stopped, cancelled, events)).toHaveLength(1);
  });

  it('nothing is wrong when it was granted before, or when the run had ended already', () => {
    expect(judgeStop({ ...story, cancelled: { outcome: 'cancelling', at: at + 2_000 } }, cancelled, events)).toEqual(
      [],
    );
    expect(judgeStop({ ...story, cancelled: { outcome: 'already_ended', at } }, view, events)).toEqual([]);
  });
});

describe('B6, B11, B15: a budget that is not closed and settled is named', () => {
  it.each([
    ['none', null, 'a budget at the end'],
    ['open', { ...budget, phase: 'finishing' as const }, 'a budget at the end'],
    ['reserved', { ...budget, physical: { ...count, used: 2, reserved: 1 } }, 'nothing reserved at the end'],
    ['overshot', { ...budget, explore: { ...count, used: 4 } }, 'no count over its limit'],
    [
      'late',
      { ...budget, active: { ...budget.active, usedMs: 66_001, overshootMs: 6_001 } },
      'time within a lease’s tail',
    ],
    ['running', { ...budget, active: { ...budget.active, running: true } }, 'nothing runs at the end'],
  ])('%s', (_what, snapshot, invariant) => {
    expect(named(judgeBudget(RUN, snapshot))).toEqual([invariant]);
  });
});

it('a process that nobody had told to end is named', () => {
  const found = judgeExits('runtime-1', [{ told: null, exit: { code: 1, signal: null } }]);
  expect(found).toEqual([expect.objectContaining({ run: 'runtime-1', what: expect.stringContaining('code 1') })]);
});

describe('the log of a process', () => {
  const line = (entry: object) => `${JSON.stringify(entry)}\n`;

  it.each([
    ['a defect of ours', line({ level: 'error', msg: 'x', err: { type: 'TypeError', message: 'not a function' } })],
    ['a handler that failed', line({ level: 'error', msg: 'a handler failed', err: { type: 'Error', message: 'x' } })],
    [
      'a permission that a user lacks',
      line({ level: 'error', msg: "NATS denies publish on x: this user's permissions lack it" }),
    ],
    [
      'a denied publish as its sender reports it',
      line({ level: 'warn', msg: 'x', err: { message: 'NATS denies publishing on x' } }),
    ],
    [
      'a denial in the words of the server',
      line({ level: 'error', msg: 'NATS: Permissions Violation for Publish to "x"' }),
    ],
    ['words of Node itself', 'Uncaught exception\n'],
    ['a stack of Node itself', 'RangeError: Invalid array length\n'],
  ])('%s is named', (_what, output) => {
    expect(judgeLog('runtime-1', output).violations).toHaveLength(1);
  });

  it('what an outage explains is counted, and a line that a kill cut short is passed over', () => {
    const away = line({
      level: 'warn',
      msg: 'waiting for PostgreSQL',
      err: { type: 'Error', message: 'ECONNREFUSED' },
    });
    const { violations, said } = judgeLog('runtime-1', `${away}${away}{"level":"wa`);
    expect(violations).toEqual([]);
    expect([...said]).toEqual([['warn: waiting for PostgreSQL', 2]]);
  });
});

it('the table says runs, faults, requests unknown and violations', () => {
  const table = summaryTable({
    ...{
      seed: 7,
      minutes: 1,
      runs: { 'completed: finished': 3 },
      faults: { 'provider-500': 2 },
      struck: { 'provider-500': 3 },
      documents: {},
      requests: 9,
      arrived: 8,
    },
    ...{ unknown: 1, starts: 14, said: {}, violations: 0 },
  });
  expect(table).toMatch(/ 3 {2}completed: finished\n/);
  expect(table).toMatch(/ 2 {2}provider-500, met by 3 requests\n/);
  expect(table).toMatch(/9 intended, 8 arrived at the provider, 1 unknown; starts of processes: 14\n/);
  expect(table).toMatch(/violations: 0$/);
});

it('L2, V2: work that the broker kept is lost only when no owner has taken it in', () => {
  const kept = [
    { subject: 'waymark.work.v1.run', body: { run: RUN } },
    { subject: 'waymark.work.v1.review', body: { run: RUN, review: `${RUN}.1` } },
    { subject: 'waymark.work.v1.inbox.budget', body: { run: RUN, key: 'limit/wall' } },
  ];
  const all = { reviews: new Set([`${RUN}/${RUN}.1`]), ended: new Set([RUN]) };
  expect(lostWork(kept, all)).toEqual([]);
  expect(lostWork(kept, { ...all, reviews: new Set<string>() }).map(({ what }) => what)).toEqual([
    `waymark.work.v1.review ${RUN}.1 was never taken in`,
  ]);
  expect(lostWork(kept, { ...all, ended: new Set<string>() })).toHaveLength(2);
});
