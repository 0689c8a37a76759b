/** The connection to NATS: waited for at first, with the reason, then kept for ever. */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from './reason-of.js';
import { WaymarkError } from './waymark-error.js';

export interface Access {
  /** `nats://host:port`, one or several; user and password apart. */
  readonly servers: string | string[];
  readonly user?: string;
  readonly pass?: string;
  /** Appears in the NATS server's list of connections. */
  readonly name?: string;
}

const TRY_MS = 2_000;
const RETRY_MS = 250;
/** A server that is gone without a word is noticed after three silent pings. */
const PING_MS = 5_000;
const CLOSE_MS = 5_000;

export class Connection {
  /** False between a loss and the reconnect: what is asked then would only wait. */
  #usable = true;
  #closing: Promise<void> | undefined;

  private constructor(readonly nc: NatsConnection) {
    void this.#watch();
  }

  /** Refuses `nats_unavailable` with the server's reason after `withinMs`. */
  static async open(access: Access, withinMs: number): Promise<Connection> {
    const { servers, user, pass, name = 'waymark-client' } = access;
    if ([servers].flat().some((server) => server.includes('@'))) {
      throw unavailable('user and password stand in the address: give them apart');
    }
    const end = performance.now() + withinMs;
    for (;;) {
      try {
        const nc = await connect({
          servers,
          name,
          // Replies to a user arrive under its own name: no other may listen there.
          ...(user !== undefined && { user, pass, inboxPrefix: `_INBOX_${user}` }),
          timeout: Math.max(1, Math.min(TRY_MS, end - performance.now())),
          maxReconnectAttempts: -1,
          reconnectTimeWait: RETRY_MS,
          ignoreAuthErrorAbort: true,
          pingInterval: PING_MS,
          noAsyncTraces: true,
        });
        return new Connection(nc);
      } catch (error) {
        if (performance.now() + RETRY_MS >= end) {
          throw unavailable(`NATS at ${[servers].flat().join(', ')}: ${reasonOf(error)}`, error);
        }
        await pause(RETRY_MS);
      }
    }
  }

  get usable(): boolean {
    return this.#usable && !this.nc.isClosed();
  }

  /** Delivers what is on its way, if the server takes it in time, and closes. Never rejects. */
  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const late = new AbortController();
    const drained = this.usable ? this.nc.drain().catch(() => undefined) : Promise.resolve();
    await Promise.race([drained, pause(CLOSE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    await this.nc.close();
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.nc.status()) {
      if (type === 'disconnect') this.#usable = false;
      if (type === 'reconnect') this.#usable = true;
    }
  }
}

function unavailable(message: string, cause?: unknown): WaymarkError {
  const remedy = 'start the NATS server, or name its address (nats://host:port), user and password';
  return new WaymarkError({ code: 'nats_unavailable', message, remedy }, { cause });
}
