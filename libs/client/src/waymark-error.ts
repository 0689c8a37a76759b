import type { ErrorBody } from '@waymark/contracts/wire';
import { reasonOf } from './reason-of.js';

/** How anything of this library fails: a code for programs, words and a remedy for people. */
export class WaymarkError extends Error {
  readonly code: string;
  readonly remedy: string;
  readonly field: string | undefined;

  constructor({ code, message, remedy, field }: ErrorBody, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WaymarkError';
    this.code = code;
    this.remedy = remedy;
    this.field = field;
  }

  toJSON(): ErrorBody {
    const { code, message, remedy, field } = this;
    return { code, message, remedy, ...(field === undefined ? {} : { field }) };
  }
}

/** Whatever was thrown on the way to NATS or its object store, as ours. */
export function asWaymarkError(error: unknown): WaymarkError {
  if (error instanceof WaymarkError) return error;
  const remedy = 'see whether the NATS server runs with JetStream and lets this user in, then try again';
  return new WaymarkError({ code: 'nats_failed', message: reasonOf(error), remedy }, { cause: error });
}

export const clientClosed = (): WaymarkError =>
  new WaymarkError({ code: 'client_closed', message: 'this client was closed', remedy: 'connect again' });
