import { createHash } from 'node:crypto';
import {
  createReadStream,
  openSync,
  readSync,
  closeSync,
  fstatSync,
  mkdirSync,
  writeSync,
  appendFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** A request that arrived. `bytesBase64` stands in the file unless bodies are off. */
export interface Arrival {
  n: number;
  at: string;
  /** The `x-waymark-request` header. */
  id: string | null;
  /** The API by which it came. */
  api: string;
  model: string;
  purpose: string | null;
  size: number;
  sha256: string;
}

/** How it was answered; absent while it still is. */
export interface Answered {
  n: number;
  answeredWith: string;
  /** When the first byte of the answer was handed to the socket; null if none was. */
  firstByteAt: string | null;
  endedAt: string;
  disconnected: boolean;
}

export type LogEntry = Arrival & Partial<Omit<Answered, 'n'>> & { bytesBase64?: string };

interface Indexed {
  entry: Arrival & Partial<Answered>;
  /** Where the arrival's line stands in the file. */
  offset: number;
  length: number;
}

/**
 * Append-only JSON lines: `{"kind":"arrived",…}` is written before the request is answered, `{"kind":"answered",…}`
 * after it. Each body is there once, base64, exactly as it arrived, so that base64 and sha256sum can check it.
 * Each line ends with `"check"`, the SHA-256 of the line without it, so that damage on the way is found in any of its fields.
 * Without a file only digests are kept, in memory.
 */
export class RequestLog {
  private readonly entries: Indexed[] = [];
  private size = 0;

  private constructor(
    private readonly fd: number | undefined,
    private readonly bodies: boolean,
  ) {}

  /** Goes on after what the file already holds; a torn last line is closed off and ignored. */
  static async open(path: string | undefined, bodies: boolean): Promise<RequestLog> {
    if (path === undefined) return new RequestLog(undefined, false);
    mkdirSync(dirname(path), { recursive: true });
    const fd = openSync(path, 'a+');
    const log = new RequestLog(fd, bodies);
    await log.index(path);
    return log;
  }

  /** In the file before the answer may begin. Written at once: handing so little to another thread costs more. */
  arrived(request: Pick<Arrival, 'id' | 'api' | 'model' | 'purpose'> & { bytes: Buffer }): number {
    const { id, api, model, purpose, bytes } = request;
    const n = this.entries.length + 1;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const entry: Arrival = { n, at: new Date().toISOString(), id, api, model, purpose, size: bytes.length, sha256 };
    const indexed: Indexed = { entry, offset: 0, length: 0 };
    this.entries.push(indexed);
    if (this.fd === undefined) return n;
    const line = sealed({
      kind: 'arrived',
      ...entry,
      ...(this.bodies ? { bytesBase64: bytes.toString('base64') } : {}),
    });
    const length = Buffer.byteLength(line);
    indexed.offset = this.size;
    indexed.length = length;
    this.size += length + 1;
    appendFileSync(this.fd, `${line}\n`);
    return n;
  }

  answered(answered: Answered): void {
    const indexed = this.entries[answered.n - 1];
    if (indexed) Object.assign(indexed.entry, answered);
    if (this.fd === undefined) return;
    const line = `${sealed({ kind: 'answered', ...answered })}\n`;
    this.size += Buffer.byteLength(line);
    appendFileSync(this.fd, line);
  }

  /** Entries after `after`, at most `limit`, bodies (if kept) up to about 32 MiB a page. */
  page(after: number, limit: number, digestsOnly: boolean): { entries: LogEntry[]; more: boolean } {
    const out: LogEntry[] = [];
    let bytes = 0;
    for (const indexed of this.entries.slice(after, after + limit)) {
      if (bytes > 32 * 1024 * 1024) break;
      const body = digestsOnly || !this.bodies ? undefined : this.bodyOf(indexed);
      bytes += body?.length ?? 0;
      out.push({ ...indexed.entry, ...(body === undefined ? {} : { bytesBase64: body }) });
    }
    return { entries: out, more: after + out.length < this.entries.length };
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
  }

  private bodyOf({ offset, length }: Indexed): string | undefined {
    if (this.fd === undefined) return undefined;
    const line = Buffer.alloc(length);
    if (readSync(this.fd, line, 0, length, offset) < length) return undefined;
    const body: unknown = (JSON.parse(line.toString('utf8')) as LogEntry).bytesBase64;
    return typeof body === 'string' ? body : undefined;
  }

  private async index(path: string): Promise<void> {
    let offset = 0;
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      const length = Buffer.byteLength(line);
      this.take(line, offset, length);
      offset += length + 1;
    }
    const size = this.fd === undefined ? 0 : fstatSync(this.fd).size;
    if (this.fd !== undefined && size < offset) writeSync(this.fd, '\n');
    this.size = Math.max(size, offset);
  }

  private take(line: string, offset: number, length: number): void {
    let value: Record<string, unknown>;
    try {
      value = JSON.parse(line) as Record<string, unknown>;
    } catch {
      return;
    }
    const { kind, ...fields } = value;
    delete fields.bytesBase64;
    delete fields.check;
    if (kind === 'arrived') this.entries.push({ entry: fields as unknown as Arrival, offset, length });
    const indexed = kind === 'answered' ? this.entries[(fields.n as number) - 1] : undefined;
    if (indexed) Object.assign(indexed.entry, fields);
  }
}

function sealed(value: object): string {
  const text = JSON.stringify(value);
  return `${text.slice(0, -1)},"check":"${createHash('sha256').update(text).digest('hex')}"}`;
}
