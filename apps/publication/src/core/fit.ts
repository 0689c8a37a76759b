/** What fits a message: pages by bytes and the parts of a report. Sizes are bytes of JSON as sent. */
import { INLINE_BYTES, MAX_BODY_BYTES } from '@waymark/contracts/wire';
import { utf8Bytes } from './utf8-bytes.js';

/** Room for the reply around its content. */
const ENVELOPE_BYTES = 1024;
const PAGE_BYTES = MAX_BODY_BYTES - ENVELOPE_BYTES;

export const jsonBytes = (value: unknown): number => utf8Bytes(JSON.stringify(value));

/** As many items as one reply holds, at least one; `next` is the cursor of the last when there is more to ask for. */
export function fitPage<T>(
  found: readonly T[],
  limit: number,
  cursorOf: (item: T) => number,
): { readonly items: readonly T[]; readonly next: number | null } {
  const items: T[] = [];
  let bytes = 0;
  for (const item of found.slice(0, limit)) {
    bytes += jsonBytes(item) + 1;
    if (items.length > 0 && bytes > PAGE_BYTES) break;
    items.push(item);
  }
  return { items, next: items.length < found.length ? cursorOf(items.at(-1)!) : null };
}

/** Where the report and its rendering go: into the reply, into the object store, or nowhere. */
export interface ReportFit {
  readonly report: 'inline' | 'stored' | 'left_out';
  readonly rendered: 'inline' | 'stored' | 'none';
}

export function fitReport(reportBytes: number, renderedBytes: number | null): ReportFit {
  const fits = (bytes: number): boolean => bytes <= INLINE_BYTES - ENVELOPE_BYTES;
  if (renderedBytes === null) return { report: fits(reportBytes) ? 'inline' : 'stored', rendered: 'none' };
  return {
    report: fits(reportBytes) ? 'inline' : 'left_out',
    rendered: fits(renderedBytes) ? 'inline' : 'stored',
  };
}
