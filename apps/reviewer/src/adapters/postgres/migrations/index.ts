import type { MigrationClass } from '@waymark/persistence';
import { CreateReviewer1764500000000 } from './1764500000000-create-reviewer.js';

/** Oldest first. */
export const MIGRATIONS: readonly MigrationClass[] = [CreateReviewer1764500000000];
