import type { MigrationClass } from '@waymark/persistence';
import { CreateBudget1764500000000 } from './1764500000000-create-budget.js';

/** Oldest first. */
export const MIGRATIONS: readonly MigrationClass[] = [CreateBudget1764500000000];
