/**
 * One command per run at a time in this process: callers of the same run wait for each other instead of losing the
 * compare-and-set to each other. Only replicas compete.
 */
export class RunLanes {
  private readonly last = new Map<string, Promise<void>>();

  async take<T>(run: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(run);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.last.set(run, promise);
    await before;
    try {
      return await work();
    } finally {
      if (this.last.get(run) === promise) this.last.delete(run);
      resolve();
    }
  }
}
