/** What a library needs of a logger; pino's fits. Fields first, then one sentence without secrets. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
