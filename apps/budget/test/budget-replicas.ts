import { budgetContracts, type BudgetFact } from '@waymark/contracts/budget';
import { POLICIES, type Limits } from '@waymark/contracts/policy';
import type { Contract, ReplyOf, RequestOf } from '@waymark/contracts/wire';
import { Bus, ensureStreams } from '@waymark/messaging';
import { migrate } from '@waymark/persistence';
import type { Service } from '@waymark/service';
import { createDatabase, sharedServers, startNats, withClient, type PostgresServer } from '@waymark/testing';
import { randomUUID } from 'node:crypto';
import { decodeFacts } from '../src/adapters/postgres/fact-codec.js';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';
import { bootBudget } from '../src/boot.js';
import type { BudgetConfig } from '../src/config.js';

export interface BudgetReplicas {
  readonly bus: Bus;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly services: Service[];
  /** Asks and returns the reply; throws on a coded error. */
  ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>>;
  /** Opens the budget of a new run and returns its id. */
  openRun(limits?: Partial<Limits>, admittedAgeMs?: number): Promise<string>;
  sql<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
  storedFacts(run: string): Promise<BudgetFact[]>;
  stop(): Promise<void>;
}

export const FAR = 600_000;

/** Replicas of the budget on real servers: a NATS of their own, and a database of their own on `postgres`. */
export async function startReplicas(
  count: number,
  { sweepMs = FAR, leaseMs = 20_000, postgres }: Partial<BudgetConfig> & { postgres?: PostgresServer } = {},
): Promise<BudgetReplicas> {
  const server = postgres ?? (await sharedServers()).postgres;
  const database = await createDatabase(server, 'budget', {
    migrate: async (url) => void (await migrate({ url, name: 'budget-migrate', migrations: MIGRATIONS })),
  });
  const nats = await startNats();
  const bus = await Bus.connect({ servers: nats.url, name: 'budget-test' });
  await ensureStreams(bus.nc); // the owner of the streams is not here
  const config: BudgetConfig = {
    natsUrl: nats.url,
    databaseUrl: database.url,
    dbPool: 8,
    healthPort: 0,
    drainMs: 5_000,
    logLevel: 'silent',
    sweepMs,
    leaseMs,
  };
  const booted = await Promise.all(Array.from({ length: count }, () => bootBudget(config, { handleSignals: false })));
  const services = booted.filter((service) => service !== undefined);
  const sql = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
    await withClient(database.url, async (client) => (await client.query<T>(text, values)).rows);
  const ask = async <C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> => {
    const result = await bus.call(contract, request, { timeoutMs: 10_000 });
    if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
    return result.value;
  };
  return {
    ...{ bus, services, databaseUrl: database.url, natsUrl: nats.url, sql, ask },
    async openRun(limits = {}, admittedAgeMs = 0) {
      const run = randomUUID();
      await ask(budgetContracts.open, {
        ...{ run, policyVersion: 1, admittedAgeMs },
        limits: { ...POLICIES.standard.limits, ...limits },
      });
      return run;
    },
    async storedFacts(run) {
      const rows = await sql<{ seq: number; body: Buffer }>(
        'SELECT seq, body FROM fact WHERE run_id = $1 ORDER BY seq',
        [run],
      );
      return rows.flatMap(({ seq, body }) => [...decodeFacts(body, seq).facts]);
    },
    async stop() {
      await Promise.all(services.map((service) => service.stop()));
      await bus.close();
      await nats.stop();
      await database.drop();
    },
  };
}
