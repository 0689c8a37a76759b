/** What a caller without types may hand over by mistake: refused by the argument's name, before anything is sent. */
import { FEED_OWNERS } from './owner-events.js';
import type { FeedOptions } from './run-feed.js';
import { WaymarkError } from './waymark-error.js';

export function checkBytes(bytes: unknown): asserts bytes is Uint8Array {
  if (!(bytes instanceof Uint8Array))
    throw wrong(
      'bytes',
      `is ${kindOf(bytes)}, no Uint8Array`,
      'give the bytes of the document; those of a text: Buffer.from(text)',
    );
}

export function checkFolder(folder: unknown): asserts folder is string {
  if (typeof folder !== 'string') throw wrong('folder', `is ${kindOf(folder)}, no path`, 'name a folder');
}

const CURSORS = 'give by owner the last sequence that was seen, a whole number from 0 on';

/** Owners that there are, and cursors that are sequences of theirs. */
export function checkFeed({ owners = [], cursors = {} }: FeedOptions): void {
  if (typeof cursors !== 'object' || cursors === null)
    throw wrong('cursors', `is ${kindOf(cursors)}, no object`, CURSORS);
  const known: readonly unknown[] = FEED_OWNERS;
  const remedy = `name some of ${FEED_OWNERS.join(', ')}`;
  if (!Array.isArray(owners)) throw wrong('owners', `is ${kindOf(owners)}, no list`, remedy);
  const named = { owners, cursors: Object.keys(cursors) };
  for (const [field, names] of Object.entries(named)) {
    for (const name of names)
      if (!known.includes(name)) throw wrong(field, `names ${String(name)}, and no such owner has events`, remedy);
  }
  for (const [owner, seq] of Object.entries(cursors) as [string, unknown][]) {
    if (seq === undefined || (Number.isSafeInteger(seq) && Number(seq) >= 0)) continue;
    throw wrong('cursors', `has no sequence for ${owner}`, CURSORS);
  }
}

function wrong(field: string, what: string, remedy: string): WaymarkError {
  return new WaymarkError({ code: 'invalid_field', message: `${field} ${what}`, remedy, field });
}

const kindOf = (value: unknown): string =>
  value === null || value === undefined
    ? String(value)
    : typeof value === 'object'
      ? `an ${value.constructor?.name ?? 'object'}`
      : `a ${typeof value}`;
