import { bootService } from '@waymark/service';
import { createLogger } from '@waymark/telemetry';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { readPublicationConfig, SERVICE } from './config.js';
import { PublicationModule } from './publication.module.js';

const config = readPublicationConfig();
const logger = createLogger(SERVICE, { level: config.logLevel });
await bootService({ name: SERVICE, module: PublicationModule, config, logger, migrations: MIGRATIONS });
