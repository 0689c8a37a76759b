/** One service's PostgreSQL: connection, migrations, and the outbox with its relay. */
export { type ConnectDbOptions, type MigrationClass } from './data-source.js';
export { Db, type DbOptions } from './db.js';
export { migrate } from './migrate.js';
export {
  factRow,
  insertOutbox,
  OUTBOX_COLUMNS,
  OUTBOX_DDL,
  outboxInsertSql,
  outboxParams,
  outboxRow,
  type OutboxRow,
} from './outbox.js';
export { OutboxRelay, type OutboxRelayOptions } from './outbox-relay.js';
export { type Queryable, type Tx } from './queryable.js';
export { readFacts } from './read-facts.js';
