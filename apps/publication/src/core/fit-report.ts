/** What of a report fits a message. Sizes are bytes of JSON as sent. */
import { INLINE_BYTES } from '@waymark/contracts/wire';
import { utf8Bytes } from './utf8-bytes.js';

/** Room for the reply around its content. */
const ENVELOPE_BYTES = 1024;

export const jsonBytes = (value: unknown): number => utf8Bytes(JSON.stringify(value));

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
