import { bootReminder } from './boot.js';
import { readReminderConfig } from './config.js';

await bootReminder(readReminderConfig());
