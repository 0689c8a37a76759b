/**
 * What a handler or an owner could not reach: its database or the broker, which may be back soon. Nothing is wrong with
 * what was asked. Read from the error alone, whatever driver it comes from.
 */
export function isOutage(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const code = 'code' in error ? String(error.code) : '';
  if (SQL_STATES.test(code) || SOCKET_CODES.test(code)) return true;
  return error instanceof Error && (BROKER_ERRORS.has(error.name) || DRIVER_WORDS.test(error.message));
}

/** Connection exceptions, insufficient resources, operator intervention (shutdown, cancelled statement). */
const SQL_STATES = /^(08|53|57)[0-9A-Z]{3}$/;
const SOCKET_CODES = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/;
const BROKER_ERRORS = new Set([
  'TimeoutError',
  'NoResponders',
  'RequestError',
  'ConnectionError',
  'ClosedConnectionError',
  'DrainingConnectionError',
]);
/** The PostgreSQL driver's own errors have words only. */
const DRIVER_WORDS =
  /connection (terminated|ended|timeout)|terminating connection|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|client was closed/i;
