import { bootService } from '@waymark/service';
import { createLogger } from '@waymark/telemetry';
import { ParseQueue } from './adapters/parse-process/parse-queue.js';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { readSourcesConfig, SERVICE } from './config.js';
import { SourcesModule } from './sources.module.js';

const config = readSourcesConfig();
const logger = createLogger(SERVICE, { level: config.logLevel });
await bootService({
  name: SERVICE,
  module: SourcesModule.of(config, logger),
  config,
  logger,
  migrations: MIGRATIONS,
  outbox: false, // documents belong to no run, so there are no facts of a run to publish
  onReady: (app) => app.get(ParseQueue, { strict: false }).start(),
  onDrain: (app) => app.get(ParseQueue, { strict: false }).stop(),
});
