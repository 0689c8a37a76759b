import { CsvError, parse } from 'csv-parse/sync';
import { decodeBytes } from '../../core/decode-bytes.js';
import { tableRow, tableRule } from '../../core/table-rows.js';
import { unreadable } from '../../core/unreadable.js';
import type { ParseResult } from './parsed.js';

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** A CSV file as a table, every cell verbatim. What is no table (an unclosed quote) is kept as the text that it is. */
export function parseCsv(bytes: Uint8Array): ParseResult {
  const text = decodeBytes(bytes);
  if (text.trim() === '') return { ok: false, unreadable: unreadable('no_text', 'The file holds blanks only.') };
  try {
    return { ok: true, parsed: { title: '', text: tableOf(text, delimiterOf(text)), pages: null } };
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    return { ok: true, parsed: { title: '', text, pages: null } };
  }
}

const OPTIONS = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true, max_record_size: 0 } as const;
const ROWS_A_PIECE = 5_000;

/** Row by row: millions of rows as arrays would take many times the memory of their text. */
function tableOf(text: string, delimiter: string): string {
  const pieces: string[] = [];
  let lines: string[] = [];
  let empty = true;
  const take = (row: readonly string[]): null => {
    lines.push(tableRow(row));
    if (empty) lines.push(tableRule(row.length));
    empty = false;
    if (lines.length >= ROWS_A_PIECE) {
      pieces.push(`${lines.join('\n')}\n`);
      lines = [];
    }
    return null; // it is not kept
  };
  parse(text, { ...OPTIONS, delimiter, on_record: take });
  if (lines.length > 0) pieces.push(`${lines.join('\n')}\n`);
  return pieces.join('');
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
    const counts = parse(sample, { ...OPTIONS, delimiter, to: 20 }).map((row) => row.length);
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
