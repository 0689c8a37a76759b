import { Runs1764500000000 } from './1764500000000-runs.js';

/** Oldest first. */
export const MIGRATIONS = [Runs1764500000000] as const;
