import { baseEnv, migrateConfig, readConfig, serviceConfig, type ServiceConfig } from '@waymark/service';
import type { LogLevel } from '@waymark/telemetry';
import { z } from 'zod';

export const SERVICE = 'budget';

export interface BudgetConfig extends ServiceConfig {
  databaseUrl: string;
  logLevel: LogLevel;
  /** Between two looks for due ledgers, give or take a fifth. */
  sweepMs: number;
  /** The owners' lease: what is open past its deadline and this long, the budget settles itself (B15). */
  leaseMs: number;
}

const environment = z.object({
  ...baseEnv,
  SWEEP_MS: z.coerce.number().int().min(10).max(600_000).default(5_000),
  LEASE_MS: z.coerce.number().int().min(0).max(600_000).default(20_000),
});

/** The only reader of the environment. Throws, naming every bad key and its remedy. */
export function readBudgetConfig(env: NodeJS.ProcessEnv = process.env): BudgetConfig {
  const read = readConfig(environment, env);
  const { DATABASE_URL: databaseUrl, LOG_LEVEL: logLevel, SWEEP_MS: sweepMs, LEASE_MS: leaseMs } = read;
  return { ...serviceConfig(read), databaseUrl, logLevel, sweepMs, leaseMs };
}

export const readMigrateConfig = (env: NodeJS.ProcessEnv = process.env) => migrateConfig(env);
