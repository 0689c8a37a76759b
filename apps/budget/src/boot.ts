import { bootService, type Service } from '@waymark/service';
import { createLogger } from '@waymark/telemetry';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { BudgetModule } from './budget.module.js';
import { SERVICE, type BudgetConfig } from './config.js';
import { Sweep } from './handlers/sweep.js';

/** One replica; tests that run it in their own process keep the signals to themselves. */
export async function bootBudget(
  config: BudgetConfig,
  { handleSignals = true }: { handleSignals?: boolean } = {},
): Promise<Service | undefined> {
  return await bootService({
    name: SERVICE,
    module: BudgetModule.of(config),
    config,
    logger: createLogger(SERVICE, { level: config.logLevel }),
    migrations: MIGRATIONS,
    handleSignals,
    onReady: (app) => app.get(Sweep).start(),
    onDrain: (app) => app.get(Sweep).stop(),
  });
}
