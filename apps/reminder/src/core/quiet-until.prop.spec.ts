import { measurementsOf, quietAfter, staysQuiet, type QuietUntil } from '@waymark/contracts/reminder';
import fc from 'fast-check';
import { anyFacts } from '../../test/any-facts.js';
import { block, counted, facts, given } from '../../test/facts.js';
import { composeNotices } from './compose.js';
import type { Facts } from './facts.js';

const KEYS = Object.keys(measurementsOf(facts())) as (keyof QuietUntil)[];
const EPSILON = 1e-6;

/** The same facts with one measurement at a value; null where these facts cannot have it there. */
function at(f: Facts, key: keyof QuietUntil, value: number): Facts | null {
  const { budget, publication, review } = f;
  const count = { used: value, reserved: 0, unknown: 0 };
  switch (key) {
    case 'exploreUsed':
      return { ...f, budget: { ...budget, explore: { ...budget.explore, ...count } } };
    case 'physicalUsed':
      return { ...f, budget: { ...budget, physical: { ...budget.physical, ...count } } };
    case 'activeMs':
      return { ...f, budget: { ...budget, active: { ...budget.active, usedMs: value } } };
    case 'wallMs':
      return { ...f, budget: { ...budget, wall: { ...budget.wall, usedMs: value } } };
    case 'contentBytes':
      return { ...f, context: { ...f.context, contentBytes: value } };
    case 'runRevisions':
      return {
        ...f,
        unconfirmed: [],
        publication: { ...publication, revisions: { ...publication.revisions, used: value } },
      };
    case 'blockRevisions': {
      if (publication.blocks.length === 0) return null;
      const blocks = publication.blocks.map((b) => ({ ...b, revisions: { ...b.revisions, used: value } }));
      return { ...f, unconfirmed: [], publication: { ...publication, blocks } };
    }
    case 'reviewExploreRequests':
      return { ...f, review: { ...review, sinceExploreRequests: value } };
    case 'reviewMs':
      return { ...f, review: { ...review, sinceMs: value } };
    case 'partlyReadSources': {
      const source = { locator: 'doc:a', name: 'a', hadBytes: 1, totalBytes: 2 };
      return { ...f, partlyRead: Array.from({ length: value }, () => source) };
    }
  }
}

const integral = (key: keyof QuietUntil): boolean => !['activeMs', 'wallMs', 'reviewMs'].includes(key);

/** The largest value of a measurement that is below what it is quiet until. */
function below(key: keyof QuietUntil, until: number, share: number): number {
  const value = integral(key) ? Math.floor((until - 1) * share) : (until - EPSILON) * share;
  return Math.max(0, value);
}

/** Facts with all measurements below, by shares of what they are quiet until; null when one cannot be. */
function quietened(f: Facts, until: QuietUntil, shares: readonly number[]): Facts | null {
  let quiet: Facts | null = f;
  for (const [i, key] of KEYS.entries()) {
    const limit = until[key];
    if (limit === null) continue;
    if (limit === 0) return null;
    quiet = quiet && at(quiet, key, below(key, limit, shares[i]));
  }
  return quiet;
}

const shares = fc.array(fc.constantFrom(1, 1, 0.99, 0.5, 0), { minLength: KEYS.length, maxLength: KEYS.length });
const nearly = anyFacts.map((f) => ({ ...f, noticeRoomBytes: 2048 }));

it('R4: below what a reply is quiet until there is nothing to say: no line, advice, candidate or key to arm again', () => {
  let met = 0;
  fc.assert(
    fc.property(nearly, shares, (f, share) => {
      const { quietUntil } = composeNotices(f);
      const low = quietened(f, quietUntil, share);
      if (!low) return;
      const reply = composeNotices(low);
      if (reply.rearmed.length > 0) return; // said now, and recorded: the watermarks are other ones then
      met += 1;
      expect(reply).toMatchObject({ state: [], advice: [], combined: [], reviewCandidate: null });
      expect(quietAfter(low, reply)).not.toBeNull();
    }),
    { numRuns: 2000 },
  );
  expect(met).toBeGreaterThan(50); // the property would hold for nothing if it were never met
});

it('R4: at the value that a reply is quiet until there is something to say, and compose is not skipped', () => {
  const met = new Set<keyof QuietUntil>();
  fc.assert(
    fc.property(nearly, shares, fc.constantFrom(...KEYS), (f, share, key) => {
      const base = { ...f, watermarks: [], review: { ...f.review, running: false } };
      const low = quietened(base, composeNotices(base).quietUntil, share);
      if (!low) return;
      const reply = composeNotices(low);
      const until = reply.quietUntil[key];
      const reached = until === null ? null : at(low, key, until);
      if (!reached) return;
      met.add(key);
      const { state, advice } = composeNotices(reached);
      expect(state.length + advice.length).toBeGreaterThan(0);
      expect(staysQuiet(quietAfter(low, reply), reached)).toBe(false);
    }),
    { numRuns: 3000 },
  );
  expect([...met].sort()).toEqual(KEYS.filter((key) => key !== 'partlyReadSources').sort());
});

it('R4: a skipped compose would never have said anything, along any way that a run can take', () => {
  fc.assert(
    fc.property(
      nearly,
      fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.double({ min: 0, max: 1.3, noNaN: true })), { maxLength: 30 }),
      (f, steps) => {
        let now: Facts = { ...f, watermarks: [] };
        let reply = composeNotices(now);
        let quiet = quietAfter(now, reply);
        for (const [key, share] of steps) {
          // what the runtime does between two requests: watermarks of what was sent, minus what was armed again
          const kept = now.watermarks.filter(
            (w) => !reply.rearmed.some((r) => r.type === w.type && r.kind === w.kind && r.subject === w.subject),
          );
          const sent = reply.advice.map(({ type, kind, subject, stage, policyVersion }) => ({
            ...given(type, stage, { kind, subject, policyVersion }),
          }));
          now = { ...now, watermarks: [...kept, ...sent] };
          const scale = reply.quietUntil[key] ?? 10;
          const value = integral(key) ? Math.round(scale * share) : scale * share;
          now = at(now, key, value) ?? now;
          const next = composeNotices(now);
          if (staysQuiet(quiet, now)) {
            expect(next).toMatchObject({ state: [], advice: [], combined: [], rearmed: [], reviewCandidate: null });
            reply = { ...next };
          } else {
            reply = next;
            quiet = quietAfter(now, next);
          }
        }
      },
    ),
    { numRuns: 1000 },
  );
});

describe('the named values', () => {
  it('R4: state from the first stage, review points, nothing where nothing will come', () => {
    expect(composeNotices(facts({ blocks: [block('a', 0)] })).quietUntil).toEqual({
      exploreUsed: 20,
      physicalUsed: 40,
      activeMs: 27 * 60_000,
      wallMs: 57 * 60_000,
      contentBytes: 204_800,
      runRevisions: 4,
      blockRevisions: 1,
      reviewExploreRequests: 15,
      reviewMs: 600_000,
      partlyReadSources: null,
    });
    const off = composeNotices(facts({ review: { enabled: false } })).quietUntil;
    expect(off).toMatchObject({ reviewExploreRequests: null, reviewMs: null, blockRevisions: null });
  });

  it('R4: finishing is never quiet, because its line always stands', () => {
    const reply = composeNotices(facts({ phase: 'finishing', finish: counted(3, 1) }));
    expect(reply.quietUntil).toMatchObject({ exploreUsed: null, physicalUsed: 0, reviewMs: null });
  });

  it('R4: another phase, policy version, hard limit or number of blocks ends the quiet', () => {
    const now = facts();
    const quiet = quietAfter(now, composeNotices(now));
    expect(staysQuiet(quiet, now)).toBe(true);
    for (const other of [
      facts({ phase: 'finishing' }),
      facts({ policyVersion: 2 }),
      facts({ blocks: [block('a', 0)] }),
      { ...now, context: { ...now.context, hardLimitBytes: 300_000 } },
    ]) {
      expect(staysQuiet(quiet, other)).toBe(false);
    }
    expect(staysQuiet(null, now)).toBe(false);
  });
});
