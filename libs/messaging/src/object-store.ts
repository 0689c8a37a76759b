import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { Objm, StorageType, type ObjectStore as NatsObjectStore } from '@nats-io/obj';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { Bucket } from '@waymark/contracts/streams';
import type { z } from 'zod';
import type { objectRef } from '@waymark/contracts/wire';
import { reasonOf } from './connect-nats.js';
import { isOutage } from './is-outage.js';
import { WireError } from './wire-error.js';

export type ObjectRef = z.infer<typeof objectRef>;

const RETRY_MS = 500;

/** Bodies that do not ride on messages: they travel as {name, size, digest}. */
export class ObjectStore {
  private constructor(
    private readonly bucket: NatsObjectStore,
    private readonly stream: { readonly name: string; readonly manager: JetStreamManager },
  ) {}

  private static async of(nc: NatsConnection, name: string, bucket: NatsObjectStore): Promise<ObjectStore> {
    return new ObjectStore(bucket, { name: `OBJ_${name}`, manager: await jetstreamManager(nc) });
  }

  /** For the bucket's owner: creates it if it is missing. A broker that is away is waited for until `nc` is closed. */
  static async own(nc: NatsConnection, { name, ttlMs }: Bucket): Promise<ObjectStore> {
    for (;;) {
      try {
        return await ObjectStore.of(
          nc,
          name,
          await new Objm(nc).create(name, { storage: StorageType.File, ttl: nanos(ttlMs) }),
        );
      } catch (error) {
        if (nc.isClosed() || !isOutage(error)) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  /** For everybody else. Throws a WireError `unavailable` while its owner has not made it. */
  static async open(nc: NatsConnection, { name, owner }: Bucket): Promise<ObjectStore> {
    try {
      return await ObjectStore.of(nc, name, await new Objm(nc).open(name));
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
    const bytes = await this.readChunks(ref, info.nuid, info.chunks);
    if (bytes.length !== ref.size) throw mismatch(ref, `it has ${bytes.length} bytes, not ${ref.size}`);
    if (digestOf(bytes) !== ref.digest) throw mismatch(ref, 'its SHA-256 is another');
    return bytes;
  }

  /**
   * Chunk by chunk, each asked for. The client reads by a consumer that pushes; who may create one may have the broker send
   * what the bucket holds to any subject, as if somebody else had sent it (users.conf).
   */
  private async readChunks(ref: ObjectRef, id: string, chunks: number): Promise<Uint8Array> {
    const subject = `$O.${this.bucketName}.C.${id}`;
    const parts: Uint8Array[] = [];
    for (let seq = 1, size = 0; parts.length < chunks && size <= ref.size;) {
      const next = { seq, next_by_subj: subject };
      const chunk = await this.stream.manager.streams.getMessage(this.stream.name, next);
      if (chunk === null) throw cutShort(ref);
      parts.push(chunk.data);
      size += chunk.data.length;
      seq = chunk.seq + 1;
    }
    return Buffer.concat(parts);
  }

  private get bucketName(): string {
    return this.stream.name.slice('OBJ_'.length);
  }

  /** Deleting what is not there is no error. */
  async delete(name: string): Promise<void> {
    if ((await this.bucket.info(name)) !== null) await this.bucket.delete(name);
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function cutShort({ name }: ObjectRef): WireError {
  const message = `object "${name}" could not be read to its end`;
  const remedy = 'upload it again under another name, and send that';
  return new WireError({ code: 'unknown_object', message, remedy, field: 'object.name' });
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
