import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  /** What is awaited, in words; the error names it. */
  what: string;
  /** Milliseconds in all; default 30,000. */
  timeoutMs?: number;
  /** Milliseconds between two probes; default 20. */
  everyMs?: number;
}

/**
 * Polls `probe` until it returns something truthy and returns that. A probe that throws counts as "not yet".
 * Rejects after `timeoutMs`, naming what was awaited, what the probe said last and the last error.
 */
export async function until<T>(
  probe: () => T | Promise<T>,
  { what, timeoutMs = 30_000, everyMs = 20 }: UntilOptions,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  let failure: unknown;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
      last = value;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (performance.now() >= deadline) break;
    await pause(everyMs);
  }
  const seen = failure === undefined ? `last value: ${String(last)}` : `last error: ${String(failure)}`;
  throw new Error(`waited ${timeoutMs} ms for ${what}; ${seen}`, { cause: failure });
}
