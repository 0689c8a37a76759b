import type { ErrorBody } from '@waymark/contracts/wire';

/** A coded answer thrown by a handler: exactly this body reaches the caller. Anything else thrown becomes `internal`. */
export class WireError extends Error {
  constructor(
    readonly body: ErrorBody,
    options?: ErrorOptions,
  ) {
    super(`${body.code}: ${body.message}`, options);
    this.name = 'WireError';
  }
  get code(): string {
    return this.body.code;
  }
}
