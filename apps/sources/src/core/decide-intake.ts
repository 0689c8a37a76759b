import { mebibytes, unreadable, type Unreadable } from './unreadable.js';

/** What is known before the bytes are fetched; a document that fails here is listed by name, and its bytes stay away. */
export function refuseSize(size: number, limit: number): Unreadable | undefined {
  if (size === 0) return unreadable('empty', 'The file has no bytes.');
  if (size > limit)
    return unreadable('too_large', `The file has ${mebibytes(size)}; at most ${mebibytes(limit)} are read.`);
  return undefined;
}
