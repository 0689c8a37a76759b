import v8 from 'node:v8';
import { startNats, type NatsAccess, type NatsServer } from './nats.js';
import { startPostgres, type PostgresServer } from './postgres.js';
import { startRedis, type RedisServer } from './redis.js';
import type { Server } from './server.js';

/** One private server of each kind, for all test files of this process. Tests share them by names of their own. */
export interface SharedServers {
  postgres: PostgresServer;
  nats: NatsServer;
  redis: RedisServer;
}

type Addresses = Record<keyof SharedServers, Server>;

// Jest gives every test file its own modules and its own `globalThis`; only Node's built-in modules are the same objects
// in all of them. So the addresses hang on one of these: as plain data, because a function of a finished file is dead.
const HOME = v8 as unknown as Record<symbol, string | undefined>;
const KEY = Symbol.for('waymark.shared-servers');

let starting: Promise<SharedServers> | undefined;

/**
 * The shared servers of this process, started at the first call (PostgreSQL with `fsync` off) and ended by their
 * watchdogs when the process ends. Do not stop them; a test that breaks a server starts its own.
 */
export function sharedServers(): Promise<SharedServers> {
  starting ??= findOrStart();
  return starting;
}

async function findOrStart(): Promise<SharedServers> {
  const known = HOME[KEY];
  if (known !== undefined) return fromAddresses(JSON.parse(known) as Addresses);
  const [postgres, nats, redis] = await Promise.all([startPostgres({ fast: true }), startNats(), startRedis()]);
  const addresses: Addresses = { postgres: plain(postgres), nats: plain(nats), redis: plain(redis) };
  HOME[KEY] = JSON.stringify(addresses);
  return fromAddresses(addresses);
}

function plain({ name, host, port, pid, url }: Server): Server {
  return { name, host, port, pid, url };
}

function fromAddresses({ postgres, nats, redis }: Addresses): SharedServers {
  const access = (user?: string): NatsAccess => {
    if (user === undefined) return { servers: nats.url };
    throw new Error(`the shared NATS server knows no users ("${user}"): start your own with startNats({ auth })`);
  };
  return { postgres, redis, nats: { ...nats, access } };
}
