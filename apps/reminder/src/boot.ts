import { bootService, type Service } from '@waymark/service';
import { createLogger } from '@waymark/telemetry';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { SERVICE, type ReminderConfig } from './config.js';
import { ProjectNotices } from './handlers/project-notices.js';
import { ReminderModule } from './reminder.module.js';

/** One replica; tests that run it in their own process keep the signals to themselves. */
export async function bootReminder(
  config: ReminderConfig,
  { handleSignals = true }: { handleSignals?: boolean } = {},
): Promise<Service | undefined> {
  return await bootService({
    name: SERVICE,
    module: ReminderModule,
    config,
    logger: createLogger(SERVICE, { level: config.logLevel }),
    migrations: MIGRATIONS,
    outbox: false, // it publishes no facts
    handleSignals,
    onReady: (app) => app.get(ProjectNotices).start(),
    onDrain: (app) => app.get(ProjectNotices).stop(),
  });
}
