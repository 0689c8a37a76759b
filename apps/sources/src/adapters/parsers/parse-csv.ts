import { CsvError, parse } from 'csv-parse/sync';
import { decodeBytes } from '../../core/decode-bytes.js';
import { tableRows } from '../../core/table-rows.js';
import { unreadable } from '../../core/unreadable.js';
import type { ParseResult } from './parsed.js';

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** A CSV file as a table, every cell verbatim. What is no table (an unclosed quote) is kept as the text that it is. */
export function parseCsv(bytes: Uint8Array): ParseResult {
  const text = decodeBytes(bytes);
  if (text.trim() === '') return { ok: false, unreadable: unreadable('no_text', 'The file holds blanks only.') };
  try {
    const rows = readRows(text, delimiterOf(text));
    return { ok: true, parsed: { title: '', text: `${tableRows(rows)}\n`, pages: null } };
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    return { ok: true, parsed: { title: '', text, pages: null } };
  }
}

function readRows(text: string, delimiter: string, to?: number): string[][] {
  return parse(text, {
    delimiter,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: 0,
    ...(to === undefined ? {} : { to }),
  });
}

/** The one that gives the most columns in which most of the first rows agree. */
function delimiterOf(text: string): string {
  const sample = text.split(/\r?\n/, 50).join('\n');
  let best = { delimiter: ',', columns: 1 };
  for (const delimiter of DELIMITERS) {
    const columns = agreedColumns(sample, delimiter);
    if (columns > best.columns) best = { delimiter, columns };
  }
  return best.delimiter;
}

function agreedColumns(sample: string, delimiter: string): number {
  try {
    const counts = readRows(sample, delimiter, 20).map((row) => row.length);
    const [usual, times] = mostFrequent(counts);
    return times >= 0.8 * counts.length ? usual : 0;
  } catch {
    return 0;
  }
}

function mostFrequent(counts: readonly number[]): [value: number, times: number] {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, 0]);
}
