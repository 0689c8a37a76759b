import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { TLSSocket } from 'node:tls';

/** What is read of an error's body. */
const ERROR_BYTES = 64 * 1024;
/** An error's status stands even when its body never ends. */
const ERROR_BODY_MS = 2_000;
/** Below the idle limits of common gateways; a server's own keep-alive hint, when shorter, wins. */
const IDLE_MS = 20_000;
/**
 * What goes out beside the configured headers and the key. The official clients add headers that the environment names
 * (`OPENAI_CUSTOM_HEADERS`, `ANTHROPIC_CUSTOM_HEADERS`) and tell of this machine: none of that leaves.
 */
const OURS = ['accept', 'anthropic-version', 'content-type', 'user-agent', 'x-waymark-request'];

/**
 * One physical request on the wire, shared between the provider and the fetch that the official client calls.
 *
 * `mayHaveLeft` becomes true when the connection stands (for TLS: when its handshake is done), never later than the
 * first byte: while it is false, nothing left (B3).
 */
export class Exchange {
  mayHaveLeft = false;
  aborted = false;
  firstByteAt: number | null = null;
  status: number | null = null;
  /** The reply of a 2xx, unread. */
  reply: IncomingMessage | null = null;
  retryAfter: { retryAfter?: string | undefined; retryAfterMs?: string | undefined } = {};
  errorText: string | null = null;
  /** Why there is no reply: the connection's own code, e.g. `ECONNREFUSED`. */
  failure: string | null = null;
  request: ClientRequest | null = null;

  /** `onBodySent`: all of the body has been handed to the operating system. */
  constructor(readonly onBodySent?: () => void) {}

  abort(): void {
    this.aborted = true;
    this.request?.destroy(new Error('aborted'));
  }
}

/** Keeps connections to one provider. Redirects are not followed: the key and the reservation are for one address. */
export class Transport {
  private readonly http = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
  private readonly https = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });
  private readonly passing: ReadonlySet<string>;

  /** `configured`: names of headers that go out beside {@link OURS}. */
  constructor(configured: readonly string[]) {
    this.passing = new Set([...OURS, ...configured.map((name) => name.toLowerCase())]);
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }

  /** A fetch for the official client. The reply's body stays with `exchange`; an error's body is read, bounded. */
  async fetch(url: string, init: RequestInit, exchange: Exchange): Promise<Response> {
    const reply = await this.send(new URL(url), init, exchange);
    const status = reply.statusCode ?? 0;
    exchange.status = status;
    exchange.retryAfter = {
      retryAfter: reply.headers['retry-after'],
      retryAfterMs: one(reply.headers['retry-after-ms']),
    };
    const headers = { 'content-type': reply.headers['content-type'] ?? '' };
    if (status >= 200 && status < 300) {
      exchange.reply = reply;
      return new Response(null, { status, headers });
    }
    exchange.errorText = await readBounded(reply);
    if (!reply.complete) exchange.request?.destroy(); // else the connection serves the next request
    return new Response(null, { status, headers });
  }

  private send(url: URL, init: RequestInit, exchange: Exchange): Promise<IncomingMessage> {
    const body = init.body as Uint8Array;
    const headers: Record<string, string | number> = Object.fromEntries(
      [...new Headers(init.headers)].filter(([name]) => this.passing.has(name)),
    );
    headers['content-length'] = body.byteLength;
    const secure = url.protocol === 'https:';
    return new Promise((resolve, reject) => {
      if (exchange.aborted) return reject(new Error('aborted'));
      const request = secure
        ? httpsRequest(url, { method: 'POST', headers, agent: this.https })
        : httpRequest(url, { method: 'POST', headers, agent: this.http });
      exchange.request = request;
      request.once('socket', (socket) => {
        if (request.reusedSocket || !socket.connecting) exchange.mayHaveLeft = true;
        else {
          const stands = (socket as TLSSocket).encrypted ? 'secureConnect' : 'connect';
          socket.once(stands, () => (exchange.mayHaveLeft = true));
        }
      });
      request.once('finish', () => exchange.onBodySent?.());
      request.once('response', (reply) => {
        exchange.firstByteAt = performance.now();
        resolve(reply);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        exchange.failure ??= error.code ?? error.message;
        reject(error); // after the response it does nothing, but a later error must find a listener
      });
      request.end(body);
    });
  }
}

function readBounded(reply: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const done = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(pieces).subarray(0, ERROR_BYTES).toString('utf8'));
    };
    const timer = setTimeout(done, ERROR_BODY_MS);
    reply.on('data', (piece: Buffer) => {
      pieces.push(piece);
      size += piece.length;
      if (size >= ERROR_BYTES) done();
    });
    reply.once('end', done);
    reply.once('error', done);
    reply.once('close', done);
  });
}

const one = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);
