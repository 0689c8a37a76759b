import { bootBudget } from './boot.js';
import { readBudgetConfig } from './config.js';

await bootBudget(readBudgetConfig());
