import { baseEnv, migrateConfig, readConfig, serviceConfig, type ServiceConfig } from '@waymark/service';
import type { LogLevel } from '@waymark/telemetry';
import { z } from 'zod';

export const SERVICE = 'sources';

const MIB = 1024 * 1024;
const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

export interface SourcesConfig extends ServiceConfig {
  readonly databaseUrl: string;
  readonly logLevel: LogLevel;
  /** Larger files are listed as `too_large`. */
  readonly maxDocumentBytes: number;
  /** Texts kept in memory for range reads. */
  readonly readCacheBytes: number;
  readonly parse: {
    /** Files parsed at once by this replica. */
    readonly lanes: number;
    /** After so long without a sign of its replica a file is free for others. */
    readonly claimMs: number;
    readonly cpuMs: number;
    readonly wallMs: number;
    readonly memoryBytes: number;
    readonly maxTextBytes: number;
  };
}

const environment = z.object({
  ...baseEnv,
  MAX_DOCUMENT_MIB: whole(1, 200).default(25),
  READ_CACHE_MIB: whole(1, 4096).default(32),
  PARSE_LANES: whole(0, 16).default(1),
  PARSE_CLAIM_MS: whole(500, 600_000).default(30_000),
  PARSE_CPU_MS: whole(500, 600_000).default(30_000),
  PARSE_WALL_MS: whole(500, 3_600_000).default(90_000),
  PARSE_MEMORY_MIB: whole(128, 8192).default(768),
  PARSE_TEXT_MIB: whole(1, 200).default(32),
});

/** The only reader of the environment. Throws, naming every bad key and its remedy. */
export function readSourcesConfig(env: NodeJS.ProcessEnv = process.env): SourcesConfig {
  const read = readConfig(environment, env);
  return {
    ...serviceConfig(read),
    databaseUrl: read.DATABASE_URL,
    logLevel: read.LOG_LEVEL,
    maxDocumentBytes: read.MAX_DOCUMENT_MIB * MIB,
    readCacheBytes: read.READ_CACHE_MIB * MIB,
    parse: {
      lanes: read.PARSE_LANES,
      claimMs: read.PARSE_CLAIM_MS,
      cpuMs: read.PARSE_CPU_MS,
      wallMs: read.PARSE_WALL_MS,
      memoryBytes: read.PARSE_MEMORY_MIB * MIB,
      maxTextBytes: read.PARSE_TEXT_MIB * MIB,
    },
  };
}

export const readMigrateConfig = (env: NodeJS.ProcessEnv = process.env) => migrateConfig(env);
