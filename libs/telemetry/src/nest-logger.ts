import type { Logger } from './logger.js';

// What Nest says about its own start is of use only when its start fails.
const NEST_INTERNALS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'NestMicroservice',
]);

/** Nest's `LoggerService` on ours: `app.useLogger(nestLogger(logger))`. */
export function nestLogger(logger: Logger) {
  const write = (level: 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'trace', message: unknown, rest: unknown[]) => {
    const context = rest.length > 0 ? String(rest.at(-1)) : undefined;
    const quiet = level === 'info' && context !== undefined && NEST_INTERNALS.has(context);
    const fields = message instanceof Error ? { context, err: message } : { context };
    const text =
      message instanceof Error ? message.message : typeof message === 'string' ? message : JSON.stringify(message);
    logger[quiet ? 'debug' : level](fields, text);
  };
  return {
    log: (message: unknown, ...rest: unknown[]): void => write('info', message, rest),
    error: (message: unknown, ...rest: unknown[]): void => write('error', message, rest),
    warn: (message: unknown, ...rest: unknown[]): void => write('warn', message, rest),
    debug: (message: unknown, ...rest: unknown[]): void => write('debug', message, rest),
    verbose: (message: unknown, ...rest: unknown[]): void => write('trace', message, rest),
    fatal: (message: unknown, ...rest: unknown[]): void => write('fatal', message, rest),
  };
}
