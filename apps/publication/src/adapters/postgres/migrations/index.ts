import type { MigrationClass } from '@waymark/persistence';
import { CreatePublication1764500000000 } from './1764500000000-create-publication.js';

/** Oldest first. */
export const MIGRATIONS: readonly MigrationClass[] = [CreatePublication1764500000000];
