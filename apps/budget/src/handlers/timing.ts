import { Inject } from '@nestjs/common';

/** Milliseconds between sweeps, and the length of the owners' lease. */
export interface Timing {
  readonly sweepMs: number;
  readonly leaseMs: number;
}

export const TIMING = Symbol('budget timing');

export const InjectTiming = (): ReturnType<typeof Inject> => Inject(TIMING);
