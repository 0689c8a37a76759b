import { randomBytes } from 'node:crypto';

/** An id of a run, a version 7 UUID, unlike any other. */
export function newRun(): string {
  const hex = randomBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
