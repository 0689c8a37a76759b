/** The runtime as a process: handlers on NATS, and one replica's loops beside them. */
import { bootService, serviceConfig, type Service } from '@waymark/service';
import { createLogger } from '@waymark/telemetry';
import { MIGRATIONS } from './adapters/postgres/migrations/index.js';
import { SERVICE, type RuntimeConfig } from './config.js';
import { Replica } from './run/replica.js';
import { RuntimeModule } from './runtime.module.js';

/** Share of the drain time in which runs come to a turn's border; after it they are cut. */
const GRACE_SHARE = 0.6;

export async function bootRuntime(
  config: RuntimeConfig,
  options: { readonly handleSignals?: boolean } = {},
): Promise<Service | undefined> {
  const logger = createLogger(SERVICE, { level: config.LOG_LEVEL });
  return await bootService({
    name: SERVICE,
    module: RuntimeModule.of(config),
    config: serviceConfig(config),
    logger,
    migrations: MIGRATIONS,
    handleSignals: options.handleSignals ?? true,
    onReady: (app) => app.get(Replica, { strict: false }).start(),
    onDrain: async (app) => await app.get(Replica, { strict: false }).stop(config.DRAIN_MS * GRACE_SHARE),
  });
}
