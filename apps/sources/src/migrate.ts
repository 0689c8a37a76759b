/** The migrate job: brings the database to the newest schema and ends. */
import { migrate } from '@waymark/persistence';
import { createLogger } from '@waymark/telemetry';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { readMigrateConfig, SERVICE } from './config.js';

const { databaseUrl, logLevel } = readMigrateConfig();
const log = createLogger(SERVICE, { level: logLevel });
await migrate({ url: databaseUrl, name: `${SERVICE}-migrate`, migrations: MIGRATIONS, log });
