import type { WaymarkEvent } from '@waymark/contracts';
import { utf8Bytes } from './cut-text.js';

/** Bytes of events in one page; a reply has room for 512 KiB. */
const PAGE_BYTES = 400 * 1024;

/** At most `limit` events that fit one reply; `found` has one more when there are more. */
export function fitPage(
  found: readonly WaymarkEvent[],
  limit: number,
): { readonly events: WaymarkEvent[]; readonly next: number | null } {
  const events: WaymarkEvent[] = [];
  let size = 0;
  for (const one of found.slice(0, limit)) {
    size += utf8Bytes(JSON.stringify(one)) + 1;
    if (size > PAGE_BYTES && events.length > 0) break;
    events.push(one);
  }
  return { events, next: events.length < found.length ? (events.at(-1)?.seq ?? null) : null };
}
