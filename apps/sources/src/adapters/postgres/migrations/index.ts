import { CreateSources1764500000000 } from './create-sources-1764500000000.js';
import { TakeCorporaInTurn1764520000000 } from './take-corpora-in-turn-1764520000000.js';

/** In order, oldest first. */
export const MIGRATIONS = [CreateSources1764500000000, TakeCorporaInTurn1764520000000] as const;
