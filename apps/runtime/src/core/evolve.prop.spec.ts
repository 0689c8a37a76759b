import fc from 'fast-check';
import { decodeFact, type RecordFact } from '@waymark/record';
import { canonical, PlayedRun, type Recorded } from '../../test/played-run.js';
import { playSteps, steps } from '../../test/random-record.js';
import { evolve } from './evolve.js';
import { newRunState, type RunState } from './run-state.js';

const runs = { numRuns: 60 };

const fold = (state: RunState, rows: readonly Recorded[]): RunState => {
  for (const row of rows) evolve(state, decodeFact<RecordFact>(row.body), row.seq, row.head);
  return state;
};
const fresh = (p: PlayedRun): RunState => newRunState(p.state.run, '');
const snapshot = (state: RunState): RunState => JSON.parse(JSON.stringify(state)) as RunState;

describe('random records, folded', () => {
  it('C15: the fold from any snapshot and the full rebuild give equal bytes, and name the same head', () => {
    fc.assert(
      fc.property(steps, fc.nat({ max: 10_000 }), (all, cut) => {
        const p = playSteps(all);
        const at = cut % (p.recorded.length + 1);
        const full = fold(fresh(p), p.recorded);
        const resumed = fold(snapshot(fold(fresh(p), p.recorded.slice(0, at))), p.recorded.slice(at));
        expect(canonical(resumed)).toBe(canonical(full));
        expect(canonical(p.state)).toBe(canonical(full));
        expect([full.seq, full.head]).toEqual([p.recorded.length, p.recorded.at(-1)?.head]);
      }),
      runs,
    );
  });

  it('C15: a fold changes the state that it is given and no fact', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const p = playSteps(all);
        const facts = p.recorded.map((r) => decodeFact<RecordFact>(r.body));
        const before = JSON.stringify(facts);
        const state = fresh(p);
        for (const [i, fact] of facts.entries()) evolve(state, fact, i + 1, '');
        expect(JSON.stringify(facts)).toBe(before);
      }),
      { numRuns: 30 },
    );
  });

  it('R12, R8: watermarks come from what was sent and settled, and from nothing else: no retirement, summary or floor moves one', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const p = playSteps(all);
        const state = fresh(p);
        for (const row of p.recorded) {
          const fact = decodeFact<RecordFact>(row.body);
          const before = JSON.stringify(state.watermarks);
          evolve(state, fact, row.seq, row.head);
          if (JSON.stringify(state.watermarks) === before) continue;
          expect(['RequestIntended', 'RequestSettled']).toContain(fact.type);
          if (fact.type === 'RequestIntended') expect(fact.notices.rearmed).not.toEqual([]);
          if (fact.type === 'RequestSettled') expect(fact.delivery).not.toBe('rejected');
        }
      }),
      runs,
    );
  });

  it('R12: after a crash the watermarks are those of the record’s requests alone', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const p = playSteps(all);
        const requests = p.recorded.filter(({ fact }) => /^Request(Intended|Settled)$/.test(fact.type));
        expect(fold(fresh(p), requests).watermarks).toEqual(fold(fresh(p), p.recorded).watermarks);
      }),
      runs,
    );
  });

  it('L1: whatever the record, an ended run stays ended and a run that ends stays ending until its end', () => {
    const order = ['exploring', 'finishing', 'ending', 'ended'];
    fc.assert(
      fc.property(steps, (all) => {
        const p = playSteps(all);
        const state = fresh(p);
        let at = 0;
        for (const row of p.recorded) {
          evolve(state, decodeFact<RecordFact>(row.body), row.seq, row.head);
          expect(order.indexOf(state.phase)).toBeGreaterThanOrEqual(at);
          at = order.indexOf(state.phase);
        }
        expect(state.phase).toBe('ended');
        expect(p.facts.filter((f) => f.type === 'RunEnded')).toHaveLength(1);
      }),
      { numRuns: 30 },
    );
  });
});

describe('C15: the work of a turn does not grow with the history', () => {
  /** Entries of the transcript that folding one fact touches. */
  function counted(state: RunState): () => number {
    let visits = 0;
    let { entries } = state.transcript;
    const watch = (array: typeof entries): typeof entries =>
      new Proxy(array, {
        get(target, key, receiver): unknown {
          if (typeof key === 'string' && /^\d+$/.test(key)) visits += 1;
          return Reflect.get(target, key, receiver);
        },
      });
    Object.defineProperty(state.transcript, 'entries', {
      enumerable: true,
      get: () => entries,
      set: (next: typeof entries) => (entries = watch(next)),
    });
    state.transcript.entries = entries;
    return () => {
      const seen = visits;
      visits = 0;
      return seen;
    };
  }

  /** Visits of each turn's facts, and entries that stood, over `turns` turns with summaries. */
  function measure(turns: number): { visits: number[]; standing: number[]; stateBytes: number[] } {
    const p = new PlayedRun({ policy: 'bench', overrides: { hardLimitBytes: 80 * 1024, residencyBytes: 8 * 1024 } });
    const take = counted(p.state);
    const visits: number[] = [];
    const standing: number[] = [];
    const stateBytes: number[] = [];
    const notes = 'Notes: the figures of these turns. '.repeat(15);
    for (let turn = 1; turn <= turns; turn += 1) {
      p.prepare('explore', () => ({ finish: 'stop', text: notes }));
      take();
      p.read('A line of the source. '.repeat(100), 'read_range', {
        range: { locator: 'doc:1', name: 'a', start: turn * 10, end: turn * 10 + 10, total: 100_000 },
      });
      visits.push(take());
      standing.push(p.state.transcript.entries.length);
      if (turn % 10 === 0) stateBytes.push(canonical({ ...p.state, settledAt: [] }).length);
    }
    return { visits, standing, stateBytes };
  }

  it('C15: folding the facts of turn 400 touches no more than those of turn 150 did, by count of visited entries', () => {
    const { visits, standing, stateBytes } = measure(400);
    const most = (numbers: readonly number[]) => Math.max(...numbers);
    expect(most(visits.slice(-100))).toBeLessThanOrEqual(most(visits.slice(100, 250)) * 1.1);
    expect(most(standing.slice(-100))).toBeLessThanOrEqual(most(standing.slice(100, 250)) * 1.1);
    expect(most(stateBytes.slice(-10))).toBeLessThanOrEqual(most(stateBytes.slice(10, 25)) * 1.1);
    for (const [i, v] of visits.entries()) expect(v).toBeLessThanOrEqual(4 * (standing[i] ?? 0) + 8);
  });
});
