import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Objm, StorageType, type ObjectStore as NatsObjectStore } from '@nats-io/obj';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { Bucket } from '@waymark/contracts/streams';
import type { z } from 'zod';
import type { objectRef } from '@waymark/contracts/wire';
import { reasonOf } from './connect-nats.js';
import { WireError } from './wire-error.js';

export type ObjectRef = z.infer<typeof objectRef>;

/** Bodies that do not ride on messages: they travel as {name, size, digest}. */
export class ObjectStore {
  private constructor(private readonly bucket: NatsObjectStore) {}

  /** For the bucket's owner: creates it if it is missing. */
  static async own(nc: NatsConnection, { name, ttlMs }: Bucket): Promise<ObjectStore> {
    return new ObjectStore(await new Objm(nc).create(name, { storage: StorageType.File, ttl: nanos(ttlMs) }));
  }

  /** For everybody else. Throws a WireError `unavailable` while its owner has not made it. */
  static async open(nc: NatsConnection, { name, owner }: Bucket): Promise<ObjectStore> {
    try {
      return new ObjectStore(await new Objm(nc).open(name));
    } catch (cause) {
      const message = `the object store has no bucket ${name} yet, or does not answer: ${reasonOf(cause)}`;
      throw new WireError({ code: 'unavailable', message, remedy: `ask again when ${owner} is up, which makes it` });
    }
  }

  /** Stores bytes under a name; the same name again replaces them. */
  async put(name: string, bytes: Uint8Array): Promise<ObjectRef> {
    await this.bucket.putBlob({ name }, bytes);
    return { name, size: bytes.length, digest: digestOf(bytes) };
  }

  /** The bytes that `ref` names, checked. Throws a WireError: `unknown_object`, `object_mismatch`. */
  async get(ref: ObjectRef): Promise<Uint8Array> {
    const info = await this.bucket.info(ref.name);
    if (info === null || info.deleted) throw unknown(ref);
    if (info.size !== ref.size) throw mismatch(ref, `it has ${info.size} bytes, not ${ref.size}`);
    const late = new AbortController();
    const bytes = await Promise.race([this.bucket.getBlob(ref.name), tooLate(ref, late.signal)]).finally(() =>
      late.abort(),
    );
    if (bytes === null) throw unknown(ref);
    if (bytes.length !== ref.size) throw mismatch(ref, `it has ${bytes.length} bytes, not ${ref.size}`);
    if (digestOf(bytes) !== ref.digest) throw mismatch(ref, 'its SHA-256 is another');
    return bytes;
  }

  /** Deleting what is not there is no error. */
  async delete(name: string): Promise<void> {
    if ((await this.bucket.info(name)) !== null) await this.bucket.delete(name);
  }
}

/** An object that is deleted while it is read never comes to its end, so reading has a time: 2 s and 1 s for each MiB. */
async function tooLate({ name, size }: ObjectRef, signal: AbortSignal): Promise<never> {
  await pause(2_000 + size / 1024, undefined, { signal, ref: false });
  const message = `object "${name}" could not be read to its end`;
  const remedy = 'upload it again under another name, and send that';
  throw new WireError({ code: 'unknown_object', message, remedy, field: 'object.name' });
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function unknown({ name }: ObjectRef): WireError {
  const remedy = 'upload it to the object store first, then name it';
  return new WireError({ code: 'unknown_object', message: `no object "${name}"`, remedy, field: 'object.name' });
}

function mismatch({ name }: ObjectRef, why: string): WireError {
  const remedy = 'upload it again and send the size and SHA-256 of those bytes';
  return new WireError({
    code: 'object_mismatch',
    message: `object "${name}": ${why}`,
    remedy,
    field: 'object.digest',
  });
}
