/** A bucket of the object store, opened when it is first needed; it fails like everything here. */
import { ObjectStore, type Bus, type ObjectRef } from '@waymark/messaging/client';
import type { Bucket } from '@waymark/contracts/streams';
import { asWaymarkError } from './waymark-error.js';

export class Objects {
  private opened: Promise<ObjectStore> | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly bucket: Bucket,
  ) {}

  async put(name: string, bytes: Uint8Array): Promise<ObjectRef> {
    return await this.with((store) => store.put(name, bytes));
  }

  /** The bytes, checked by size and digest. Refuses `unknown_object`, `object_mismatch`. */
  async get(ref: ObjectRef): Promise<Uint8Array> {
    return await this.with((store) => store.get(ref));
  }

  private async with<T>(use: (store: ObjectStore) => Promise<T>): Promise<T> {
    this.opened ??= ObjectStore.open(this.bus.nc, this.bucket);
    try {
      return await use(await this.opened);
    } catch (error) {
      this.opened = undefined;
      throw asWaymarkError(error);
    }
  }
}
