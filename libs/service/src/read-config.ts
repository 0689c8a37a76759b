/**
 * Configuration from the environment.
 *
 * 1. It fails at boot, naming each key and its remedy, never a value.
 * 2. `KEY_FILE` names a file that holds the value of KEY, for secrets; KEY itself wins.
 * 3. One line break at the end of a value is none of it: secrets are often made from files. An empty value is no value.
 * 4. What this process itself lacks ends it: one line a problem on standard error, exit code 1, no stack.
 */
import { readFileSync, writeSync } from 'node:fs';
import { LOG_LEVELS, type LogLevel } from '@waymark/telemetry';
import { z } from 'zod';
import { nodeProblem } from './node-version.js';

type Environment = Readonly<Record<string, string | undefined>>;

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

/** What the database's client can take apart: a stray `%` in a password or a port past 65535 would end it with a stack. */
function isAddress(text: string): boolean {
  try {
    const { username, password, pathname } = new URL(text);
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

const NOT_READABLE = 'no address can be read from it; expected host or host:port after the //';
/** Whether host and port can be read: `nats://[bad` looks like an address and is none. */
const hasHost = (text: string): boolean => !text.includes('://') || URL.canParse(text.replace(/^(nats|tls):/, 'http:'));

/** Keys of every service: `z.object({ ...baseEnv, MY_KEY: … })`. Times in milliseconds. */
export const baseEnv = {
  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/[^@\s]+$/, 'expected nats://host:port; user and password apart')
    .refine(hasHost, NOT_READABLE),
  NATS_USER: z.string().optional(),
  NATS_PASS: z.string().optional(),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected postgres://user:password@host:port/database')
    .refine(
      isAddress,
      'no address can be read from it; signs such as % / @ in a user or password stand there as %25 %2F %40',
    ),
  /** Connections of one process. */
  DB_POOL: whole(2, 200).default(10),
  /** 0: any free port. */
  HEALTH_PORT: whole(0, 65_535).default(8080),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  /** From SIGTERM to the end at the latest. */
  DRAIN_MS: whole(0, 600_000).default(20_000),
} as const;

export type BaseEnv = z.output<z.ZodObject<typeof baseEnv>>;

/** What {@link bootService} needs. */
export interface ServiceConfig {
  natsUrl: string;
  natsUser?: string;
  natsPass?: string;
  databaseUrl?: string;
  dbPool?: number;
  healthPort: number;
  drainMs: number;
}

/** The common part of a service's configuration. */
export function serviceConfig(
  env: Omit<BaseEnv, 'DATABASE_URL' | 'LOG_LEVEL'> & { DATABASE_URL?: string },
): ServiceConfig {
  return {
    natsUrl: env.NATS_URL,
    natsUser: env.NATS_USER,
    natsPass: env.NATS_PASS,
    databaseUrl: env.DATABASE_URL,
    dbPool: env.DB_POOL,
    healthPort: env.HEALTH_PORT,
    drainMs: env.DRAIN_MS,
  };
}

/** A holder renews its lease in time even when one heartbeat is lost: else every owner loses its runs to the next. */
export const beatsInTime = ({ LEASE_MS, HEARTBEAT_MS }: { LEASE_MS: number; HEARTBEAT_MS: number }): boolean =>
  2 * HEARTBEAT_MS <= LEASE_MS;
/** How {@link beatsInTime} is refused. */
export const BEAT_IN_TIME = { path: ['HEARTBEAT_MS'], message: 'expected at most half of LEASE_MS' };

/** What a migrate job needs; it speaks to no NATS. */
export function migrateConfig(env: Environment): { databaseUrl: string; logLevel: LogLevel } {
  const { DATABASE_URL, LOG_LEVEL } = baseEnv;
  const read = readConfig(z.object({ DATABASE_URL, LOG_LEVEL }), env);
  return { databaseUrl: read.DATABASE_URL, logLevel: read.LOG_LEVEL };
}

/** Its message is for the operator and bears no value. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.stack = `${this.name}: ${this.message}`; // the place in our code helps nobody
  }
}

/**
 * Reads the keys of `schema`; others are left alone. Throws a {@link ConfigError} that names all problems at once; when
 * `env` is `process.env`, the process ends instead (4), also when its Node is too old.
 */
export function readConfig<S extends z.ZodObject>(schema: S, env: Environment): z.output<S> {
  // eslint-disable-next-line waymark/environment-in-config -- which environment it is, not what stands in it
  if (env !== process.env) return readKeys(schema, env);
  try {
    const outdated = nodeProblem(process.versions.node);
    if (outdated !== undefined) throw new ConfigError([outdated]);
    return readKeys(schema, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    writeSync(process.stderr.fd, error.problems.map((problem) => `${problem}\n`).join(''));
    process.exit(1);
  }
}

function readKeys<S extends z.ZodObject>(schema: S, env: Environment): z.output<S> {
  const problems: string[] = [];
  const given: Record<string, string> = {};
  for (const key of Object.keys(schema.shape)) {
    const value = valueOf(key, env, problems);
    if (value !== undefined) given[key] = value;
  }
  for (const [one, other] of PAIRS) {
    if (one in schema.shape && given[one] !== undefined && given[other] === undefined && !env[`${other}_FILE`])
      problems.push(`${one}: set without ${other}; set both or none`);
  }
  const result = schema.safeParse(given);
  if (!result.success) problems.push(...result.error.issues.map((issue) => describe(issue, given)));
  if (problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return result.data as z.output<S>;
}

/** A user without a password, or the reverse, would be refused by NATS later, in words that do not name the key. */
const PAIRS = [
  ['NATS_USER', 'NATS_PASS'],
  ['NATS_PASS', 'NATS_USER'],
] as const;

function valueOf(key: string, env: Environment, problems: string[]): string | undefined {
  const value = withoutLineBreak(env[key] ?? '');
  if (value !== '') return value;
  const file = env[`${key}_FILE`];
  if (!file) return undefined;
  try {
    return withoutLineBreak(readFileSync(file, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    problems.push(`${key}_FILE: the file cannot be read (${code}); name a file that this process may read`);
    return undefined;
  }
}

const withoutLineBreak = (value: string): string => value.replace(/\r?\n$/, '');

function describe(issue: z.core.$ZodIssue, given: Record<string, string>): string {
  const key = String(issue.path[0] ?? 'environment');
  if (issue.path.length === 1 && given[key] === undefined && issue.code !== 'custom')
    return `${key}: missing; set ${key} or ${key}_FILE`;
  switch (issue.code) {
    case 'invalid_type':
      return `${key}: not a ${issue.expected === 'int' ? 'whole number' : issue.expected}; set one`;
    case 'invalid_value':
      return `${key}: not known; set one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${key}: too small; set at least ${String(issue.minimum)}`;
    case 'too_big':
      return `${key}: too large; set at most ${String(issue.maximum)}`;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return `${key}: not valid; ${issue.message}`;
  }
  return issue satisfies never;
}
