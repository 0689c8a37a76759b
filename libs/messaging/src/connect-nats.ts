import {
  AuthorizationError,
  connect,
  createInbox,
  PermissionViolationError,
  type NatsConnection,
  type Status,
} from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { silent, type Log } from './log.js';

export interface ConnectOptions {
  /** `nats://host:port`, one or several. */
  servers: string | string[];
  /** Appears in the server's list of connections. */
  name: string;
  user?: string;
  pass?: string;
  log?: Log;
  /** Told why we still wait, at each try. */
  onWait?: (reason: string) => void;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

const RETRY_MS = 500;
// A broken peer without a FIN is noticed after 3 silent pings.
const PING_MS = 5_000;

/**
 * Connects and keeps connected: waits for a server that is not there yet (with the reason, without credentials), and
 * never gives up later. Rejects when `signal` says so, and at once for an address with credentials in it.
 */
export async function connectNats(options: ConnectOptions): Promise<NatsConnection> {
  const { servers, name, user, pass, log = silent, onWait, signal } = options;
  const where = [servers].flat().map(withoutCredentials).join(', ');
  if ([servers].flat().some((server) => server.includes('@'))) {
    throw new TypeError(`NATS at ${where}: give user and password apart, its client takes none in the address`);
  }
  let told = '';
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await connect({
        servers,
        name,
        // Replies to a user arrive under its own name: no other may listen there (users.conf).
        ...(user !== undefined && { user, pass, inboxPrefix: `_INBOX_${user}` }),
        timeout: 2_000,
        // Ours waits with a reason; the client's own `waitOnFirstConnect` waits without one.
        waitOnFirstConnect: false,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 250,
        reconnectJitter: 250,
        ignoreAuthErrorAbort: true,
        pingInterval: PING_MS,
        maxPingOut: 2,
        noAsyncTraces: true,
      });
    } catch (error) {
      const reason = reasonOf(error);
      onWait?.(`waiting for NATS at ${where}: ${reason}`);
      if (reason !== told) log.warn({ servers: where }, `waiting for NATS at ${where}: ${reason}`);
      told = reason;
      await pause(RETRY_MS, undefined, { signal });
    }
  }
}

/** A new subject for replies that this connection's user may listen on. */
export function newInbox(nc: NatsConnection): string {
  const { inboxPrefix } = (nc as unknown as { readonly options: { readonly inboxPrefix?: string } }).options;
  return createInbox(inboxPrefix);
}

/** Logs what happens to a connection until it closes. `onChange` hears whether it is usable. */
export async function watchStatus(
  nc: NatsConnection,
  log: Log,
  onChange: (state: true | string) => void,
): Promise<void> {
  for await (const status of nc.status()) {
    const server = nc.getServer();
    switch (status.type) {
      case 'error':
        logError(status.error, log);
        break;
      case 'disconnect':
        onChange('disconnected from NATS, reconnecting');
        log.warn({ server: status.server }, 'disconnected from NATS');
        break;
      case 'reconnect':
        onChange(true);
        log.info({ server: status.server }, 'reconnected to NATS');
        break;
      case 'close':
        onChange('connection to NATS closed');
        break;
      case 'staleConnection':
      case 'ldm':
        log.warn({ server }, status.type === 'ldm' ? 'NATS server is going away' : 'NATS does not answer pings');
        break;
      case 'slowConsumer':
        log.warn({ subject: status.sub.getSubject(), pending: status.pending }, 'too slow for a NATS subscription');
        break;
      case 'reconnecting':
      case 'forceReconnect':
      case 'ping':
      case 'update':
        break;
      default:
        status satisfies never;
    }
  }
}

function logError(error: Extract<Status, { type: 'error' }>['error'], log: Log): void {
  if (error instanceof PermissionViolationError) {
    const { operation, subject } = error;
    // A user may answer who asked on the connection that the question came by; another one came between.
    if (operation === 'publish' && subject.startsWith('_INBOX'))
      log.warn({ subject }, 'a reply did not go out: the connection that its request came by has gone');
    else log.error({ operation, subject }, `NATS denies ${operation} on ${subject}: this user's permissions lack it`);
  } else if (error instanceof AuthorizationError) {
    log.error({}, 'NATS refuses the credentials; trying on');
  } else {
    log.error({ reason: error.message }, 'NATS reports an error');
  }
}

function withoutCredentials(server: string): string {
  return server.replace(/(\w+:\/\/)?([^\s/]*@)?/, '');
}

/** The innermost reason in words: a refused connection, a name that does not resolve, refused credentials. */
export function reasonOf(error: unknown): string {
  const { message, cause, errors } = error as { message?: unknown; cause?: unknown; errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0]); // one host name, several addresses
  if (cause !== undefined) return reasonOf(cause);
  return withoutCredentials(typeof message === 'string' ? message : String(error));
}
