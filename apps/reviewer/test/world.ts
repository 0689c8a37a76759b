/** Everything round a reviewer, real: PostgreSQL, NATS with the deployed permissions, budget, publication, model. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { budgetContracts, type BudgetSnapshot } from '@waymark/contracts/budget';
import { POLICIES, type Limits } from '@waymark/contracts/policy';
import { publicationContracts } from '@waymark/contracts/publication';
import { reviewerContracts, type ReviewOrder, type Verdict } from '@waymark/contracts/reviewer';
import { inboxDelivery } from '@waymark/contracts/runtime';
import { WORK, WORK_CONSUMERS } from '@waymark/contracts/streams';
import type { Contract, ReplyOf, RequestOf, WaymarkEvent } from '@waymark/contracts/wire';
import { Bus, consumeWork, ensureStreams, silent, streamPublisher } from '@waymark/messaging';
import { z } from 'zod';
import {
  createDatabase,
  sharedServers,
  startNats,
  startProcess,
  until,
  withClient,
  workspaceRoot,
  type Database,
  type NatsServer,
  type ServiceProcess,
} from '@waymark/testing';
import type { ReviewerConfig } from '../src/config.js';

export const MODEL_KEY = 'reviewer-test-key';
const BENCH = 'practice-bench';

interface LogEntry {
  n: number;
  id: string;
  purpose: string | null;
  sha256: string;
  size: number;
  bytesBase64?: string;
  answeredWith?: string;
  disconnected?: boolean;
}

export interface World {
  readonly bus: Bus;
  readonly nats: NatsServer;
  readonly database: Database;
  readonly verdicts: Map<string, Verdict[]>;
  config(change?: Partial<ReviewerConfig>): ReviewerConfig;
  startReplica(name: string, env?: Record<string, string>): Promise<ServiceProcess>;
  ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>>;
  /** A run with an open budget and a report of these blocks. */
  openRun(texts?: readonly string[], limits?: Partial<Limits>): Promise<string>;
  order(run: string, change?: Partial<ReviewOrder>): ReviewOrder;
  dispatch(order: ReviewOrder): Promise<void>;
  verdictOf(order: ReviewOrder, timeoutMs?: number): Promise<Verdict>;
  budget(run: string): Promise<{ snapshot: BudgetSnapshot; open: readonly unknown[] }>;
  events(run: string): Promise<WaymarkEvent[]>;
  requests(order: ReviewOrder): Promise<LogEntry[]>;
  misbehave(...rules: object[]): Promise<void>;
  sql<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
  readonly publication: ServiceProcess;
  stopBudget(): Promise<void>;
  startBudget(): Promise<void>;
  stop(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-reviewer-'));
  const { postgres } = await sharedServers();
  const nats = await startNats({ auth: { usersFile: join(workspaceRoot(), 'infra/nats/users.conf') } });
  const databaseFor = async (service: string): Promise<Database> =>
    await createDatabase(postgres, service, { migrate: async (url) => await runMigration(service, url) });
  const [database, budgetDb, publicationDb] = await Promise.all(
    ['reviewer', 'budget', 'publication'].map(async (service) => await databaseFor(service)),
  );
  if (!database || !budgetDb || !publicationDb) throw new Error('a database is missing');
  const bus = await Bus.connect({ ...nats.access(), name: 'world', log: silent });
  await ensureStreams(bus.nc); // runtime, their owner, is not here
  const natsEnv = (user: string): Record<string, string> => {
    const { servers, user: name, pass } = nats.access(user);
    return { NATS_URL: servers, NATS_USER: name ?? '', NATS_PASS: pass ?? '' };
  };
  const start = async (service: string, env: Record<string, string>): Promise<ServiceProcess> =>
    await startProcess({ name: service, entry: `apps/${service}/dist/main.js`, env: { LOG_LEVEL: 'warn', ...env } });
  const startBudget = async (): Promise<ServiceProcess> =>
    await start('budget', { ...natsEnv('budget'), DATABASE_URL: budgetDb.url, SWEEP_MS: '60000' });
  const [firstBudget, publication, model] = await Promise.all([
    startBudget(),
    start('publication', { ...natsEnv('publication'), DATABASE_URL: publicationDb.url }),
    startProcess({
      name: 'practice-model',
      entry: 'apps/practice-model/dist/main.js',
      env: { PORT: '0', API_KEY: MODEL_KEY, CONTEXT_BYTES: '60000', LOG_FILE: join(folder, 'requests.jsonl') },
      readyWhen: 'started',
    }),
  ]);
  let budget = firstBudget;
  const modelUrl = await until(() => /"listening":"([^"]+)"/.exec(model.output())?.[1], { what: 'the model' });
  const publish = streamPublisher(bus.nc);
  const verdicts = new Map<string, Verdict[]>();
  const inbox = consumeWork(bus.nc, WORK_CONSUMERS.inbox, {
    schema: z.unknown(),
    room: () => 50,
    handle: (payload) => {
      const delivery = inboxDelivery.parse(payload);
      if (delivery.kind !== 'verdict') return Promise.resolve('ack');
      const { run, review } = delivery.verdict;
      const key = `${run}/${review}`;
      verdicts.set(key, [...(verdicts.get(key) ?? []), delivery.verdict]);
      expect(delivery.key).toBe(`verdict/${review}`);
      return Promise.resolve('ack');
    },
    ackWaitMs: 5_000,
    onError: (error) => console.error(error),
  });
  const ask = async <C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> => {
    const result = await bus.call(contract, request, { timeoutMs: 10_000 });
    if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
    return result.value;
  };
  const timing = { leaseMs: 2_000, heartbeatMs: 300, sweepMs: 300 };
  return {
    ...{ bus, nats, database, verdicts, ask, publication },
    stopBudget: async () => void (await budget.stop()),
    startBudget: async () => void (budget = await startBudget()),
    config: (change = {}) => {
      const { servers, user, pass } = nats.access('reviewer');
      return {
        ...{ natsUrl: servers, natsUser: user, natsPass: pass, databaseUrl: database.url, dbPool: 6, healthPort: 0 },
        ...{ drainMs: 5_000, logLevel: 'silent', modelUrl: `${modelUrl}/v1`, modelKey: MODEL_KEY, room: 16 },
        ...{ modelApi: 'openai' as const, outputCap: undefined },
        ...{ modelName: undefined, ...timing, ...change },
      };
    },
    startReplica: async (name, env = {}) =>
      await startProcess({
        name,
        entry: 'apps/reviewer/dist/main.js',
        env: {
          ...natsEnv('reviewer'),
          ...{ DATABASE_URL: database.url, MODEL_URL: `${modelUrl}/v1`, MODEL_KEY, LOG_LEVEL: 'info' },
          ...{ LEASE_MS: '2000', HEARTBEAT_MS: '300', SWEEP_MS: '300', DB_POOL: '4', DRAIN_MS: '5000', ...env },
        },
      }),
    async openRun(texts = ['The north plant made 40 units.'], limits = {}) {
      const run = randomUUID();
      const all = { ...POLICIES.standard.limits, ...limits };
      await ask(budgetContracts.open, { run, policyVersion: 1, admittedAgeMs: 0, limits: all });
      await ask(publicationContracts.open, {
        ...{ run, question: 'How much?', language: 'en', policyVersion: 1, epoch: 1 },
        revisions: { perBlock: 2, perRun: 8 },
      });
      for (const [i, text] of texts.entries()) {
        await ask(publicationContracts.writeBlock, {
          ...{ run, epoch: 1, key: `${run}/${i}`, block: `block-${i}`, expectVersion: 0, title: `Block ${i}`, text },
          ...{ citations: [], reason: null },
        });
      }
      return run;
    },
    order: (run, change = {}) => ({
      ...{ review: `${run}.1`, run, question: 'How much did each plant make?', language: 'en', model: BENCH },
      ...{ focus: null, policyVersion: 1, epoch: 1, deadlineMs: 30_000, hardLimitBytes: 200_000 },
      deadlines: { firstContentMs: 20_000, progressMs: 20_000, totalMs: 20_000 },
      ...change,
    }),
    async dispatch(order) {
      await publish({
        subject: WORK.review,
        msgId: `review/${order.review}/${randomUUID()}`,
        body: Buffer.from(JSON.stringify(order)),
      });
    },
    verdictOf: async ({ run, review }, timeoutMs = 60_000) =>
      await until(() => verdicts.get(`${run}/${review}`)?.[0], { what: `the verdict of ${review}`, timeoutMs }),
    budget: async (run) => await ask(budgetContracts.snapshot, { run }),
    events: async (run) => (await ask(reviewerContracts.listEvents, { run })).events,
    async requests({ review }) {
      const reply = await fetch(`${modelUrl}/log?after=0&limit=1000`);
      const { entries } = (await reply.json()) as { entries: LogEntry[] };
      return entries.filter(({ id }) => id.startsWith(`${review}/`));
    },
    async misbehave(...rules) {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ rules });
      const reply = await fetch(`${modelUrl}/control/faults`, { method: 'POST', headers, body });
      expect(reply.ok).toBe(true);
    },
    sql: async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
      await withClient(database.url, async (client) => (await client.query<T>(text, values)).rows),
    async stop() {
      await inbox.stop();
      await bus.close();
      await Promise.all([budget, publication, model].map(async (one) => await one.stop()));
      await nats.stop();
      await Promise.all([database, budgetDb, publicationDb].map(async (one) => await one.drop()));
      await rm(folder, { recursive: true });
    },
  };
}

async function runMigration(service: string, url: string): Promise<void> {
  const job = await startProcess({
    name: `${service}-migrate`,
    entry: `apps/${service}/dist/migrate.js`,
    env: { DATABASE_URL: url },
    readyWhen: 'started',
  });
  const { code } = await job.exited;
  if (code !== 0) throw new Error(`${service} did not migrate:\n${job.output()}`);
}
