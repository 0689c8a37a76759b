/**
 * The log of a provider: JSON lines, `{"kind":"arrived","n":…,"id":"<run>/<request>"|null,"sha256":…,"bytesBase64":…}` for each
 * request, other kinds passed over; from a file or an address that gives such lines or pages `{entries, more}` (`?after=`).
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { WaymarkError } from '@waymark/client';
import type { ProofFinding } from './finding.js';
import { namesRun } from './request-ids.js';
import { strictBase64 } from './strict-bytes.js';
import { sha256Hex } from './stored-run.js';

export interface LogEntry {
  readonly where: string;
  readonly id: string | null;
  readonly sha256: string;
  /** Null when the log keeps digests only. */
  readonly body: Uint8Array | null;
}
export interface ProviderLog {
  /** Entries that may belong to the run: all that name it, in whatever spelling, and those without an id. */
  readonly entries: readonly LogEntry[];
  readonly findings: readonly ProofFinding[];
}

const PAGE = 500;
const PAGE_MS = 60_000;

export async function readProviderLog(source: string, run: string): Promise<ProviderLog> {
  const reader = new LogReader(run);
  try {
    if (/^https?:\/\//.test(source)) await readAddress(source, reader);
    else await readLines(source, reader);
  } catch (cause) {
    if (cause instanceof WaymarkError) throw cause;
    const message = `the provider's log ${source} cannot be read: ${(cause as Error).message}`;
    throw new WaymarkError(
      { code: 'no_provider_log', message, remedy: 'name a file or an address that you may read' },
      { cause },
    );
  }
  return reader;
}

class LogReader implements ProviderLog {
  readonly entries: LogEntry[] = [];
  readonly findings: ProofFinding[] = [];

  constructor(private readonly run: string) {}

  line(text: string, where: string): void {
    if (text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.find(where, 'it cannot be read');
      return;
    }
    if (typeof value !== 'object' || value === null || !('kind' in value)) this.find(where, 'it is no entry');
    else if (value.kind === 'arrived') this.entry(value, where);
    else if (value.kind !== 'answered') this.find(where, `no such kind of entry: ${String(value.kind)}`);
  }

  entry(value: object, where: string): void {
    const { id = null, sha256, size, bytesBase64 } = value as Readonly<Record<string, unknown>>;
    if ((id !== null && typeof id !== 'string') || typeof sha256 !== 'string') {
      this.find(where, 'it has no id or digest of the right kind');
      return;
    }
    if (id !== null && !namesRun(this.run, id)) return;
    try {
      const body = bytesBase64 === undefined ? null : strictBase64(bytesBase64);
      if (body && (sha256Hex(body) !== sha256 || body.length !== size))
        this.find(where, 'its bytes are not those of its digest and size');
      this.entries.push({ where, id, sha256, body });
    } catch (error) {
      this.find(where, (error as Error).message);
    }
  }

  private find(where: string, what: string): void {
    this.findings.push({ check: 'log', where, what });
  }
}

async function readLines(path: string, reader: LogReader): Promise<void> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number += 1;
    reader.line(line, `log line ${number}`);
  }
}

async function readAddress(address: string, reader: LogReader): Promise<void> {
  for (let after = 0; ;) {
    const url = new URL(address);
    url.searchParams.set('after', String(after));
    url.searchParams.set('limit', String(PAGE));
    const response = await fetch(url, { signal: AbortSignal.timeout(PAGE_MS) });
    if (!response.ok) throw new Error(`${url.origin} answered ${response.status}`);
    const text = await response.text();
    const page = asPage(text);
    if (!page) {
      for (const [i, line] of text.split('\n').entries()) reader.line(line, `log line ${i + 1}`);
      return;
    }
    for (const entry of page.entries) {
      after += 1;
      reader.entry(entry, `log entry ${after}`);
    }
    if (!page.more || page.entries.length === 0) return;
  }
}

function asPage(text: string): { entries: object[]; more: boolean } | null {
  try {
    const value = JSON.parse(text) as { entries?: unknown; more?: unknown };
    return Array.isArray(value.entries) ? { entries: value.entries as object[], more: value.more === true } : null;
  } catch {
    return null;
  }
}
