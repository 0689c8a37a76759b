import { hostname } from 'node:os';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

export type Logger = PinoLogger;
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRET_KEYS = [
  'password',
  'pass',
  'secret',
  'token',
  'apiKey',
  'api_key',
  'authorization',
  'Authorization',
  'cookie',
  'natsPass',
  'NATS_PASS',
  'databaseUrl',
  'DATABASE_URL',
  'connectionString',
];
// Three levels deep: pino's paths have no "anywhere". Credentials inside URLs are cut out of every string of an error.
const SECRETS = ['', '*.', '*.*.'].flatMap((at) => SECRET_KEYS.map((key) => `${at}${key}`));

export interface LoggerOptions {
  /** Default `info`. */
  level?: LogLevel;
  /** Default stdout. */
  destination?: DestinationStream;
}

/** JSON lines: `time` (RFC 3339), `level` by name, `service`, `msg`, and an error's type, message and stack as `err`. */
export function createLogger(service: string, { level = 'info', destination }: LoggerOptions = {}): Logger {
  return pino(
    {
      level,
      base: { service, pid: process.pid, host: hostname() },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS, censor: '[redacted]' },
      serializers: { err: withoutUrlCredentials },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

function withoutUrlCredentials(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const code = (error as { code?: unknown }).code;
  return { type, ...(code !== undefined && { code }), message: cutCredentials(message), stack: cutCredentials(stack) };
}

/** `scheme://user:pass@host` → `scheme://host`. */
export function cutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)[^\s/]+@/g, '$1');
}
