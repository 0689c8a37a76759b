/**
 * Nest's NATS server without Nest's envelope.
 *
 * 1. Plain JSON in, the bare reply out; a coded body with error headers when it could not be served.
 * 2. What reaches a handler has passed its contract. What it throws is a {@link WireError}, or `unavailable` when it could
 *    not reach its database or the broker, or else `internal` with an error id that the log knows. No other text leaves
 *    the process.
 * 3. Closing stops new requests and lets the accepted ones finish and reply.
 */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { NatsContext, ServerNats, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Msg, Subscription } from '@nats-io/transport-node';
import { MAX_BODY_BYTES, type Contract, type ErrorBody } from '@waymark/contracts/wire';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Bus } from './bus.js';
import { replyHeaders } from './headers.js';
import { isOutage } from './is-outage.js';
import { silent, type Log } from './log.js';
import { parseRequest } from './parse-request.js';
import { WireError } from './wire-error.js';

const RETRY_MS = 200;
/** Characters of each text of an error: what it names of the request is the caller's, and as long as the caller likes. */
const ERROR_CHARACTERS = 2_000;

export interface WaymarkServerOptions {
  bus: Bus;
  /** Replicas with the same queue share the requests. */
  queue: string;
  log?: Log;
}

export class WaymarkServer extends ServerNats implements CustomTransportStrategy {
  private readonly open: Subscription[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private readonly log: Log;

  constructor(private readonly setup: WaymarkServerOptions) {
    super({ queue: setup.queue });
    this.log = setup.log ?? silent;
  }

  /** Subscribes to every contract that is handled; fails when NATS denies one. */
  override async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      const denied: string[] = [];
      for (const [subject, handler] of this.messageHandlers) this.open.push(this.subscribe(subject, handler, denied));
      await this.heard(); // a denied subscription has been reported by then
      if (denied.length > 0) {
        throw new Error(`NATS denies subscribing to ${denied.join(', ')}: grant it to this service's user`);
      }
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Subjects are plain strings here: Nest would parse each as JSON first. */
  override getHandlerByPattern(pattern: string): MessageHandler | null {
    return this.messageHandlers.get(pattern) ?? super.getHandlerByPattern(pattern);
  }

  override async close(): Promise<void> {
    const { bus } = this.setup;
    const open = this.open.splice(0);
    if (bus.state() === true) await Promise.all(open.map((sub) => sub.drain()));
    await Promise.allSettled(this.inFlight);
    if (bus.state() === true) await bus.nc.flush().catch(() => undefined); // the last replies have left, or are lost
  }

  /** NATS has our subscriptions. One that breaks just then gets them again when it is back: it is waited for. */
  private async heard(): Promise<void> {
    const { nc } = this.setup.bus;
    for (;;) {
      try {
        return await nc.flush();
      } catch (error) {
        if (nc.isClosed() || !isOutage(error)) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  override unwrap<T>(): T {
    return this.setup.bus.nc as T;
  }

  private subscribe(subject: string, handler: MessageHandler, denied: string[]): Subscription {
    const contract = handler.extras?.['contract'] as Contract | undefined;
    if (contract === undefined) throw new Error(`${subject} is handled without a contract: use @Handle`);
    return this.setup.bus.nc.subscribe(subject, {
      queue: this.setup.queue,
      callback: (error, msg) => {
        if (error) {
          denied.push(subject);
          this.log.error({ subject, reason: error.message }, `not served any more: ${subject}`);
          return;
        }
        // A reply goes out under this service's name: it may go to whoever listens for replies, and to no other subject.
        if (msg.reply !== undefined && msg.reply !== '' && !msg.reply.startsWith('_INBOX')) {
          this.log.warn({ subject, reply: msg.reply }, 'a request whose reply would go to no inbox was not served');
          return;
        }
        const served = this.serve(contract, handler, msg);
        this.inFlight.add(served);
        void served.finally(() => this.inFlight.delete(served));
      },
    });
  }

  /** Never rejects. */
  private async serve(contract: Contract, handler: MessageHandler, msg: Msg): Promise<void> {
    let body: Buffer;
    let code: string | undefined;
    try {
      const request = parseRequest(contract, msg.data);
      const result: unknown = await handler(request, new NatsContext([msg.subject, msg.headers]));
      body = encodeReply(isObservable(result) ? await lastValueFrom(result) : result);
    } catch (error) {
      const answer = this.answerTo(error, contract.subject);
      body = Buffer.from(JSON.stringify(answer));
      code = answer.code;
    }
    try {
      msg.respond(body, { headers: replyHeaders(msg.headers, code) });
    } catch (error) {
      this.log.error({ subject: contract.subject, err: error }, 'a reply could not be sent');
    }
  }

  private answerTo(error: unknown, subject: string): ErrorBody {
    if (error instanceof WireError) return bounded(error.body);
    if (isOutage(error)) {
      this.log.warn({ subject, err: error }, 'a handler did not reach what it needs');
      return {
        code: 'unavailable',
        message: 'the service does not reach its database or the broker',
        remedy: 'ask again, with the same key: it may have been carried out',
      };
    }
    const id = randomUUID();
    this.log.error({ subject, errorId: id, err: error }, 'a handler failed');
    return {
      code: 'internal',
      message: `the service failed; error id ${id}`,
      remedy: 'ask again with the same key; if it stays, look the error id up in the log of the service',
    };
  }
}

/** An error is always small enough to be sent. */
function bounded({ field, ...error }: ErrorBody): ErrorBody {
  const message = cut(error.message);
  return { ...error, message, remedy: cut(error.remedy), ...(field === undefined ? {} : { field: cut(field) }) };
}

const cut = (text: string): string =>
  text.length > ERROR_CHARACTERS ? `${text.slice(0, ERROR_CHARACTERS).toWellFormed()}…` : text;

function encodeReply(value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value ?? null));
  if (body.length <= MAX_BODY_BYTES) return body;
  throw new WireError({
    code: 'reply_too_large',
    message: `the reply has ${body.length} bytes; at most ${MAX_BODY_BYTES} are sent`,
    remedy: 'ask for a smaller page or range',
  });
}
