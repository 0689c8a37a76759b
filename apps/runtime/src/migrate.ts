/** The migrate job: brings the database to the newest schema and ends. */
import { migrate } from '@waymark/persistence';
import { createLogger } from '@waymark/telemetry';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { readMigrateConfig, SERVICE } from './config.js';

const { databaseUrl: url, logLevel: level } = readMigrateConfig();
await migrate({ url, name: `${SERVICE}-migrate`, migrations: MIGRATIONS, log: createLogger(SERVICE, { level }) });
