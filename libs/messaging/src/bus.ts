import { Buffer } from 'node:buffer';
import {
  DrainingConnectionError,
  headers as newHeaders,
  PermissionViolationError,
  RequestError,
  TimeoutError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/transport-node';
import { MAX_BODY_BYTES, type Contract, type ErrorBody, type ReplyOf, type RequestOf } from '@waymark/contracts/wire';
import { connectNats, watchStatus, type ConnectOptions } from './connect-nats.js';
import { ERROR_HEADER } from './headers.js';
import { silent, type Log } from './log.js';

/**
 * How a call failed.
 * - `error`: the service answered with a coded error, or the request could not be sent as it is (`body_too_large`).
 * - `no_responders`: nobody listens; proven not to have been carried out.
 * - `disconnected`: not sent, because the connection was down, or denied by NATS (code `not_permitted`); proven not to
 *   have been carried out.
 * - `timeout`: no answer in time (code `timed_out`), given up by the caller (`aborted`) or lost with the connection
 *   (`connection_lost`): unknown whether it was carried out.
 */
export type CallFailure = {
  ok: false;
  kind: 'error' | 'no_responders' | 'timeout' | 'disconnected';
  error: ErrorBody;
};
export type CallResult<T> = { ok: true; value: T } | CallFailure;

export interface CallOptions {
  timeoutMs: number;
  headers?: Readonly<Record<string, string>> | MsgHdrs;
  signal?: AbortSignal;
}

/** The connection of one process to all others. */
export class Bus {
  private usable: true | string = true;

  private constructor(
    readonly nc: NatsConnection,
    log: Log,
  ) {
    void watchStatus(nc, log, (state) => (this.usable = state));
  }

  /** Waits for the server, see {@link connectNats}. */
  static async connect(options: ConnectOptions): Promise<Bus> {
    return new Bus(await connectNats(options), options.log ?? silent);
  }

  /** `true`, or why it cannot be used now. */
  state(): true | string {
    return this.nc.isClosed() ? 'connection to NATS closed' : this.usable;
  }

  /** Asks a service. Resolves with its reply or with how it failed; never throws for what the other side does. */
  async call<C extends Contract>(
    contract: C,
    request: RequestOf<C>,
    { timeoutMs, headers, signal }: CallOptions,
  ): Promise<CallResult<ReplyOf<C>>> {
    const { subject } = contract;
    const body = Buffer.from(JSON.stringify(request));
    if (body.length > MAX_BODY_BYTES) return tooLarge(subject, body.length);
    if (signal?.aborted) return notSent(subject, 'given up before it was sent');
    const state = this.state();
    if (state !== true) return notSent(subject, state);
    try {
      const pending = this.nc.request(subject, body, {
        timeout: timeoutMs,
        ...(headers !== undefined && { headers: asHeaders(headers) }),
      });
      const msg = await (signal === undefined ? pending : untilAborted(pending, signal));
      return msg === ABORTED ? aborted(subject) : readReply<ReplyOf<C>>(subject, msg);
    } catch (error) {
      return failureOf(subject, timeoutMs, error);
    }
  }

  /** Delivers what is in flight, if the server takes it within {@link CLOSE_MS}, and closes. Never rejects. */
  async close(): Promise<void> {
    if (this.nc.isClosed()) return;
    // The client's own drain rejects, or waits for ever, when the server goes away meanwhile; then it does not close either.
    if (this.state() === true) await within(CLOSE_MS, this.nc.drain());
    await this.nc.close();
  }
}

const CLOSE_MS = 5_000;

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

const ABORTED = Symbol('aborted');

async function untilAborted(pending: Promise<Msg>, signal: AbortSignal): Promise<Msg | typeof ABORTED> {
  const { promise, resolve } = Promise.withResolvers<typeof ABORTED>();
  const onAbort = (): void => resolve(ABORTED);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([pending, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function asHeaders(given: Readonly<Record<string, string>> | MsgHdrs): MsgHdrs {
  if (typeof given['set'] === 'function') return given as MsgHdrs;
  const made = newHeaders();
  for (const [name, value] of Object.entries(given as Record<string, string>)) made.set(name, value);
  return made;
}

function readReply<T>(subject: string, msg: Msg): CallResult<T> {
  let value: unknown;
  try {
    value = msg.json();
  } catch {
    const remedy = 'report it: the service does not speak this protocol';
    return fail('error', 'malformed_reply', `${subject} answered with something that is not JSON`, remedy);
  }
  if (msg.headers?.has(ERROR_HEADER)) return { ok: false, kind: 'error', error: asErrorBody(value, msg.headers) };
  return { ok: true, value: value as T };
}

/** Other services of the same convention may send other bodies; the code is in the header anyway. */
function asErrorBody(value: unknown, headers: MsgHdrs): ErrorBody {
  if (typeof value === 'object' && value !== null && 'code' in value && 'message' in value) return value as ErrorBody;
  return { code: headers.get(ERROR_HEADER), message: 'the service answered with an error', remedy: 'see its log' };
}

function failureOf(subject: string, timeoutMs: number, error: unknown): CallFailure {
  if (error instanceof TimeoutError) {
    const remedy = 'ask again with the same key: it may have been carried out';
    return fail('timeout', 'timed_out', `no answer from ${subject} within ${timeoutMs} ms`, remedy);
  }
  if (error instanceof RequestError && error.isNoResponders()) {
    return fail('no_responders', 'unavailable', `nobody serves ${subject}`, 'start the service, then ask again');
  }
  if (isDenied(error)) {
    const message = `NATS denies asking ${subject} to this user`;
    const remedy = 'grant it in the NATS configuration (users.conf), or connect as a user that has it';
    return fail('disconnected', 'not_permitted', message, remedy);
  }
  if (error instanceof DrainingConnectionError) {
    return notSent(subject, 'the connection to NATS is closing');
  }
  const reason = error instanceof Error ? error.message : String(error);
  const remedy = 'ask again with the same key: it may have been carried out';
  return fail('timeout', 'connection_lost', `${subject}: ${reason}`, remedy);
}

const isDenied = (error: unknown): boolean =>
  error instanceof PermissionViolationError ||
  (error instanceof Error && error.cause instanceof PermissionViolationError);

function tooLarge(subject: string, bytes: number): CallFailure {
  const message = `the request to ${subject} has ${bytes} bytes; at most ${MAX_BODY_BYTES} are taken`;
  return fail(
    'error',
    'body_too_large',
    message,
    'send less: documents go through the object store as {name, size, digest}, other fields have limits of their own',
  );
}

function notSent(subject: string, reason: string): CallFailure {
  return fail('disconnected', 'unavailable', `${subject} was not asked: ${reason}`, 'ask again when it is back');
}

function aborted(subject: string): CallFailure {
  const remedy = 'ask again with the same key: it may have been carried out';
  return fail('timeout', 'aborted', `gave up waiting for ${subject}`, remedy);
}

function fail(kind: CallFailure['kind'], code: string, message: string, remedy: string): CallFailure {
  return { ok: false, kind, error: { code, message, remedy } };
}
