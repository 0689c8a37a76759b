/**
 * How a measurement becomes a stage.
 *
 * 1. A stage is reached at its point, not after it: 20 of 40 is 50 %.
 * 2. Only the highest stage counts (R3); 0 means that none is reached.
 * 3. A measurement has fallen when it is below its stage and below that stage's point less the margin (R3).
 */
export interface Scale {
  /** Smallest value that reaches a stage. */
  readonly first: number;
  reached(value: number): number;
  hasFallen(stage: number, value: number): boolean;
}

/** Percent of a limit; a limit of 0 is reached from the start (0 means 0). `percent` ascends. */
export function percentScale(percent: readonly number[], margin: number, limit: number): Scale {
  const point = (stage: number): number => (stage * limit) / 100;
  const reached = (value: number): number => percent.findLast((stage) => value >= point(stage)) ?? 0;
  return {
    first: point(percent[0] ?? Infinity),
    reached,
    hasFallen: (stage, value) => reached(value) < stage && value < point(stage - margin),
  };
}

/** For what stands from the first request on, whatever its share. */
export function fromTheStart(scale: Scale): Scale {
  return { ...scale, first: 0, reached: (value) => Math.max(1, scale.reached(value)) };
}

/** Stages far above any run; keeps a tiny period from overflowing. */
const MOST_PERIODS = 1_000_000;

/** Stage n at n whole periods. */
export function periodScale(period: number, margin: number): Scale {
  const reached = (value: number): number => Math.min(MOST_PERIODS, Math.floor(value / period));
  return {
    first: period,
    reached,
    hasFallen: (stage, value) => reached(value) < stage && value < (stage - margin / 100) * period,
  };
}

/** Stages 1, 2, 4, 8 …: said again only when the number has doubled. */
export function doublingScale(margin: number): Scale {
  const reached = (value: number): number => (value < 1 ? 0 : 2 ** (31 - Math.clz32(value)));
  return {
    first: 1,
    reached,
    hasFallen: (stage, value) => reached(value) < stage && value < stage * (1 - margin / 100),
  };
}
