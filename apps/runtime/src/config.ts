import { BEAT_IN_TIME, baseEnv, beatsInTime, migrateConfig, readConfig } from '@waymark/service';
import { modelEnv } from '@waymark/model';
import { z } from 'zod';

export const SERVICE = 'runtime';

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const keys = z.object({
  ...baseEnv,
  ...modelEnv,
  /** Hot bodies and provider pacing; without it the runtime is slower and never wrong. */
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'expected redis://host:port')
    .optional(),
  /** Model used when a run names none. */
  MODEL_NAME: z.string().min(1),
  /** The provider's own known output cap in tokens; a request's cap is the smaller one (C9). */
  MODEL_PROVIDER_CAP: whole(1, 10_000_000).optional(),
  /** The model's hard limit in bytes for a whole request; the policy's when unset (C16). */
  MODEL_HARD_LIMIT_BYTES: whole(16_384, 100_000_000).optional(),
  /** Runs that this replica carries at once. */
  MAX_RUNS: whole(1, 10_000).default(200),
  LEASE_MS: whole(1_000, 600_000).default(20_000),
  HEARTBEAT_MS: whole(200, 60_000).default(5_000),
  SWEEP_MS: whole(200, 60_000).default(5_000),
  /** Claims without a new record after which a run is set aside (L15). */
  CLAIMS_WITHOUT_RECORD: whole(1, 100).default(3),
  /** Wait for the budget before the run parks, ms. */
  BUDGET_WAIT_MS: whole(100, 600_000).default(30_000),
  /** One try for the reminder service, ms (R19). */
  COMPOSE_MS: whole(10, 10_000).default(300),
  /** Dies at this step of a turn; heeded in test builds only. */
  FAILPOINT: z.string().optional(),
  NODE_ENV: z.string().optional(),
});
const schema = keys.refine(beatsInTime, BEAT_IN_TIME);

export type RuntimeConfig = z.output<typeof schema>;

/** The only readers of the environment. */
export const readRuntimeConfig = (env: NodeJS.ProcessEnv = process.env): RuntimeConfig => readConfig(schema, env);
export const readMigrateConfig = (env: NodeJS.ProcessEnv = process.env) => migrateConfig(env);
