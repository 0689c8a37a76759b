import { spawnSync } from 'node:child_process';
import { judgeAims } from '../bench/aims.mjs';
import { benchCorpus } from '../bench/corpus.mjs';
import { growthAfterCompaction, newContent, quantile, subjectShape, turnFigures, turnsOf } from '../bench/figures.mjs';
import { cpuMs } from '../bench/processes.mjs';

const explore = (at: number) => ({ purpose: 'explore', at });
const turns = (ms: readonly number[], compactingAt: readonly number[] = []) =>
  ms.map((value, i) => ({ ms: value, summaries: compactingAt.includes(i) ? 1 : 0 }));

describe('figures of npm run bench', () => {
  it('takes the nearest rank, so the 99th percentile of fifty is the largest', () => {
    const fifty = Array.from({ length: 50 }, (_, i) => i + 1);
    expect([quantile(fifty, 0.5), quantile(fifty, 0.99), quantile([], 0.5)]).toEqual([25, 50, null]);
  });

  it('counts turns between main requests, without the listing, and a summary within its turn', () => {
    const requests = [explore(0), explore(5), explore(12), { purpose: 'summarize', at: 14 }, explore(30), explore(31)];
    expect(turnsOf([...requests].reverse())).toEqual([
      { ms: 7, summaries: 0 },
      { ms: 18, summaries: 1 },
      { ms: 1, summaries: 0 },
    ]);
  });

  it('gives T turns for the T + 2 main requests of a run, with the first and the last fifty', () => {
    const found = turnsOf(Array.from({ length: 62 }, (_, i) => explore(i < 11 ? i : 10 + (i - 10) * 3)));
    expect(turnFigures(found)).toMatchObject({ turns: 60, first50: { median: 3 }, last50: { median: 3, p99: 3 } });
    expect(found[0]?.ms).toBe(1);
  });

  it('compares the halves after the first summary, and says nothing of too few turns', () => {
    const ms = [...Array<number>(10).fill(99), ...Array<number>(40).fill(2), ...Array<number>(40).fill(3)];
    expect(growthAfterCompaction(turns(ms, [9]))).toEqual({ firstCompaction: 10, earlyMs: 2, lateMs: 3, ratio: 1.5 });
    expect(growthAfterCompaction(turns(ms.slice(0, 59), [9]))).toBeNull();
    expect(growthAfterCompaction(turns(ms))).toBeNull();
  });

  it('says of each aim whether it was met, missed or not measured', () => {
    const growth = { firstCompaction: 60, earlyMs: 4, lateMs: 4.2, ratio: 1.05 };
    const longest = { turns: 1000, wallPerTurn: 5.8, storedRatio: 1.2, growth };
    expect(judgeAims({ longest, many: { runsPerSecond: 20 } }).map(({ met }) => met)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    const short = { ...longest, turns: 20, growth: null };
    expect(judgeAims({ longest: short }).map(({ met }) => met)).toEqual([null, null, true, null]);
  });

  it('sees a subject without run, inbox or number', () => {
    const run = '01a22cc2-f1bd-7690-ab45-3db1a2db27ca';
    expect(subjectShape(`waymark.facts.v1.runtime.${run}.RunEnded`)).toBe('waymark.facts.v1.runtime.*.RunEnded');
    expect(subjectShape('_INBOX.ABCDEF.1')).toBe('_INBOX (replies)');
    expect(subjectShape('$JS.ACK.WAYMARK_WORK.runtime-run.1.2.3.4.5')).toBe('$JS.ACK.WAYMARK_WORK.runtime-run');
  });

  it('has documents in which no turn reads what an earlier one read', () => {
    const read = benchCorpus(100).flatMap(({ bytes }) =>
      Array.from({ length: 100 }, (_, i) => bytes.subarray(i * 4096, (i + 1) * 4096).toString()),
    );
    expect(new Set(read).size).toBe(200);
    expect(read.every((text) => text.length === 4096)).toBe(true);
    expect(newContent(100)).toBe(100 * 8492 + 2048);
  });

  (process.platform === 'linux' ? it : it.skip)('counts the CPU time of a child that has ended', () => {
    const before = cpuMs(process.pid);
    spawnSync(process.execPath, ['-e', 'const end = Date.now() + 300; while (Date.now() < end);']);
    expect(cpuMs(process.pid) - before).toBeGreaterThan(60);
  });
});
