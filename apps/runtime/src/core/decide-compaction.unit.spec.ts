import fc from 'fast-check';
import { renderSummarize, type RecordFact } from '@waymark/record';
import { PlayedRun, type PlayOptions, type Summarizer } from '../../test/played-run.js';
import { decideCompaction, judgeSummary, minimumGain, type Interval } from './decide-compaction.js';
import { POLICIES } from '@waymark/contracts/policy';

const KIB = 1024;
const NOTES = 'Notes: the fee is 0.35 % a year [doc:1 0–40]. '.repeat(14);
const good: Summarizer = () => ({ finish: 'stop', text: NOTES });

/** Small residency, so that bodies retire and turns become ready for a summary. */
const SMALL: PlayOptions = { overrides: { hardLimitBytes: 78 * KIB, residencyBytes: 4 * KIB } };

function grow(p: PlayedRun, turns: number, bytes = 1200): void {
  for (let i = 0; i < turns; i += 1) {
    p.retire();
    p.turn([{ tool: 'read_range', text: 'x'.repeat(bytes) }], 'Words of the model. '.repeat(60));
  }
  p.retire();
}
const all = <T extends RecordFact['type']>(p: PlayedRun, type: T) =>
  p.facts.filter((f): f is Extract<RecordFact, { type: T }> => f.type === type);
const covers = (p: PlayedRun) => all(p, 'SummaryAdopted').map((f) => [f.from, f.to] as const);
const decide = (p: PlayedRun, pressing = false) => decideCompaction(p.state, p.content(), p.sizeOf, pressing);

describe('C7, C8: which interval is summarized', () => {
  it('C8: nothing under the soft target, an interval above it; in finishing none', () => {
    const p = new PlayedRun(SMALL);
    grow(p, 10);
    expect(p.content()).toBeLessThan(49 * KIB);
    expect(decide(p)).toBeNull();
    grow(p, 25);
    expect(p.content()).toBeGreaterThan(50 * KIB);
    expect(decide(p)).toMatchObject({ from: 1 });
    p.add({ type: 'PhaseChanged', phase: 'finishing', code: 'x', reason: 'x' });
    expect(decide(p)).toBeNull();
    expect(decide(p, true)).toBeNull();
  });

  it('C8: it is tried as soon as the smallest legal summary could bring the minimum gain, and not before', () => {
    const ready = (p: PlayedRun) => {
      p.retire();
      return decide(p, true);
    };
    const p = new PlayedRun({ overrides: { hardLimitBytes: 78 * KIB, residencyBytes: 1 } });
    let tried: Interval | null = null;
    for (let turn = 1; turn < 40 && !tried; turn += 1) {
      const before = p.content();
      grow(p, 1, 600);
      tried = ready(p);
      if (!tried) continue;
      // The smallest summary that is legal, adopted: it brings the gain.
      const smallest = 'n'.repeat(p.policy.context.smallestSummaryBytes);
      p.summarize(tried, () => ({ finish: 'stop', text: smallest }));
      expect(covers(p)).toEqual([[1, tried.to]]);
      expect(before - p.content()).toBeGreaterThan(0);
    }
    expect(tried).not.toBeNull();
  });

  it('C7: the turns under way stay out, and so does a body that the model has not had', () => {
    const p = new PlayedRun(SMALL);
    grow(p, 40);
    const interval = decide(p);
    expect(interval?.to).toBeLessThanOrEqual(p.state.turn - 4);
    const q = new PlayedRun(SMALL);
    grow(q, 40);
    expect(decide(q, true)?.to).toBeLessThan(q.state.turn);
  });

  it('C7: an interval is contiguous: it ends where a summary stands already', () => {
    const p = new PlayedRun(SMALL);
    grow(p, 40);
    const text = p.put(NOTES);
    p.add({ type: 'SummaryAdopted', summary: 1, from: 25, to: 26, request: 1, text, bytesBefore: 2, bytesAfter: 1 });
    expect(decide(p)).toMatchObject({ from: 1, to: 24 });
  });

  it('F-C8, C7: five compactions in a row: disjoint, contiguous intervals, no summary bytes in any summarizer’s input', () => {
    const p = new PlayedRun({ overrides: { hardLimitBytes: 60 * KIB, residencyBytes: 4 * KIB } });
    const inputs: string[] = [];
    let n = 0;
    for (let turn = 0; turn < 400 && covers(p).length < 5; turn += 1) {
      p.prepare('explore', (_, input) => {
        inputs.push(new TextDecoder().decode(input));
        n += 1;
        return { finish: 'stop', text: `MARK-${n} ${NOTES}` };
      });
      p.turn([{ tool: 'read_range', text: `turn ${turn} ${'x'.repeat(1500)}` }], 'Words. '.repeat(40));
    }
    const intervals = covers(p);
    expect(intervals).toHaveLength(5);
    for (const [i, [from, to]] of intervals.entries()) {
      expect(from).toBe(i === 0 ? 1 : (intervals[i - 1]?.[1] ?? 0) + 1);
      expect(to).toBeGreaterThanOrEqual(from);
    }
    expect(inputs.filter((input) => /MARK-|\[Summary/.test(input))).toEqual([]);
    for (const mark of [1, 2, 3, 4, 5]) expect(p.text().includes(`MARK-${mark} `)).toBe(true);
  });

  it('F-C2, C8: four call/result pairs without a word of the model: a real request that holds the originals, and never a canned text', () => {
    const p = new PlayedRun({ overrides: { hardLimitBytes: 78 * KIB } });
    for (let i = 1; i <= 4; i += 1) p.turn([{ tool: 'read_range', text: `original ${i} ${'x'.repeat(14_000)}` }], '');
    p.intend();
    p.settle({ empty: true });
    const interval = decide(p, true);
    expect(interval).toMatchObject({ from: 1, to: 4 });
    let input = '';
    if (interval)
      p.summarize(interval, (_, bytes) => {
        input = new TextDecoder().decode(bytes);
        return { finish: 'stop', text: '' };
      });
    for (let i = 1; i <= 4; i += 1) expect(input.includes(`original ${i}`)).toBe(true);
    expect(all(p, 'SummaryAbandoned')).toMatchObject([{ code: 'summary_empty' }]);
    expect(p.text().includes('[Summary')).toBe(false);
  });

  it('C8: the summarizing request itself fits the hard limit, whatever ordinary results hold', () => {
    const word = fc.constantFrom('fee ', '费率 ', '"k":', '{"a":1},', 'line\n', 'x'.repeat(40), '0.35 % ');
    const result = fc.tuple(fc.array(word, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 80 }));
    fc.assert(
      fc.property(fc.array(result, { minLength: 2, maxLength: 25 }), (results) => {
        const p = new PlayedRun({ overrides: { hardLimitBytes: 60 * KIB } });
        for (const [words, times] of results) p.read(words.join('').repeat(times));
        p.intend();
        p.settle({ empty: true });
        const interval = decideCompaction(p.state, p.state.hard + 1, p.sizeOf, true);
        fc.pre(interval !== null);
        const turns = p.state.transcript.entries.filter((e) => e.kind === 'turn' && e.turn <= (interval?.to ?? 0));
        const input = renderSummarize(
          p.admitted,
          turns as Parameters<typeof renderSummarize>[1],
          interval?.resultCap ?? 0,
          p.lookup,
        );
        expect(input.length).toBeLessThanOrEqual(p.state.hard);
      }),
      { numRuns: 60 },
    );
  });
});

describe('C10: a summary that failed', () => {
  it('F-C1, C10: a 429 on the summarizing request leaves the history’s bytes as they were; it is charged, and the turn goes on', () => {
    const p = new PlayedRun(SMALL);
    grow(p, 40);
    const before = p.digest();
    const requests = p.state.requests;
    const rungs = p.prepare('explore', () => 'refused');
    expect(p.digest()).toBe(before);
    expect(p.state).toMatchObject({ summaries: 0, requests: requests + 1 });
    expect(all(p, 'SummaryAbandoned')).toMatchObject([{ request: requests + 1, code: 'rate_limited' }]);
    expect(rungs.at(-1)?.rung).toBe('fits');
  });

  it('C10: it is not tried again for the same interval on the same basis, and again when enough was added', () => {
    const p = new PlayedRun({
      overrides: { hardLimitBytes: 140 * KIB, residencyBytes: 4 * KIB },
      mend: (policy) => ({ ...policy, context: { ...policy.context, softPercent: 36 } }),
    });
    grow(p, 38);
    p.prepare('explore', () => 'refused');
    const failed = all(p, 'SummaryAbandoned')[0];
    expect(decide(p)).toBeNull();
    grow(p, 1);
    expect(decide(p)).toBeNull();
    let next: Interval | null = null;
    for (let i = 0; i < 8 && !next; i += 1) {
      grow(p, 1);
      next = decide(p);
    }
    expect(next?.from).toBe(failed?.from);
    expect(next?.to).toBeGreaterThan(failed?.to ?? 0);
  });

  it('C10, C17: one that failed is tried once more before all turns give way to the floor: that is another basis', () => {
    const p = new PlayedRun(SMALL);
    grow(p, 38);
    p.prepare('explore', () => 'refused');
    const rungs: string[] = [];
    for (let turn = 0; turn < 40 && !rungs.includes('floor'); turn += 1) {
      p.read('x'.repeat(900));
      rungs.push(...p.prepare('explore', () => 'refused').map((r) => r.rung));
    }
    expect(rungs.filter((r) => r !== 'fits' && r !== 'retire')).toEqual(['summarize', 'floor']);
    const tries = all(p, 'SummaryAbandoned').map((f) => `${f.from}-${f.to} ${f.basis}`);
    expect(new Set(tries).size).toBe(tries.length);
  });

  it('F-C7, C8: a fixed part of 60 KiB, soft target 50, hard limit 100: one attempt per interval and basis, and the run goes on', () => {
    const p = new PlayedRun({
      question: 'q'.repeat(60 * KIB),
      overrides: { hardLimitBytes: 100 * KIB, residencyBytes: 4 * KIB },
      mend: (policy) => ({ ...policy, context: { ...policy.context, softPercent: 50 } }),
    });
    for (let turn = 0; turn < 50; turn += 1) {
      const rungs = p.prepare('explore', () => ({ finish: 'stop', text: 'n'.repeat(30 * KIB) }));
      expect(rungs.at(-1)?.rung).toBe('fits');
      p.read('x'.repeat(800));
    }
    const tries = all(p, 'SummaryAbandoned').map((f) => `${f.from}-${f.to} ${f.basis}`);
    expect(tries.length).toBeGreaterThan(0);
    expect(new Set(tries).size).toBe(tries.length);
    expect(p.text().includes('q'.repeat(60 * KIB))).toBe(true);
  });
});

describe('C8: whether a summary is adopted', () => {
  const policy = POLICIES.standard;
  const judge = (over: Partial<Parameters<typeof judgeSummary>[0]> = {}) => {
    const verdict = judgeSummary({
      finish: 'stop',
      textBytes: 600,
      before: 200_000,
      after: 150_000,
      limit: 400_000,
      policy,
      ...over,
    });
    return verdict.adopt ? 'adopted' : verdict.code;
  };

  it('C8: a truncated, unfinished, empty or too small one is not', () => {
    expect(judge()).toBe('adopted');
    expect(judge({ finish: 'length' })).toBe('summary_truncated');
    expect(judge({ textBytes: 0 })).toBe('summary_empty');
    expect(judge({ textBytes: 511 })).toBe('summary_too_small');
    expect(judge({ textBytes: 512 })).toBe('adopted');
  });

  it('F-C9, C8: a stream that was cut has no finish, and is ignored', () => {
    expect(judge({ finish: null })).toBe('summary_unfinished');
    const p = new PlayedRun(SMALL);
    grow(p, 40);
    const before = p.digest();
    p.prepare('explore', () => ({ finish: null, text: NOTES.slice(0, NOTES.length * 0.3) }));
    expect([p.digest(), p.state.summaries]).toEqual([before, 0]);
  });

  it('C8: only when the complete request becomes smaller by the minimum gain, the larger of 8 KiB and 10 %', () => {
    expect(minimumGain(policy, 40_000)).toBe(8192);
    expect(minimumGain(policy, 200_000)).toBe(20_000);
    expect(judge({ after: 180_000 })).toBe('adopted');
    expect(judge({ after: 180_001 })).toBe('gain_too_small');
    expect(judge({ before: 40_000, after: 40_000 - 8191 })).toBe('gain_too_small');
  });

  it('C8: only when it fits the hard limit; a soft target that is missed discards no gain', () => {
    expect(judge({ limit: 149_999 })).toBe('does_not_fit');
    expect(judge({ limit: 150_000 })).toBe('adopted');
    const p = new PlayedRun(SMALL);
    grow(p, 50);
    p.prepare('explore', () => ({ finish: 'stop', text: 'n'.repeat(20 * KIB) }));
    const soft = (p.state.hard * p.policy.context.softPercent) / 100;
    expect(p.state.summaries).toBe(1);
    expect(all(p, 'SummaryAdopted')[0]?.bytesAfter).toBe(p.content());
    expect(soft).toBeLessThan(p.state.hard);
  });

  it('C8, R9: the sizes that were recorded with it are those of the complete request before and after', () => {
    const p = new PlayedRun(SMALL);
    grow(p, 40);
    const before = p.body().length;
    p.prepare('explore', good);
    expect(all(p, 'SummaryAdopted')).toMatchObject([{ bytesBefore: before, bytesAfter: p.body().length }]);
  });
});
