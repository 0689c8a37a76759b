/**
 * The hash chain over stored bytes (L3).
 *
 * 1. genesis = SHA-256("waymark/genesis/v1\0" + run id)
 * 2. link    = SHA-256("waymark/record/v1\0" + previous (32) + seq (u64) + epoch (u64) + length of kind (u32) + kind +
 *              length of body (u32) + body); integers big-endian
 * 3. The digest function is an argument: the core stays free of the platform.
 */
export type DigestFunction = (bytes: Uint8Array) => Uint8Array;

const encoder = new TextEncoder();
const GENESIS = encoder.encode('waymark/genesis/v1\0');
const RECORD = encoder.encode('waymark/record/v1\0');

export function genesisHash(sha256: DigestFunction, run: string): Uint8Array {
  return sha256(concat([GENESIS, encoder.encode(run)]));
}

export interface Link {
  readonly seq: number;
  readonly epoch: number;
  readonly kind: string;
  readonly body: Uint8Array;
}

/** The hash of one row after `previous`. */
export function linkHash(sha256: DigestFunction, previous: Uint8Array, link: Link): Uint8Array {
  const kind = encoder.encode(link.kind);
  const head = new Uint8Array(RECORD.length + 32 + 8 + 8 + 4);
  const view = new DataView(head.buffer);
  head.set(RECORD, 0);
  head.set(previous, RECORD.length);
  let at = RECORD.length + 32;
  view.setBigUint64(at, BigInt(link.seq));
  at += 8;
  view.setBigUint64(at, BigInt(link.epoch));
  at += 8;
  view.setUint32(at, kind.length);
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, link.body.length);
  return sha256(concat([head, kind, size, link.body]));
}

export function toHex(bytes: Uint8Array): string {
  let out = '';
  for (const byte of bytes) out += byte.toString(16).padStart(2, '0');
  return out;
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const part of parts) size += part.length;
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
