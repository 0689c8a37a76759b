import { CreateSources1764500000000 } from './create-sources-1764500000000.js';

/** In order, oldest first. */
export const MIGRATIONS = [CreateSources1764500000000] as const;
