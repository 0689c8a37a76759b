/**
 * The life of a service process.
 *
 * 1. Health answers from the first moment; readiness says what is waited for.
 * 2. A missing PostgreSQL, migration or NATS is waited for, never a reason to die.
 * 3. SIGTERM or SIGINT: not ready → `onDrain` → requests in flight finish → outbox → NATS → PostgreSQL → exit 0. After
 *    `drainMs`, or at a second signal, the process ends at once with code 1.
 * 4. What keeps it from starting at all (its health port is taken) is one line of the log and exit code 1.
 */
import 'reflect-metadata';
import { Module, type DynamicModule, type INestMicroservice, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { STREAMS_OWNER } from '@waymark/contracts/streams';
import { Bus, ensureStreams, findStreams, keepStreams, WaymarkServer } from '@waymark/messaging';
import { Db, OutboxRelay, type MigrationClass } from '@waymark/persistence';
import { nestLogger, type Logger } from '@waymark/telemetry';
import { Health, type Check } from './health.js';
import { PlatformModule } from './platform-module.js';
import type { ServiceConfig } from './read-config.js';

export interface BootOptions {
  /** Queue group, client name and log name. */
  name: string;
  module: Type<unknown> | DynamicModule;
  config: ServiceConfig;
  logger: Logger;
  /** With `config.databaseUrl`: a `Db` is opened once the newest of them is applied. */
  migrations?: readonly MigrationClass[];
  /** Relay the outbox table (the database has one); default: whenever there is a database. */
  outbox?: boolean;
  /** Beside `postgres` and `nats`. */
  checks?: Readonly<Record<string, Check>> | ((app: INestMicroservice) => Readonly<Record<string, Check>>);
  /** Everything is there and requests are served: start loops and sweeps. */
  onReady?: (app: INestMicroservice) => Promise<void> | void;
  /** Take no more work and hand over what is held, well within `drainMs`. Requests in flight may still use everything. */
  onDrain?: (app: INestMicroservice) => Promise<void> | void;
  /** End on SIGTERM and SIGINT; default true. Tests that run a service in their own process say false. */
  handleSignals?: boolean;
}

export interface Service {
  app: INestMicroservice;
  healthPort: number;
  /** The orderly end, without exiting the process. Safe to repeat. */
  stop(): Promise<void>;
}

/** Resolves when the service is ready; `undefined` when it was told to end before that. */
export async function bootService(options: BootOptions): Promise<Service | undefined> {
  if (options.handleSignals === false) return await boot(options);
  try {
    return await boot(options);
  } catch (error) {
    options.logger.error({ err: error }, `${options.name} cannot start`);
    process.exit(1);
  }
}

async function boot(options: BootOptions): Promise<Service | undefined> {
  const { name, config, logger } = options;
  const health = new Health();
  const ending = new AbortController();
  const closers: { what: string; close: () => Promise<void> | void }[] = [];
  const stop = once(async () => {
    health.draining();
    ending.abort();
    for (const { what, close } of closers.reverse()) {
      try {
        await close();
      } catch (error) {
        logger.error({ err: error }, `could not close ${what} in order`);
      }
    }
    await health.close();
  });
  if (options.handleSignals !== false) handleSignals(stop, config.drainMs, logger);

  const healthPort = await health.listen(config.healthPort);
  logger.info({ healthPort }, `${name} starts`);
  try {
    const [bus, db] = await dependencies(options, health, ending.signal, closers);
    const relay = db !== undefined && options.outbox !== false ? new OutboxRelay({ db, bus, log: logger }) : undefined;
    if (relay !== undefined) {
      relay.start();
      closers.push({ what: 'the outbox relay', close: () => relay.stop() });
    }
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(
      rootOf(options.module, PlatformModule.of({ logger, bus, db, relay })),
      {
        strategy: new WaymarkServer({ bus, queue: name, log: logger }),
        logger: nestLogger(logger),
        abortOnError: false,
      },
    );
    closers.push({ what: 'the application', close: () => app.close() });
    await app.listen();
    closers.push({ what: 'the work', close: () => options.onDrain?.(app) });
    const checks = typeof options.checks === 'function' ? options.checks(app) : (options.checks ?? {});
    for (const [what, check] of Object.entries(checks)) health.set(what, check);
    ending.signal.throwIfAborted();
    await options.onReady?.(app);
    ending.signal.throwIfAborted();
    health.started();
    logger.info({ healthPort }, `${name} is ready`);
    return { app, healthPort, stop };
  } catch (error) {
    const told = ending.signal.aborted;
    await stop();
    if (told) return undefined;
    throw error;
  }
}

type Closers = { what: string; close: () => Promise<void> | void }[];

/** NATS with its streams, and the database if there is one, waited for side by side. */
async function dependencies(
  { name, config, logger, migrations = [] }: BootOptions,
  health: Health,
  signal: AbortSignal,
  closers: Closers,
): Promise<[Bus, Db | undefined]> {
  const waitFor = (what: string) => {
    let reason = 'connecting';
    health.set(what, () => Promise.resolve(reason));
    return (now: string): void => void (reason = now);
  };
  const openBus = async (): Promise<Bus> => {
    const { natsUrl, natsUser, natsPass } = config;
    const onWait = waitFor('nats');
    const bus = await Bus.connect({
      servers: natsUrl,
      name,
      user: natsUser,
      pass: natsPass,
      log: logger,
      onWait,
      signal,
    });
    closers.push({ what: 'NATS', close: () => bus.close() });
    await waitForStreams(name, bus, logger, onWait, signal);
    if (name === STREAMS_OWNER) {
      const onMade = (streams: readonly string[]): void => logger.error({ streams }, 'streams were lost: made again');
      const onError = (err: unknown): void => logger.warn({ err }, 'the streams cannot be looked after');
      closers.push({ what: 'the streams', close: keepStreams(bus.nc, { onMade, onError }) });
    }
    health.set('nats', () => Promise.resolve(bus.state()));
    return bus;
  };
  const openDb = async (url: string): Promise<Db> => {
    const { dbPool } = config;
    const onWait = waitFor('postgres');
    const db = await Db.open({ url, name, migrations, poolSize: dbPool, log: logger, onWait, signal });
    closers.unshift({ what: 'PostgreSQL', close: () => db.close() }); // after everything that may still write
    health.set('postgres', () => db.ping());
    return db;
  };
  const { databaseUrl } = config;
  return await Promise.all([openBus(), databaseUrl === undefined ? undefined : openDb(databaseUrl)]);
}

const RETRY_MS = 1_000;

/** JetStream may come up after its server, or be granted later; the streams have one owner, and the others wait for it. */
async function waitForStreams(
  name: string,
  bus: Bus,
  logger: Logger,
  onWait: (reason: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return name === STREAMS_OWNER ? await ensureStreams(bus.nc) : await findStreams(bus.nc);
    } catch (error) {
      const reason = `waiting for JetStream: ${error instanceof Error ? error.message : String(error)}`;
      onWait(reason);
      logger.warn({}, reason);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function rootOf(module: Type<unknown> | DynamicModule, platform: DynamicModule): Type<unknown> {
  class Root {}
  Module({ imports: [platform, module] })(Root);
  return Root;
}

function handleSignals(stop: () => Promise<void>, drainMs: number, logger: Logger): void {
  let signals = 0;
  const end = (signal: NodeJS.Signals): void => {
    signals += 1;
    if (signals > 1) {
      logger.warn({ signal }, 'told twice: ending at once');
      process.exit(1);
    }
    logger.info({ signal, drainMs }, 'draining');
    setTimeout(() => {
      logger.error({ drainMs }, 'not drained in time: ending at once');
      process.exit(1);
    }, drainMs).unref();
    void stop().then(() => {
      logger.info({}, 'ended');
      process.exit(0);
    });
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
