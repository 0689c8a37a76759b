import { Runs1764500000000 } from './1764500000000-runs.js';
import { StopReason1764530000000 } from './1764530000000-stop-reason.js';

/** Oldest first. */
export const MIGRATIONS = [Runs1764500000000, StopReason1764530000000] as const;
