/**
 * The whole system on private servers: every service as a process of its own, under its own NATS user and database role as
 * deployed, migrated, ready, and gone when told or when we die. Who comes to NATS without credentials is a caller from
 * outside; `nats.access()` may do everything. For the demo, the crash table and the benchmark.
 */
import { startNats, type NatsServer } from '../nats.js';
import { startPostgres, type PostgresServer } from '../postgres.js';
import { startRedis, type RedisServer } from '../redis.js';
import type { RunningServer } from '../server.js';
import { createServiceDatabase } from '../database.js';
import { startProcess, type ServiceProcess } from '../service-process.js';
import { startOwned } from '../owned-process.js';
import { workspaceRoot } from '../workspace-root.js';
import { freePort } from '../free-port.js';
import { join } from 'node:path';
import { jetstreamManager, RetentionPolicy } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { FACTS_STREAM, WORK_STREAM } from '@waymark/contracts/streams';

export const STACK_SERVICES = ['budget', 'publication', 'reminder', 'sources', 'reviewer', 'runtime'] as const;
export type StackService = (typeof STACK_SERVICES)[number];

export interface StackOptions {
  /** Replicas by service; 1 where nothing is said, 0 leaves it out. */
  readonly replicas?: Partial<Record<StackService, number>>;
  /** Environment by service, over the defaults. */
  readonly env?: Partial<Record<StackService | 'practice-model' | 'all', Readonly<Record<string, string>>>>;
  /** Servers that are there already: used, and left as they are at the end. */
  readonly servers?: Pick<Stack, 'postgres' | 'nats' | 'redis'>;
  /** A provider of your own instead of the practice model. */
  readonly model?: {
    readonly api?: 'openai' | 'anthropic';
    readonly url: string;
    readonly name: string;
    readonly key?: string;
  };
  /** File for the practice model's request log. */
  readonly logFile?: string;
  /** fsync off: for tests that kill no server. */
  readonly fast?: boolean;
  /** Further settings of postgresql.conf. */
  readonly postgresSettings?: Readonly<Record<string, string>>;
  /** NATS serves its counters at `nats.monitorUrl`. */
  readonly monitor?: boolean;
  readonly onProgress?: (what: string) => void;
  /** Gives up starting at the next step; everything started so far is stopped before the rejection. */
  readonly signal?: AbortSignal;
}

export interface Stack {
  readonly nats: NatsServer & RunningServer;
  readonly redis: RedisServer & RunningServer;
  readonly postgres: PostgresServer & RunningServer;
  readonly databases: Readonly<Record<StackService, string>>;
  /** Base URL for requests, `http://…/v1`. */
  readonly modelUrl: string;
  /** Where the practice model is controlled and its log is read; null with a provider of your own. */
  readonly practiceUrl: string | null;
  readonly processes: Map<string, ServiceProcess>;
  /** Starts one more replica, or the first of a service that was left out. */
  start(service: StackService, name: string, env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  stop(): Promise<void>;
}

const READY_MS = 120_000;
/** As they are deployed; who comes without credentials is a caller from outside. */
export const DEPLOYED_USERS = { usersFile: join(workspaceRoot(), 'infra/nats/users.conf'), anonymous: 'cli' } as const;

export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const say = (what: string): void => {
    options.signal?.throwIfAborted();
    options.onProgress?.(what);
  };
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
  };
  try {
    say('servers');
    const stoppable = async <T extends RunningServer>(starting: Promise<T>): Promise<T> => {
      const server = await starting;
      closers.push(async () => await server.stop());
      return server;
    };
    const ours = async (): Promise<Pick<Stack, 'postgres' | 'nats' | 'redis'>> => {
      const [postgres, nats, redis] = await allDone([
        stoppable(startPostgres({ fast: options.fast === true, settings: options.postgresSettings })),
        stoppable(startNats({ auth: DEPLOYED_USERS, monitor: options.monitor === true })),
        stoppable(startRedis()),
      ]);
      return { postgres, nats, redis };
    };
    const { postgres, nats, redis } = options.servers ?? (await ours());
    const processes = new Map<string, ServiceProcess>();
    const keep = (name: string, service: ServiceProcess) => {
      processes.set(name, service);
      return service;
    };
    closers.push(async () => await Promise.all([...processes.values()].map(async (p) => await p.stop('SIGKILL'))));

    const databases = {} as Record<StackService, string>;
    for (const service of STACK_SERVICES) databases[service] = (await createServiceDatabase(postgres, service)).url;
    say('databases');
    await allDone(STACK_SERVICES.map(async (service) => await migrateService(service, databases[service])));

    let modelUrl = options.model?.url ?? '';
    let practiceUrl: string | null = null;
    if (!options.model) {
      const port = await freePort();
      practiceUrl = `http://127.0.0.1:${port}`;
      modelUrl = `${practiceUrl}/v1`;
      const env = {
        PORT: String(port),
        ...(options.logFile === undefined ? {} : { LOG_FILE: options.logFile }),
        ...options.env?.['practice-model'],
      };
      say('practice model');
      const ready = async () => (await statusOf(`${practiceUrl ?? ''}/health/ready`)) === 200;
      keep(
        'practice-model',
        await startProcess({
          name: 'practice-model',
          entry: entryOf('practice-model'),
          env,
          readyWhen: ready,
          readyTimeoutMs: READY_MS,
        }),
      );
    }
    const start: Stack['start'] = async (service, name, env = {}) =>
      keep(
        name,
        await startProcess({
          name,
          entry: entryOf(service),
          readyTimeoutMs: READY_MS,
          env: {
            NATS_URL: nats.url,
            NATS_USER: service,
            NATS_PASS: nats.access(service).pass ?? '',
            DATABASE_URL: databases[service],
            LOG_LEVEL: 'warn',
            ...(service === 'runtime' ? { REDIS_URL: redis.url } : {}),
            ...(service === 'runtime' || service === 'reviewer'
              ? {
                  MODEL_API: options.model?.api ?? 'openai',
                  MODEL_URL: modelUrl,
                  MODEL_NAME: options.model?.name ?? 'practice-researcher',
                  MODEL_KEY: options.model ? (options.model.key ?? '') : 'practice',
                }
              : {}),
            ...options.env?.all,
            ...options.env?.[service],
            ...env,
          },
        }),
      );
    if (options.replicas?.runtime === 0) await makeStreams(nats);
    say('services');
    const wanted = STACK_SERVICES.flatMap((service) =>
      Array.from({ length: options.replicas?.[service] ?? 1 }, (_, i) => ({ service, name: `${service}-${i + 1}` })),
    );
    await allDone(wanted.map(async ({ service, name }) => await start(service, name)));
    options.signal?.throwIfAborted();
    return { nats, redis, postgres, databases, modelUrl, practiceUrl, processes, start, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The others wait for runtime, which makes the streams; one that comes later brings these to its settings. */
async function makeStreams(nats: NatsServer): Promise<void> {
  const nc = await connect(nats.access());
  const { streams } = await jetstreamManager(nc);
  await streams.add({ name: FACTS_STREAM.name, subjects: [...FACTS_STREAM.subjects] });
  await streams.add({
    name: WORK_STREAM.name,
    subjects: [...WORK_STREAM.subjects],
    retention: RetentionPolicy.Workqueue,
  });
  await nc.close();
}

/** As Promise.all, but nothing is still starting when it rejects: what started late would be stopped by nobody. */
async function allDone<T extends readonly unknown[]>(work: T): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}

const entryOf = (app: string): string => `apps/${app}/dist/main.js`;

async function migrateService(service: StackService, url: string): Promise<void> {
  const child = await startOwned({
    name: `${service}-migrate`,
    command: process.execPath,
    args: [join(workspaceRoot(), 'apps', service, 'dist/migrate.js')],
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url, LOG_LEVEL: 'warn' },
    cwd: workspaceRoot(),
  });
  const exit = await child.exited;
  if (exit.code !== 0) throw new Error(`${service}-migrate ended with ${JSON.stringify(exit)}:\n${child.output()}`);
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
