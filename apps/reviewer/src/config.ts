import { modelEnv, type ModelApi } from '@waymark/model';
import {
  BEAT_IN_TIME,
  baseEnv,
  beatsInTime,
  migrateConfig,
  readConfig,
  serviceConfig,
  type ServiceConfig,
} from '@waymark/service';
import type { LogLevel } from '@waymark/telemetry';
import { z } from 'zod';

export const SERVICE = 'reviewer';

export interface ReviewerConfig extends ServiceConfig {
  databaseUrl: string;
  logLevel: LogLevel;
  /** The API that the provider speaks. */
  modelApi: ModelApi;
  /** Up to and with `/v1`. */
  modelUrl: string;
  /** Empty for a provider that wants none. */
  modelKey: string;
  /** Reviews with this model instead of the run's. */
  modelName: string | undefined;
  /** Tokens. */
  outputCap: number | undefined;
  leaseMs: number;
  heartbeatMs: number;
  sweepMs: number;
  room: number;
}

const ms = (least: number, usual: number) => z.coerce.number().int().min(least).max(3_600_000).default(usual);

const keys = z.object({
  ...baseEnv,
  ...modelEnv,
  MODEL_NAME: z.string().min(1).max(200).optional(),
  LEASE_MS: ms(300, 20_000),
  HEARTBEAT_MS: ms(50, 5_000),
  SWEEP_MS: ms(50, 5_000),
  /** Reviews at once in this process. */
  REVIEW_ROOM: z.coerce.number().int().min(1).max(10_000).default(64),
});
const environment = keys.refine(beatsInTime, BEAT_IN_TIME);

/** The only reader of the environment. Throws, naming every bad key and its remedy. */
export function readReviewerConfig(env: NodeJS.ProcessEnv = process.env): ReviewerConfig {
  const read = readConfig(environment, env);
  return {
    ...serviceConfig(read),
    databaseUrl: read.DATABASE_URL,
    logLevel: read.LOG_LEVEL,
    modelApi: read.MODEL_API,
    modelUrl: read.MODEL_URL,
    modelKey: read.MODEL_KEY,
    modelName: read.MODEL_NAME,
    outputCap: read.MODEL_OUTPUT_CAP,
    leaseMs: read.LEASE_MS,
    heartbeatMs: read.HEARTBEAT_MS,
    sweepMs: read.SWEEP_MS,
    room: read.REVIEW_ROOM,
  };
}

export const readMigrateConfig = (env: NodeJS.ProcessEnv = process.env) => migrateConfig(env);
