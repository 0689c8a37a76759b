import { baseEnv, migrateConfig, readConfig, serviceConfig, type ServiceConfig } from '@waymark/service';
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

export const readMigrateConfig = (env: NodeJS.ProcessEnv = process.env) => migrateConfig(env);
