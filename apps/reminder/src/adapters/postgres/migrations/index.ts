import type { MigrationClass } from '@waymark/persistence';
import { CreateReminder1764500000000 } from './1764500000000-create-reminder.js';

/** In order, oldest first. */
export const MIGRATIONS: readonly MigrationClass[] = [CreateReminder1764500000000];
