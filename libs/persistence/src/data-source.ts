import { reasonOf, silent, type Log } from '@waymark/messaging';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, type MigrationInterface } from 'typeorm';
import { typeParsers } from './type-parsers.js';

export type MigrationClass = new () => MigrationInterface;

export interface ConnectDbOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Shown by the server as the application's name. */
  name: string;
  /** In order, oldest first; class names end in their timestamp, as TypeORM wants them. */
  migrations: readonly MigrationClass[];
  /** Connections at most; default 10. */
  poolSize?: number;
  log?: Log;
  /** Told why we still wait, at each try. */
  onWait?: (reason: string) => void;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

const RETRY_MS = 500;

/** Waits for the server, saying why, without credentials. Rejects only when `signal` says so. */
export async function connectDataSource(options: ConnectDbOptions): Promise<DataSource> {
  const wait = waiting(options);
  for (;;) {
    options.signal?.throwIfAborted();
    const dataSource = makeDataSource(options);
    try {
      return await dataSource.initialize();
    } catch (error) {
      await wait(`waiting for PostgreSQL at ${placeOf(options.url)}: ${reasonOf(error)}`);
    }
  }
}

/** Tells a reason (the log only when it is new) and pauses. */
export function waiting({ log = silent, onWait, signal }: ConnectDbOptions): (reason: string) => Promise<void> {
  let told = '';
  return async (reason) => {
    onWait?.(reason);
    if (reason !== told) log.warn({}, reason);
    told = reason;
    await pause(RETRY_MS, undefined, { signal });
  };
}

function makeDataSource({ url, name, migrations, poolSize = 10, log = silent }: ConnectDbOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: name,
    poolSize,
    connectTimeoutMS: 5_000,
    entities: [],
    migrations: [...migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    migrationsRun: false,
    synchronize: false,
    installExtensions: false,
    logging: false,
    poolErrorHandler: (error: Error) => log.warn({ reason: error.message }, 'a database connection broke'),
    extra: { types: typeParsers, keepAlive: true },
  });
}

export const MIGRATIONS_TABLE = 'migrations';

/** Host, port and database, without credentials. */
export function placeOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port || '5432'}${pathname}`;
  } catch {
    return 'an address that is no URL';
  }
}
