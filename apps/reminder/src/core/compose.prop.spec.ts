import { composeReply, composeRequest, REMINDER_TYPES } from '@waymark/contracts/reminder';
import fc from 'fast-check';
import { anyFacts } from '../../test/any-facts.js';
import { composeNotices } from './compose.js';
import type { Facts } from './facts.js';

const runs = { numRuns: 400 };
const ROOMY = 2048;
/** The notices of the teaching policy, less the message round them. */
const SMALL = 504;
const bytes = (text: string): number => new TextEncoder().encode(JSON.stringify(`${text}\n`)).length - 2;
const rank = (type: (typeof REMINDER_TYPES)[number]): number => REMINDER_TYPES.indexOf(type);

function check(property: (facts: Facts) => void): void {
  fc.assert(fc.property(anyFacts, property), runs);
}

it('R1: the same facts give the same reply, the facts stay as they were, and both keep the contract', () => {
  check((facts) => {
    const before = structuredClone(facts);
    const reply = composeNotices(facts);
    expect(composeNotices(structuredClone(facts))).toEqual(reply);
    expect(facts).toEqual(before);
    expect(composeRequest.safeParse(facts).success).toBe(true);
    expect(composeReply.parse(JSON.parse(JSON.stringify(reply)))).toEqual(reply);
  });
});

it('R2: the order is that of the types, and no type is displaced by another', () => {
  check((facts) => {
    const { state, advice } = composeNotices(facts);
    for (const list of [state, advice]) {
      const ranks = list.map(({ type }) => rank(type));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    }
  });
});

it('R3: of a key only the highest stage is said, and never one that was said at this policy version unless armed again', () => {
  check((facts) => {
    const { advice, rearmed } = composeNotices(facts);
    const keys = advice.map(({ type, subject }) => `${type} ${subject}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { type, subject, stage } of advice) {
      const again = rearmed.some((key) => key.type === type && key.subject === subject);
      const given = facts.watermarks.filter(
        (w) =>
          w.kind === 'advice' && w.type === type && w.subject === subject && w.policyVersion === facts.policyVersion,
      );
      expect(again || given.every((w) => w.stage < stage)).toBe(true);
    }
  });
});

it('R4: one state line a type, all of them within the notice room, a line end counted with each', () => {
  check((facts) => {
    const { state } = composeNotices(facts);
    expect(new Set(state.map(({ type }) => type)).size).toBe(state.length);
    expect(state.reduce((sum, { text }) => sum + bytes(text), 0)).toBeLessThanOrEqual(facts.noticeRoomBytes);
  });
});

it('R4: a smaller room shortens lines before it drops any; every type stands where its short lines fit', () => {
  check((facts) => {
    const all = composeNotices({ ...facts, noticeRoomBytes: ROOMY }).state.map(({ type }) => type);
    expect(composeNotices({ ...facts, noticeRoomBytes: SMALL }).state.map(({ type }) => type)).toEqual(all);
    const fewer = composeNotices({ ...facts, noticeRoomBytes: 200 }).state.map(({ type }) => type);
    expect(fewer).toEqual(all.slice(0, fewer.length));
  });
});

it('R5: whatever was said before, the state lines are the same', () => {
  check((facts) => {
    expect(composeNotices(facts).state).toEqual(composeNotices({ ...facts, watermarks: [] }).state);
  });
});

it('R11: the review candidate does not depend on what was advised or on the room for it', () => {
  check((facts) => {
    const bare = { ...facts, watermarks: [], noticeRoomBytes: 0 };
    expect(composeNotices(bare).reviewCandidate).toEqual(composeNotices(facts).reviewCandidate);
  });
});

it('R15: each text is one line and one sentence with its number and denominator, without tokens or a combined remainder', () => {
  check((facts) => {
    const { state, advice } = composeNotices({ ...facts, noticeRoomBytes: ROOMY });
    for (const { text, basis, type } of [...state, ...advice]) {
      expect(text).not.toMatch(/[\n\r]/);
      expect(text).toMatch(facts.language === 'en' ? /^[^]+\.$/ : /^[^]+。$/);
      expect(text).not.toMatch(/token|budget|预算/i);
      expect(text.match(/\d+/g)?.length ?? 0).toBeGreaterThanOrEqual(2);
      if (basis.unit !== 'ms') expect(text).toContain(`${basis.limit}`);
      if (type === 'context-bytes') expect(text).toContain(`${basis.value}`);
    }
  });
});

it('R17: while "finish now" holds nothing goes out that contradicts it, and nothing is lost without a record', () => {
  check((facts) => {
    const { advice, combined } = composeNotices(facts);
    const without = composeNotices({ ...facts, budget: roomy(facts.budget) });
    if (combined.length === 0) return;
    for (const { type, subject, by } of combined) {
      expect(['explore-requests', 'work-review', 'partly-read-sources']).toContain(type);
      expect(['explore-requests', 'finish-reserve', 'active-time', 'wall-clock']).toContain(by);
      expect(advice.some((other) => other.type === type && other.subject === subject)).toBe(false);
    }
    expect(without.combined).toEqual([]);
  });
});

it('R17: in finishing no advice about exploring and no review candidate', () => {
  check((facts) => {
    const { advice, combined, reviewCandidate } = composeNotices({ ...facts, phase: 'finishing', purpose: 'finish' });
    for (const { type } of advice) expect(['block-revisions', 'run-revisions']).toContain(type);
    expect([combined, reviewCandidate]).toEqual([[], null]);
  });
});

function roomy(budget: Facts['budget']): Facts['budget'] {
  const count = { limit: 1000, used: 0, reserved: 1, unknown: 0, left: 999 };
  const time = { limitMs: 3_600_000, usedMs: 0, leftMs: 3_600_000 };
  return { ...budget, explore: count, physical: count, active: { ...budget.active, ...time }, wall: time };
}
