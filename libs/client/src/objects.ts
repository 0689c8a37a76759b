/** The object store, opened when it is first needed; it fails like everything here. */
import { ObjectStore, type Bus, type ObjectRef } from '@waymark/messaging/client';
import { asWaymarkError } from './waymark-error.js';

export class Objects {
  private opened: Promise<ObjectStore> | undefined;

  constructor(private readonly bus: Bus) {}

  async put(name: string, bytes: Uint8Array): Promise<ObjectRef> {
    return await this.with((store) => store.put(name, bytes));
  }

  /** The bytes, checked by size and digest. Refuses `unknown_object`, `object_mismatch`. */
  async get(ref: ObjectRef): Promise<Uint8Array> {
    return await this.with((store) => store.get(ref));
  }

  async delete(name: string): Promise<void> {
    await this.with((store) => store.delete(name));
  }

  private async with<T>(use: (store: ObjectStore) => Promise<T>): Promise<T> {
    this.opened ??= ObjectStore.open(this.bus.nc);
    try {
      return await use(await this.opened);
    } catch (error) {
      this.opened = undefined;
      throw asWaymarkError(error);
    }
  }
}
