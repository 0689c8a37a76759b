import fc from 'fast-check';
import { opened, writeRequest } from '../../test/given.js';
import { applyAll } from './decision.js';
import { decideWrite } from './decide-write.js';
import type { Fact } from './fact.js';
import { revisionsUsed, runRevisionsUsed, type KeyedEntry } from './report-state.js';
import { utf8Bytes } from './utf8-bytes.js';

// Two owners, one with a stale epoch, and retries: every call may be any key, block, expected version and epoch.
const call = fc.record({
  epoch: fc.integer({ min: 1, max: 2 }),
  key: fc.integer({ min: 1, max: 12 }).map((n) => `k${n}`),
  block: fc.constantFrom('a', 'b', 'c'),
  expectVersion: fc.integer({ min: 0, max: 4 }),
});
const quotas = fc.record({ perBlock: fc.integer({ min: 0, max: 3 }), perRun: fc.integer({ min: 0, max: 5 }) });

describe('writes in any order', () => {
  it('P5: any interleaving of two epochs and repeated keys makes one version per key and one key per version', () => {
    fc.assert(
      fc.property(quotas, fc.array(call, { maxLength: 60 }), (revisions, calls) => {
        let state = opened({ revisions });
        const keys = new Map<string, KeyedEntry>();
        const facts: Fact[] = [];
        let highest = 1;
        for (const request of calls) {
          const decision = decideWrite(state, writeRequest(request), keys.get(request.key) ?? null);
          const { reply } = decision;
          if (request.epoch < highest) expect(reply.refusal?.code).toBe('fenced');
          highest = Math.max(highest, request.epoch);
          const earlier = keys.get(request.key)?.made;
          if (earlier && reply.outcome === 'written') expect(reply).toMatchObject({ repeated: true, ...earlier });
          if (reply.outcome === 'written' && !reply.repeated) {
            expect(reply.version).toBe(request.expectVersion + 1);
            keys.set(request.key, { made: { block: reply.block, version: reply.version! } });
          }
          expect(decision.facts).toHaveLength(reply.outcome === 'written' && !reply.repeated ? 1 : 0);
          facts.push(...decision.facts);
          state = decision.after;
        }
        const made = [...keys.values()].map(({ made }) => `${made!.block}@${made!.version}`);
        expect(new Set(made).size).toBe(made.length);
        expect(made).toHaveLength(state.blocks.reduce((sum, { version }) => sum + version, 0));
        expect(applyAll({ ...opened({ revisions }), epoch: state.epoch }, facts)).toEqual(state);
      }),
    );
  });

  it('P3: no sequence of writes exceeds the quota of a block or of the run', () => {
    fc.assert(
      fc.property(quotas, fc.array(call, { maxLength: 80 }), (revisions, calls) => {
        let state = opened({ revisions });
        for (const [i, request] of calls.entries()) {
          state = decideWrite(state, writeRequest({ ...request, key: `k${i}` }), null).after;
          expect(runRevisionsUsed(state)).toBeLessThanOrEqual(revisions.perRun);
          for (const entry of state.blocks) expect(revisionsUsed(entry)).toBeLessThanOrEqual(revisions.perBlock);
        }
      }),
    );
  });

  it('F-R6: sizes are UTF-8 bytes: 100 Chinese characters are 300', () => {
    expect(utf8Bytes('汉'.repeat(100))).toBe(300);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text, 'utf8'));
      }),
    );
    expect(utf8Bytes('\ud800a\udc00')).toBe(7);
  });
});
