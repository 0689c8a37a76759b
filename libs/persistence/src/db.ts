import { reasonOf } from '@waymark/messaging';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type pg from 'pg';
import { connectDataSource, waiting, type ConnectDbOptions } from './data-source.js';
import { missingMigration } from './migrate.js';
import type { Queryable, Tx } from './queryable.js';

export type DbOptions = ConnectDbOptions;

/** One service's database: TypeORM's data source, and its driver's pool for statements of our own. */
export class Db implements Queryable {
  private readonly pool: pg.Pool;

  private constructor(readonly dataSource: DataSource) {
    this.pool = (dataSource.driver as PostgresDriver).master as pg.Pool;
  }

  /**
   * Waits for the server and for the newest migration, saying which it waits for (a service never migrates itself).
   * Rejects only when `signal` says so.
   */
  static async open(options: DbOptions): Promise<Db> {
    const db = new Db(await connectDataSource(options));
    const wait = waiting(options);
    try {
      for (;;) {
        options.signal?.throwIfAborted();
        const missing = await missingMigration(db, options.migrations).catch((error: unknown) => reasonOf(error));
        if (missing === undefined) return db;
        await wait(`waiting for the database: ${missing}`);
      }
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  async query<T>(sql: string, params: readonly unknown[] = []): Promise<T[]> {
    return (await this.pool.query(sql, params as unknown[])).rows as T[];
  }

  async prepared<T>(name: string, sql: string, params: readonly unknown[] = []): Promise<T[]> {
    return (await this.pool.query({ name, text: sql, values: params as unknown[] })).rows as T[];
  }

  /**
   * Runs `work` in a transaction of the server's default isolation (read committed) and commits. What `work` throws
   * rolls back and comes through; so does the server's own refusal (deadlock, serialization), which is not retried.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await this.connection();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(txOn(client));
      const { command } = await client.query('COMMIT');
      // A statement failed and `work` hid it: the server rolled back and calls that a success.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
      return result;
    } catch (error) {
      broken = await rollback(client);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** A connection of its own, out of the pool until it is released. One that breaks meanwhile fails its next statement. */
  async connection(): Promise<pg.PoolClient> {
    const client = await this.pool.connect();
    // The pool listens to idle clients only; a break between two statements would end the process.
    if (!client.listeners('error').includes(nextStatementSaysIt)) client.on('error', nextStatementSaysIt);
    return client;
  }

  /** `true`, or why the database does not answer. */
  async ping(): Promise<true | string> {
    try {
      await this.pool.query('SELECT 1');
      return true;
    } catch (error) {
      return reasonOf(error);
    }
  }

  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}

function nextStatementSaysIt(): void {}

function txOn(client: pg.PoolClient): Tx {
  return {
    async query<T>(sql: string, params: readonly unknown[] = []): Promise<T[]> {
      return (await client.query(sql, params as unknown[])).rows as T[];
    },
    async prepared<T>(name: string, sql: string, params: readonly unknown[] = []): Promise<T[]> {
      return (await client.query({ name, text: sql, values: params as unknown[] })).rows as T[];
    },
  };
}

/** An error means that the connection is of no use any more. */
async function rollback(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
