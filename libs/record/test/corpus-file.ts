/** The files of `corpus/`: a released record with its bodies and its provider's log, as JSON that any language can read. */
import type { ProviderCall, StoredRow } from '../src/index.js';

/** Row hashes are hex; row bodies, bodies (by SHA-256) and requests as they arrived are base64. */
export interface CorpusFile {
  readonly run: string;
  readonly rows: readonly {
    readonly seq: number;
    readonly epoch: number;
    readonly kind: string;
    readonly body: string;
    readonly hash: string;
  }[];
  readonly bodies: Readonly<Record<string, string>>;
  readonly log: readonly { readonly id: string | null; readonly body: string }[];
}

export interface ReleasedRecord {
  readonly run: string;
  readonly rows: readonly StoredRow[];
  readonly bodies: ReadonlyMap<string, Uint8Array>;
  readonly log: readonly ProviderCall[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

export function decodeCorpusFile(json: string): ReleasedRecord {
  const file = JSON.parse(json) as CorpusFile;
  return {
    run: file.run,
    rows: file.rows.map((r) => ({ ...r, body: bytes(r.body), hash: new Uint8Array(Buffer.from(r.hash, 'hex')) })),
    bodies: new Map(Object.entries(file.bodies).map(([digest, body]) => [digest, bytes(body)])),
    log: file.log.map(({ id, body }) => ({ id, body: bytes(body) })),
  };
}

export function encodeCorpusFile(record: ReleasedRecord): string {
  const file: CorpusFile = {
    run: record.run,
    rows: record.rows.map(({ seq, epoch, kind, body, hash }) => ({
      seq,
      epoch,
      kind,
      body: base64(body),
      hash: Buffer.from(hash).toString('hex'),
    })),
    bodies: Object.fromEntries([...record.bodies].sort().map(([digest, body]) => [digest, base64(body)])),
    log: record.log.map(({ id, body }) => ({ id, body: base64(body) })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
