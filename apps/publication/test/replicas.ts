/** Two replicas of the service on a database of their own, and a bus to ask them with. */
import { Bus, ensureStreams, silent, type CallResult } from '@waymark/messaging';
import { migrate } from '@waymark/persistence';
import { bootService, type Service } from '@waymark/service';
import { createLogger } from '@waymark/telemetry';
import { createDatabase, sharedServers, type Database, type NatsServer } from '@waymark/testing';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';
import { PublicationModule } from '../src/publication.module.js';

export interface Replicas {
  readonly bus: Bus;
  readonly nats: NatsServer;
  readonly database: Database;
  readonly services: readonly Service[];
  stop(): Promise<void>;
}

export async function startReplicas(count = 2): Promise<Replicas> {
  const { postgres, nats } = await sharedServers();
  const database = await createDatabase(postgres, 'publication', {
    migrate: async (url) => void (await migrate({ url, name: 'migrate', migrations: MIGRATIONS, log: silent })),
  });
  const bus = await Bus.connect({ servers: nats.url, name: 'publication-test', log: silent });
  await ensureStreams(bus.nc); // the owner of the streams is not here
  const services = await Promise.all(Array.from({ length: count }, () => startOne(nats, database)));
  return {
    bus,
    nats,
    database,
    services,
    async stop(): Promise<void> {
      await bus.close();
      await Promise.all(services.map((service) => service.stop()));
      await database.drop();
    },
  };
}

async function startOne(nats: NatsServer, database: Database): Promise<Service> {
  const service = await bootService({
    name: 'publication',
    module: PublicationModule,
    config: { natsUrl: nats.url, databaseUrl: database.url, dbPool: 8, healthPort: 0, drainMs: 5_000 },
    logger: createLogger('publication', { level: 'silent' }),
    migrations: MIGRATIONS,
    handleSignals: false,
  });
  if (!service) throw new Error('the service was told to end');
  return service;
}

/** The reply; a failure of any kind fails the test. */
export function value<T>(result: CallResult<T>): T {
  if (!result.ok) throw new Error(`${result.kind}: ${JSON.stringify(result.error)}`);
  return result.value;
}
