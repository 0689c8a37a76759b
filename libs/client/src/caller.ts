/**
 * Calls with patience: every request of this library may be repeated, by its key or because it only reads, so what was
 * not carried out and what is unknown are both asked again, for a while.
 */
import { PermissionViolationError, RequestError, TimeoutError } from '@nats-io/transport-node';
import { MAX_BODY_BYTES, type Contract, type ErrorBody, type ReplyOf, type RequestOf } from '@waymark/contracts/wire';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from './connection.js';
import { reasonOf } from './reason-of.js';
import { clientClosed, WaymarkError } from './waymark-error.js';

export interface CallPatience {
  /** One try, ms; default 5,000. */
  readonly timeoutMs?: number;
  /** In all, ms, while nobody answers; default 5,000. */
  readonly patienceMs?: number;
}

const TRY_MS = 5_000;
const PATIENCE_MS = 5_000;
const BETWEEN_MS = 250;
/** Marks a reply as an error. */
const ERROR_HEADER = 'Nats-Service-Error';

/** `passing`: nobody has answered, and it may be otherwise in a moment. */
type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly passing: boolean; readonly error: ErrorBody };

export class Caller {
  constructor(readonly connection: Connection) {}

  /** The reply, or a {@link WaymarkError} with the service's own code, or `unavailable`, `timed_out`, `connection_lost`, `not_permitted`. */
  async ask<C extends Contract>(contract: C, request: RequestOf<C>, patience: CallPatience = {}): Promise<ReplyOf<C>> {
    const { timeoutMs = TRY_MS, patienceMs = PATIENCE_MS } = patience;
    const until = performance.now() + patienceMs;
    for (;;) {
      const answer = await this.#once<ReplyOf<C>>(contract.subject, request, timeoutMs);
      if (answer.ok) return answer.value;
      if (this.connection.nc.isClosed()) throw clientClosed();
      if (!answer.passing || performance.now() + BETWEEN_MS >= until) throw new WaymarkError(answer.error);
      await pause(BETWEEN_MS);
    }
  }

  async #once<T>(subject: string, request: unknown, timeout: number): Promise<Answer<T>> {
    let body: Uint8Array;
    try {
      body = new TextEncoder().encode(JSON.stringify(request));
    } catch (error) {
      return refused(noJson(subject, reasonOf(error)));
    }
    if (body.length > MAX_BODY_BYTES) return refused(tooLarge(subject, body.length));
    if (!this.connection.usable) return nobody('unavailable', `${subject} was not asked: no connection to NATS`);
    try {
      const message = await this.connection.nc.request(subject, body, { timeout });
      const code = message.headers?.get(ERROR_HEADER) ?? '';
      const value: unknown = safeJson(message.data);
      if (value === undefined) return refused(malformed(subject));
      return code === '' ? { ok: true, value: value as T } : refused(value as ErrorBody);
    } catch (error) {
      if (error instanceof TimeoutError) return nobody('timed_out', `no answer from ${subject} within ${timeout} ms`);
      if (error instanceof RequestError && error.isNoResponders())
        return nobody('unavailable', `nobody serves ${subject}`);
      if (isDenied(error)) return refused(notPermitted(subject));
      return nobody('connection_lost', `${subject}: ${reasonOf(error)}`);
    }
  }
}

/** True for failures of the way to a service, not of what was asked. */
export const isAway = (error: unknown): boolean =>
  error instanceof WaymarkError && ['unavailable', 'timed_out', 'connection_lost'].includes(error.code);

/** JSON as it came; undefined when it is none. */
export function safeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

const refused = (error: ErrorBody): Answer<never> => ({ ok: false, passing: false, error });

function nobody(code: 'unavailable' | 'timed_out' | 'connection_lost', message: string): Answer<never> {
  const remedy =
    code === 'unavailable'
      ? 'see whether the service and the NATS server run, then ask again'
      : 'ask again with the same key: it may have been carried out';
  return { ok: false, passing: true, error: { code, message, remedy } };
}

/** True when NATS does not let this user do it. */
export const isDenied = (error: unknown): boolean =>
  error instanceof PermissionViolationError ||
  (error instanceof Error && error.cause instanceof PermissionViolationError);

const notPermitted = (subject: string): ErrorBody => ({
  code: 'not_permitted',
  message: `NATS denies asking ${subject} to this user`,
  remedy: 'connect as a user that may ask it, or have it granted in the NATS configuration',
});

const malformed = (subject: string): ErrorBody => ({
  code: 'malformed_reply',
  message: `${subject} answered with something that is not JSON`,
  remedy: 'report it: the service does not speak this protocol',
});

const noJson = (subject: string, why: string): ErrorBody => ({
  code: 'invalid_field',
  message: `the request to ${subject} cannot be written as JSON: ${why}`,
  remedy: 'give texts, finite numbers, booleans, lists and plain objects',
});

const tooLarge = (subject: string, bytes: number): ErrorBody => ({
  code: 'body_too_large',
  message: `the request to ${subject} has ${bytes} bytes; at most ${MAX_BODY_BYTES} are taken`,
  remedy: 'send less: put material into documents of the corpus',
});
