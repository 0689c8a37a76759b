/**
 * Calls with patience: every request of this library may be repeated, by its key or because it only reads, so what was
 * proven not to be carried out and what is unknown are both asked again, for a while.
 */
import type { Contract, ReplyOf, RequestOf } from '@waymark/contracts/wire';
import type { Bus, CallFailure } from '@waymark/messaging/client';
import { setTimeout as pause } from 'node:timers/promises';
import { WaymarkError } from './waymark-error.js';

export interface CallPatience {
  /** One try, ms; default 5,000. */
  readonly timeoutMs?: number;
  /** In all, ms, while nobody answers; default 5,000. */
  readonly patienceMs?: number;
}

const TRY_MS = 5_000;
const PATIENCE_MS = 5_000;
const BETWEEN_MS = 250;

const CLOSED = { code: 'client_closed', message: 'this client was closed', remedy: 'connect again' };

export class Caller {
  constructor(readonly bus: Bus) {}

  /** The reply, or a {@link WaymarkError} with the service's own code, or `unavailable`, `timed_out`, `connection_lost`. */
  async ask<C extends Contract>(contract: C, request: RequestOf<C>, patience: CallPatience = {}): Promise<ReplyOf<C>> {
    const { timeoutMs = TRY_MS, patienceMs = PATIENCE_MS } = patience;
    const until = performance.now() + patienceMs;
    for (;;) {
      const result = await this.bus.call(contract, request, { timeoutMs });
      if (result.ok) return result.value;
      if (this.bus.nc.isClosed()) throw new WaymarkError(CLOSED);
      if (!isPassing(result) || performance.now() + BETWEEN_MS >= until) throw new WaymarkError(result.error);
      await pause(BETWEEN_MS);
    }
  }
}

/** Nobody has answered: it may be otherwise in a moment, unless this user may not even ask. */
const isPassing = ({ kind, error }: CallFailure): boolean => kind !== 'error' && error.code !== 'not_permitted';

/** True for failures of the way to a service, not of what was asked. */
export const isAway = (error: unknown): boolean =>
  error instanceof WaymarkError && ['unavailable', 'timed_out', 'connection_lost'].includes(error.code);
