/** Replicas of the service on a database of their own, and a connection to ask them with. */
import { Bus, ensureStreams, silent, type CallResult } from '@waymark/messaging';
import { migrate } from '@waymark/persistence';
import type { Service } from '@waymark/service';
import { createDatabase, startNats, sharedServers, type Database, type NatsServer } from '@waymark/testing';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';
import { bootReminder } from '../src/boot.js';

export interface Replicas {
  readonly bus: Bus;
  readonly nats: NatsServer;
  readonly database: Database;
  readonly services: Service[];
  /** One more, on another address of the same database if given. */
  add(databaseUrl?: string): Promise<Service>;
  stop(): Promise<void>;
}

/** On a NATS server of its own, so that no other facts are counted. */
export async function startReplicas(count = 2): Promise<Replicas> {
  const { postgres } = await sharedServers();
  const nats = await startNats();
  const database = await createDatabase(postgres, 'reminder', {
    migrate: async (url) => void (await migrate({ url, name: 'migrate', migrations: MIGRATIONS, log: silent })),
  });
  const bus = await Bus.connect({ servers: nats.url, name: 'reminder-test', log: silent });
  await ensureStreams(bus.nc); // the owner of the streams is not here
  const services: Service[] = [];
  const add = async (databaseUrl = database.url): Promise<Service> => {
    const service = await bootReminder(
      { natsUrl: nats.url, databaseUrl, dbPool: 4, healthPort: 0, drainMs: 5_000, logLevel: 'silent' },
      { handleSignals: false },
    );
    if (!service) throw new Error('the service was told to end');
    services.push(service);
    return service;
  };
  await Promise.all(Array.from({ length: count }, () => add()));
  return {
    bus,
    nats,
    database,
    services,
    add,
    async stop(): Promise<void> {
      await bus.close();
      await Promise.all(services.map((service) => service.stop()));
      await database.drop();
      await nats.stop();
    },
  };
}

/** The reply; a failure of any kind fails the test. */
export function value<T>(result: CallResult<T>): T {
  if (!result.ok) throw new Error(`${result.kind}: ${JSON.stringify(result.error)}`);
  return result.value;
}
