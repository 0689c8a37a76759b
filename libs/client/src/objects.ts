/** A bucket of the object store, for bodies that do not ride on messages; opened when it is first needed. */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import { Objm, type ObjectStore } from '@nats-io/obj';
import { TimeoutError } from '@nats-io/transport-node';
import type { Bucket } from '@waymark/contracts/streams';
import type { ObjectRef } from '@waymark/contracts/wire';
import { isDenied } from './caller.js';
import type { Connection } from './connection.js';
import { asWaymarkError, clientClosed, WaymarkError } from './waymark-error.js';

/** A document is stored at most so often; each try ends after the 5 s that NATS waits for a piece. */
const TRIES = 3;

export class Objects {
  #opened: Promise<ObjectStore> | undefined;
  /** Why the last piece was not stored: after it the store clears away, and where it may not, it tells of that alone. */
  #unstored: unknown;

  constructor(
    private readonly connection: Connection,
    private readonly bucket: Bucket,
  ) {}

  /** Stores bytes in a folder under a name that nobody else uses; anew when something was lost with the connection. */
  async put(folder: string, bytes: Uint8Array): Promise<ObjectRef> {
    for (let tries = 1; ; tries += 1) {
      const name = `${folder}/${randomUUID()}`;
      try {
        await this.#with(async (bucket) => await this.#store(bucket, name, bytes));
        return { name, size: bytes.length, digest: digestOf(bytes) };
      } catch (error) {
        if (tries === TRIES || !(error instanceof WaymarkError && error.cause instanceof TimeoutError)) throw error;
      }
    }
  }

  async #store(bucket: ObjectStore, name: string, bytes: Uint8Array): Promise<void> {
    try {
      await bucket.putBlob({ name }, bytes);
    } catch (error) {
      throw isDenied(error) ? (this.#unstored ?? error) : error;
    }
  }

  /** The bytes, checked by size and digest. Refuses `unknown_object`, `object_mismatch`. */
  async get(ref: ObjectRef): Promise<Uint8Array> {
    return await this.#with(async (bucket) => {
      const info = await bucket.info(ref.name);
      const bytes = info === null || info.deleted ? null : await inTime(ref, bucket.getBlob(ref.name));
      if (bytes === null) throw gone(ref);
      if (bytes.length !== ref.size || digestOf(bytes) !== ref.digest) {
        const message = `object "${ref.name}" is not the one that was named`;
        throw new WaymarkError({ code: 'object_mismatch', message, remedy: 'ask for it again' });
      }
      return bytes;
    });
  }

  async #with<T>(use: (bucket: ObjectStore) => Promise<T>): Promise<T> {
    this.#opened ??= new Objm(this.#publisher()).open(this.bucket.name);
    try {
      return await use(await this.#opened);
    } catch (error) {
      this.#opened = undefined;
      throw this.connection.nc.isClosed() || this.connection.nc.isDraining() ? clientClosed() : asWaymarkError(error);
    }
  }

  #publisher(): JetStreamClient {
    const client = jetstream(this.connection.nc);
    const publish = client.publish.bind(client);
    client.publish = async (...piece) => {
      try {
        return await publish(...piece);
      } catch (error) {
        this.#unstored = error;
        throw error;
      }
    };
    return client;
  }
}

/** An object that is deleted while it is read never comes to its end, so reading has a time: 2 s and 1 s for each MiB. */
async function inTime<T>(ref: ObjectRef, reading: Promise<T>): Promise<T | null> {
  const done = new AbortController();
  const late = pause(2_000 + ref.size / 1024, null, { signal: done.signal }).catch(() => null);
  return await Promise.race([reading, late]).finally(() => done.abort());
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const gone = ({ name }: ObjectRef): WaymarkError =>
  new WaymarkError({
    code: 'unknown_object',
    message: `no object "${name}", or not to its end`,
    remedy: 'ask for it again: what is rendered is kept for a while',
  });
