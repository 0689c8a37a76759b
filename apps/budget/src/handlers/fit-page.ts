import { Buffer } from 'node:buffer';
import type { WaymarkEvent } from '@waymark/contracts/wire';

/** The first events that fit: `limit` and `bytes` of JSON at most, but one at least. `next` is null at the end. */
export function fitPage(
  events: readonly WaymarkEvent[],
  limit: number,
  bytes: number,
): { events: WaymarkEvent[]; next: number | null } {
  const page: WaymarkEvent[] = [];
  let room = bytes;
  for (const event of events.slice(0, limit)) {
    room -= Buffer.byteLength(JSON.stringify(event));
    if (room < 0 && page.length > 0) break;
    page.push(event);
  }
  return { events: page, next: page.length < events.length ? (page.at(-1)?.seq ?? null) : null };
}
