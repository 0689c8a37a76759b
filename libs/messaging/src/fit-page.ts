import { Buffer } from 'node:buffer';
import { MAX_BODY_BYTES } from '@waymark/contracts/wire';

/** Room for what stands in a reply beside the items of its page. */
const BESIDE_BYTES = 1024;

/**
 * A page of a list, as one reply takes it: at most `limit` items, and in bytes of JSON what a message holds less `beside`;
 * one item at least. `found` has more than `limit` when there is more to ask for. `next` is the cursor of the page's last
 * item, null at the end.
 */
export function fitPage<T, C>(
  found: readonly T[],
  limit: number,
  cursorOf: (item: T) => C,
  beside = BESIDE_BYTES,
): { readonly items: T[]; readonly next: C | null } {
  const items: T[] = [];
  let bytes = 0;
  for (const item of found.slice(0, limit)) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (items.length > 0 && bytes > MAX_BODY_BYTES - beside) break;
    items.push(item);
  }
  const last = items.at(-1);
  return { items, next: last !== undefined && items.length < found.length ? cursorOf(last) : null };
}
