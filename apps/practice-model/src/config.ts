import { z } from 'zod';
import { faultPlanSchema } from './adapters/http/fault-plan.schema.js';
import type { FaultRule } from './core/faults/fault-rule.js';

/** Everything the server takes from its environment; nothing else reads it. */
export interface PracticeConfig {
  /** 0 lets the system choose; the port taken is printed at boot. */
  port: number;
  host: string;
  /** JSON lines of every request that arrived; none: digests in memory only. */
  logFile?: string;
  /** false keeps digests and sizes, no bodies. */
  logBodies: boolean;
  /** Milliseconds before the first byte of every answer. */
  latencyMs: number;
  faults: FaultRule[];
  /** When set, `Authorization: Bearer <key>` must match it. */
  apiKey?: string;
  /** Bytes of a request body above which "too long" is answered, as a real context window would. */
  contextBytes: number;
  /** Milliseconds after which a fault that hangs lets go of the connection. */
  faultHoldMs: number;
}

const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

const planFromJson = z.string().transform((text, ctx) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    ctx.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
  const plan = faultPlanSchema.safeParse(value);
  if (plan.success) return plan.data.rules;
  ctx.addIssue({
    code: 'custom',
    message: plan.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; '),
  });
  return z.NEVER;
});

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65535).default(4010),
  HOST: z.string().min(1).default('127.0.0.1'),
  LOG_FILE: z.string().min(1).optional(),
  LOG_BODIES: flag.default(true),
  LATENCY_MS: z.coerce.number().int().min(0).max(600_000).default(0),
  FAULTS: planFromJson.default([]),
  API_KEY: z.string().min(1).optional(),
  CONTEXT_BYTES: z.coerce
    .number()
    .int()
    .min(1)
    .default(16 * 1024 * 1024),
  FAULT_HOLD_MS: z.coerce.number().int().min(1).max(3_600_000).default(900_000),
});

/** Refuses with the names of the wrong keys and what would be right, never with their values. */
export function readConfig(env: Record<string, string | undefined> = process.env): PracticeConfig {
  const parsed = schema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
    throw new Error(`practice-model cannot start. Set these right: ${wrong.join('; ')}`);
  }
  const e = parsed.data;
  return {
    port: e.PORT,
    host: e.HOST,
    logBodies: e.LOG_BODIES,
    latencyMs: e.LATENCY_MS,
    faults: e.FAULTS,
    contextBytes: e.CONTEXT_BYTES,
    faultHoldMs: e.FAULT_HOLD_MS,
    ...(e.LOG_FILE === undefined ? {} : { logFile: e.LOG_FILE }),
    ...(e.API_KEY === undefined ? {} : { apiKey: e.API_KEY }),
  };
}
