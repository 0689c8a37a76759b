/** Stored bodies by digest: what this owner holds, then Redis, then the database. Bounded by bytes. */
import type { NewBody, RecordStore } from '@waymark/persistence/holder';
import { encodeText, type TextRef } from '@waymark/record';
import type { HotBodies } from '../adapters/redis/hot-bodies.js';
import { sha256 } from './sha256.js';

/** Bodies kept by one run's owner, in bytes; what stands in the request is kept rendered besides. */
const KEPT_BYTES = 1024 * 1024;

export class MissingBody extends Error {}

export class BodyCache {
  readonly #kept = new Map<string, Uint8Array>();
  #bytes = 0;

  constructor(
    private readonly store: RecordStore,
    private readonly run: string,
    private readonly hot: HotBodies,
    /** Commits what this owner has noted, and waits for what is on its way. */
    private readonly durable: () => Promise<void>,
  ) {}

  /** A text as a body to be stored, with its reference (C2, F-R7). */
  put(text: string): { readonly ref: TextRef; readonly body: NewBody } {
    const { bytes, escaped } = encodeText(text);
    return this.putBytes(bytes, escaped);
  }

  putBytes(bytes: Uint8Array, escaped = false): { readonly ref: TextRef; readonly body: NewBody } {
    const digest = sha256(bytes);
    const hex = digest.toString('hex');
    this.#keep(hex, bytes);
    this.hot.put(this.run, hex, bytes);
    return {
      ref: { digest: hex, bytes: bytes.length, ...(escaped ? { escaped: true as const } : {}) },
      body: { digest, body: bytes },
    };
  }

  /** The body; it must have been loaded. */
  get(ref: TextRef): Uint8Array {
    const bytes = this.#kept.get(ref.digest);
    if (!bytes) throw new MissingBody(`body ${ref.digest} was not loaded`);
    return bytes;
  }

  has(ref: TextRef): boolean {
    return this.#kept.has(ref.digest);
  }

  /** Loads what is not held; they stay until the next load. */
  async load(refs: readonly TextRef[]): Promise<void> {
    let missing = [...new Set(refs.filter((r) => !this.#kept.has(r.digest)).map((r) => r.digest))];
    if (missing.length === 0) return;
    this.#trim(refs);
    const hot = await this.hot.get(this.run, missing);
    for (const [hex, bytes] of hot) if (sha256(bytes).toString('hex') === hex) this.#keep(hex, bytes);
    missing = await this.#read(missing);
    if (missing.length === 0) return;
    // A large body may have been let go while its commit was still on its way.
    await this.durable();
    const [absent] = await this.#read(missing);
    if (absent !== undefined) throw new MissingBody(`body ${absent} is not stored`);
  }

  /** Reads what is not held; returns what the database does not have. */
  async #read(wanted: readonly string[]): Promise<string[]> {
    const missing = wanted.filter((hex) => !this.#kept.has(hex));
    if (missing.length === 0) return [];
    const rows = await this.store.bodies(
      this.run,
      missing.map((hex) => Buffer.from(hex, 'hex')),
    );
    for (const row of rows) this.#keep(row.digest.toString('hex'), row.body);
    return missing.filter((hex) => !this.#kept.has(hex));
  }

  #keep(hex: string, bytes: Uint8Array): void {
    if (this.#kept.has(hex)) return;
    this.#kept.set(hex, bytes);
    this.#bytes += bytes.length;
  }

  #trim(wanted: readonly TextRef[]): void {
    if (this.#bytes <= KEPT_BYTES) return;
    const keep = new Set(wanted.map((r) => r.digest));
    for (const [hex, bytes] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES / 2) return;
      if (keep.has(hex)) continue;
      this.#kept.delete(hex);
      this.#bytes -= bytes.length;
    }
  }

  /** Called once a turn: lets old bodies go. */
  settle(): void {
    this.#trim([]);
  }
}
