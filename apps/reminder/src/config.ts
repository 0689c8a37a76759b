import { baseEnv, readConfig, serviceConfig, type ServiceConfig } from '@waymark/service';
import type { LogLevel } from '@waymark/telemetry';
import { z } from 'zod';

export const SERVICE = 'reminder';

export interface ReminderConfig extends ServiceConfig {
  databaseUrl: string;
  logLevel: LogLevel;
}

const environment = z.object({ ...baseEnv });

/** The only reader of the environment. Throws, naming every bad key and its remedy. */
export function readReminderConfig(env: NodeJS.ProcessEnv = process.env): ReminderConfig {
  const read = readConfig(environment, env);
  return { ...serviceConfig(read), databaseUrl: read.DATABASE_URL, logLevel: read.LOG_LEVEL };
}

/** What the migrate job needs; it speaks to no NATS. */
export function readMigrateConfig(env: NodeJS.ProcessEnv = process.env): { databaseUrl: string; logLevel: LogLevel } {
  const { DATABASE_URL, LOG_LEVEL } = baseEnv;
  const read = readConfig(z.object({ DATABASE_URL, LOG_LEVEL }), env);
  return { databaseUrl: read.DATABASE_URL, logLevel: read.LOG_LEVEL };
}
