/** What is aimed at, and whether it was met: pure. */

/** No turn may cost more late than early, within what noise explains. */
const GROWTH = 1.1;
/** At 1,000 turns no slower than dbos in the same workload, ms a turn over the whole run. */
const MS_PER_TURN = 5.7;
/** Bytes stored over bytes of new content. */
const STORED = 1.3;
/** More runs per second than restate: 50 runs of 20 turns, 50 ms of model latency. */
const RUNS_PER_SECOND = 13.5;

/** @typedef {{ aim: string, measured: string, met: boolean | null }} Aim null: not measured */

/**
 * @param {{
 *   longest?: { turns: number, wallPerTurn: number, storedRatio: number, growth: { firstCompaction: number, earlyMs: number, lateMs: number, ratio: number } | null },
 *   many?: { runsPerSecond: number },
 * }} measured the single run of most turns, and the many runs
 * @returns {Aim[]}
 */
export function judgeAims({ longest, many }) {
  const growth = longest?.growth ?? null;
  const atThousand = longest !== undefined && longest.turns >= 1000;
  return [
    {
      aim: `no growth after the first compaction (second half of the turns after it over the first, up to ${GROWTH})`,
      measured:
        growth === null
          ? 'too few turns after a compaction'
          : `${fixed(growth.ratio)} (${fixed(growth.earlyMs)} → ${fixed(growth.lateMs)} ms, after turn ${growth.firstCompaction})`,
      met: growth === null ? null : growth.ratio <= GROWTH,
    },
    {
      aim: `at 1,000 turns up to ${MS_PER_TURN} ms a turn (wall)`,
      measured: longest === undefined ? '-' : `${fixed(longest.wallPerTurn)} ms at ${longest.turns} turns`,
      met: atThousand ? longest.wallPerTurn <= MS_PER_TURN : null,
    },
    {
      aim: `bytes stored under ${STORED} × new content`,
      measured: longest === undefined ? '-' : `${fixed(longest.storedRatio)} at ${longest.turns} turns`,
      met: longest === undefined ? null : longest.storedRatio < STORED,
    },
    {
      aim: `more than ${RUNS_PER_SECOND} runs per second (50 runs × 20 turns, 50 ms of model latency)`,
      measured: many === undefined ? '-' : `${fixed(many.runsPerSecond)} runs per second`,
      met: many === undefined ? null : many.runsPerSecond > RUNS_PER_SECOND,
    },
  ];
}

/** @param {number} value */
const fixed = (value) => value.toFixed(2);
