import { bootService, type Service } from '@waymark/service';
import type { Logger } from '@waymark/telemetry';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { SERVICE, type ReviewerConfig } from './config.js';
import { Replica } from './review/replica.js';
import { ReviewerModule } from './reviewer.module.js';

/** Of the time to drain, what reviews under way may use before they are handed over. */
const GRACE_SHARE = 0.6;

export async function bootReviewer(
  config: ReviewerConfig,
  logger: Logger,
  options: { handleSignals?: boolean } = {},
): Promise<Service | undefined> {
  return await bootService({
    name: SERVICE,
    module: ReviewerModule.with(config, logger),
    config,
    logger,
    migrations: MIGRATIONS,
    onReady: (app) => app.get(Replica).start(),
    onDrain: async (app) => await app.get(Replica).stop(config.drainMs * GRACE_SHARE),
    ...options,
  });
}
