import { silent } from '@waymark/messaging';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type pg from 'pg';
import { connectDataSource, MIGRATIONS_TABLE, type ConnectDbOptions, type MigrationClass } from './data-source.js';
import type { Queryable } from './queryable.js';

/** Advisory locks are per database; any constant that nobody else uses there. */
const MIGRATION_LOCK = 0x57_41_59_01;
const UNDEFINED_TABLE = '42P01';

/**
 * Brings a database to the newest schema: waits for the server, then for others that migrate it, then runs what is
 * missing, each migration in a transaction. A job of its own; resolves with the names of what it ran.
 */
export async function migrate(options: ConnectDbOptions): Promise<string[]> {
  const { log = silent } = options;
  const dataSource = await connectDataSource({ ...options, poolSize: 2 });
  try {
    const pool = (dataSource.driver as PostgresDriver).master as pg.Pool;
    const holder = await pool.connect();
    try {
      await holder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const ran = await dataSource.runMigrations({ transaction: 'each' });
      const names = ran.map(({ name }) => name);
      log.info({ migrations: names }, names.length === 0 ? 'nothing to migrate' : 'migrated');
      return names;
    } finally {
      holder.release(true); // closing the session gives the lock back
    }
  } finally {
    await dataSource.destroy();
  }
}

/** What is missing in words, or `undefined`. A database that is ahead of this release is fine: migrations go forward. */
export async function missingMigration(
  db: Queryable,
  migrations: readonly MigrationClass[],
): Promise<string | undefined> {
  const newest = migrations.at(-1);
  if (newest === undefined) return undefined;
  const name = new newest().name ?? newest.name;
  const advice = `migration ${name} is not applied; run the migrate job`;
  try {
    const rows = await db.query(`SELECT 1 FROM ${MIGRATIONS_TABLE} WHERE name = $1`, [name]);
    return rows.length > 0 ? undefined : advice;
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return advice;
    throw error;
  }
}
