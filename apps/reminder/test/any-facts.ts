import { REMINDER_TYPES, type Watermark } from '@waymark/contracts/reminder';
import fc from 'fast-check';
import type { Facts } from '../src/core/facts.js';
import { block, facts } from './facts.js';

const MINUTE = 60_000;

/** A count of which this request has taken one, somewhere between nothing used and all. */
const anyCount = fc
  .record({
    limit: fc.integer({ min: 1, max: 120 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    unknown: fc.nat(3),
  })
  .map(({ limit, share, unknown }) => {
    const taken = Math.max(1, Math.round(limit * share));
    const unsure = Math.min(unknown, taken - 1);
    return { limit, used: taken - 1 - unsure, reserved: 1, unknown: unsure, left: limit - taken };
  });

const NAMES = ['fees', 'holdings', 'a', 'b-2', 'history', 'risk', '9'];

const anyBlocks: fc.Arbitrary<Facts['publication']['blocks']> = fc
  .record({
    limit: fc.integer({ min: 0, max: 6 }),
    names: fc.subarray(NAMES),
    used: fc.array(fc.nat(6), { minLength: NAMES.length, maxLength: NAMES.length }),
  })
  .map(({ limit, names, used }) => names.map((name, i) => block(name, Math.min(limit, used[i]), limit)));

const anyWatermarks: fc.Arbitrary<Watermark[]> = fc.array(
  fc.record({
    type: fc.constantFrom(...REMINDER_TYPES),
    kind: fc.constantFrom('state' as const, 'advice' as const),
    subject: fc.constantFrom('run', 'run', ...NAMES.map((name) => `block:${name}`)),
    policyVersion: fc.constantFrom(1, 1, 1, 2),
    stage: fc.constantFrom(1, 2, 4, 50, 75, 90),
    delivery: fc.constantFrom('submitted' as const, 'uncertain' as const),
  }),
  { maxLength: 12 },
);

/** Any facts that a main request can be composed from. */
export const anyFacts: fc.Arbitrary<Facts> = fc
  .record({
    blocks: anyBlocks,
    language: fc.constantFrom('en' as const, 'zh' as const),
    phase: fc.constantFrom('exploring' as const, 'exploring' as const, 'finishing' as const),
    room: fc.constantFrom(2048, 2048, 640, 200, 90, 0),
    percent: fc.constantFrom<number[]>([50, 75, 90], [75, 50, 90], [50], [60, 80]),
    explore: anyCount,
    finish: anyCount,
    physical: anyCount,
    finishReserve: fc.integer({ min: 1, max: 9 }),
    activeLimit: fc.integer({ min: MINUTE, max: 90 * MINUTE }),
    activeShare: fc.double({ min: 0, max: 1.1, noNaN: true }),
    wallLimit: fc.integer({ min: MINUTE, max: 120 * MINUTE }),
    wallShare: fc.double({ min: 0, max: 1.1, noNaN: true }),
    contentBytes: fc.nat(450_000),
    runLimit: fc.nat(24),
    unconfirmed: fc.array(fc.constantFrom('new-block', ...NAMES), { maxLength: 2 }),
    enabled: fc.boolean(),
    sinceExploreRequests: fc.nat(40),
    sinceMs: fc.nat(30 * MINUTE),
    everyMs: fc.constantFrom(10 * MINUTE, 10 * MINUTE, 0),
    running: fc.boolean(),
    partlyRead: fc.array(
      fc.record({
        locator: fc.constantFrom('doc:a', 'doc:b'),
        name: fc.string({ unit: 'binary', maxLength: 90 }),
        hadBytes: fc.nat(2000),
        totalBytes: fc.integer({ min: 1, max: 2000 }),
      }),
      { maxLength: 9 },
    ),
    watermarks: anyWatermarks,
  })
  .map(({ blocks, ...a }) => {
    const base = facts({ phase: a.phase, language: a.language, percent: a.percent, room: a.room });
    const used = Math.min(
      a.runLimit,
      blocks.reduce((sum, { revisions }) => sum + revisions.used, 0),
    );
    const outputMs = Math.floor(Math.min(a.activeLimit, a.wallLimit) / 4);
    const time = (limitMs: number, share: number) => {
      const usedMs = Math.round(limitMs * share);
      return { limitMs, usedMs, leftMs: Math.max(0, limitMs - usedMs) };
    };
    return {
      ...base,
      budget: {
        ...base.budget,
        explore: a.explore,
        finish: a.finish,
        physical: a.physical,
        finishReserve: a.finishReserve,
        active: { ...base.budget.active, ...time(a.activeLimit, a.activeShare) },
        wall: time(a.wallLimit, a.wallShare),
        outputMs,
      },
      context: { ...base.context, contentBytes: a.contentBytes },
      publication: {
        ...base.publication,
        blocks,
        revisions: { limit: a.runLimit, used, left: a.runLimit - used },
      },
      unconfirmed: a.unconfirmed,
      review: {
        ...base.review,
        enabled: a.enabled,
        sinceExploreRequests: a.sinceExploreRequests,
        sinceMs: a.sinceMs,
        everyMs: a.everyMs,
        running: a.running,
      },
      partlyRead: a.partlyRead,
      watermarks: a.watermarks,
    };
  });
