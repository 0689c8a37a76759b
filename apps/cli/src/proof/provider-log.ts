/**
 * The log of a provider: JSON lines, `{"kind":"arrived","n":…,"id":"<run>/<request>"|null,"sha256":…,"bytesBase64":…}` for each
 * request and `{"kind":"answered","n":…}` for each answer, where the provider keeps them; from a file or an address that gives
 * such lines or pages `{entries, more}` (`?after=`). A line may end with `"check"`, the SHA-256 of the line without it.
 */
import { Buffer } from 'node:buffer';
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
  /** Its number in the log, where lines are numbered. */
  readonly n: number | null;
}
export interface ProviderLog {
  /** Entries that may belong to the run: all that name it, in whatever spelling, and those without an id. */
  readonly entries: readonly LogEntry[];
  readonly findings: readonly ProofFinding[];
  /** Numbers that were answered; null when the log does not say what was answered. */
  readonly answered: ReadonlySet<number> | null;
}

/** At the end of a line: what the rest of the line hashes to. */
const CHECK = /,"check":"([0-9a-f]{64})"\}$/;
/** More requests than any one log holds. */
const LOG = 2 ** 32;
const PAGE = 500;
const PAGE_MS = 60_000;

export async function readProviderLog(source: string, run: string): Promise<ProviderLog> {
  const reader = new LogReader(run);
  try {
    if (/^https?:\/\//.test(source)) await readAddress(source, reader);
    else await readLines(source, reader);
  } catch (cause) {
    if (cause instanceof WaymarkError) throw cause;
    const message = `the provider's log ${source} cannot be read: ${reasonOf(cause as Error)}`;
    throw new WaymarkError(
      { code: 'no_provider_log', message, remedy: 'name a file or an address that you may read' },
      { cause },
    );
  }
  reader.end();
  return reader;
}

/** `fetch` says only that it failed; why stands below it, and without words where several addresses were tried. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  return cause.message || (cause as NodeJS.ErrnoException).code || message;
}

class LogReader implements ProviderLog {
  readonly entries: LogEntry[] = [];
  readonly findings: ProofFinding[] = [];
  readonly #arrived = new Set<number>();
  /** Logs one after another each count from their own beginning. */
  #logs = 0;
  #last = 0;
  readonly #answered = new Map<number, string>();
  /** Answers that stood before their request. */
  readonly #early = new Set<number>();
  readonly #unchecked: string[] = [];
  #checked = 0;

  constructor(private readonly run: string) {}

  get answered(): ReadonlySet<number> | null {
    return this.#answered.size === 0 ? null : new Set(this.#answered.keys());
  }

  /** What only the whole log shows. */
  end(): void {
    if (this.#checked > 0)
      for (const where of this.#unchecked) this.find(where, 'it has no check, and other lines have');
    const [first = Infinity] = this.#arrived; // a log may begin in the middle of others' requests
    for (const [n, where] of this.#answered) {
      if (n > first && !this.#arrived.has(n)) this.find(where, 'it answers a request that did not arrive');
      else if (this.#arrived.has(n) && this.#early.has(n)) this.find(where, 'it answers a request before it arrived');
    }
  }

  line(text: string, where: string): void {
    if (text.trim() === '') return;
    const check = CHECK.exec(text);
    if (!check) this.#unchecked.push(where);
    else {
      this.#checked += 1;
      if (sha256Hex(Buffer.from(`${text.slice(0, check.index)}}`)) !== check[1])
        this.find(where, 'it is not what was written');
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.find(where, 'it cannot be read');
      return;
    }
    if (typeof value !== 'object' || value === null || !('kind' in value)) this.find(where, 'it is no entry');
    else if (value.kind === 'arrived') this.entry(value, where);
    else if (value.kind === 'answered') this.answer(value, where);
    else this.find(where, `no such kind of entry: ${String(value.kind)}`);
  }

  private answer(value: object, where: string): void {
    const n = this.number(value);
    if (n === null) this.find(where, 'it has no number');
    else if (this.#answered.has(n)) this.find(where, 'it answers a request once more');
    else {
      this.#answered.set(n, where);
      if (!this.#arrived.has(n)) this.#early.add(n);
    }
  }

  entry(value: object, where: string): void {
    const { id = null, sha256, size, bytesBase64 } = value as Readonly<Record<string, unknown>>;
    const n = this.arrival(value);
    if ((id !== null && typeof id !== 'string') || typeof sha256 !== 'string') {
      this.find(where, 'it has no id or digest of the right kind');
      return;
    }
    if (id !== null && !namesRun(this.run, id)) return;
    try {
      const body = bytesBase64 === undefined ? null : strictBase64(bytesBase64);
      if (body && (sha256Hex(body) !== sha256 || body.length !== size))
        this.find(where, 'its bytes are not those of its digest and size');
      this.entries.push({ where, id, sha256, body, n });
    } catch (error) {
      this.find(where, (error as Error).message);
    }
  }

  private arrival(value: object): number | null {
    const n = numberIn(value);
    if (n === null) return null;
    if (n <= this.#last) this.#logs += 1;
    this.#last = n;
    const number = this.#logs * LOG + n;
    this.#arrived.add(number);
    return number;
  }

  private number(value: object): number | null {
    const n = numberIn(value);
    return n === null ? null : this.#logs * LOG + n;
  }

  private find(where: string, what: string): void {
    this.findings.push({ check: 'log', where, what });
  }
}

function numberIn(value: object): number | null {
  const { n } = value as { readonly n?: unknown };
  return typeof n === 'number' && Number.isInteger(n) ? n : null;
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
