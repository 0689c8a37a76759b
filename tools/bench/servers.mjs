/** What the servers count themselves. */
import { connect } from 'node:net';
import { withClient } from '@waymark/testing';

/** @typedef {import('@waymark/testing/stack').Stack} Stack */

/**
 * @param {Stack} stack
 * @returns {Promise<{ walBytes: number, writes: number }>} position of the WAL, and the next transaction id: only a
 *   transaction that writes takes one, and it is exact at any moment
 */
export async function readWal(stack) {
  return await withClient(stack.postgres.url, async (db) => {
    const { rows } = await db.query(
      `select (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes",
         pg_snapshot_xmax(pg_current_snapshot())::text::float8 as writes`,
    );
    return rows[0];
  });
}

/** Transactions by database, committed and rolled back. A backend reports its own within ten idle seconds, or at its end.
 * @param {Stack} stack @returns {Promise<Record<string, number>>}
 */
export async function readTransactions(stack) {
  return await withClient(stack.postgres.url, async (db) => {
    const { rows } = await db.query(
      'select datname, (xact_commit + xact_rollback)::float8 as n from pg_stat_database where datname = any($1)',
      [Object.keys(stack.databases)],
    );
    return Object.fromEntries(rows.map(({ datname, n }) => [datname, n]));
  });
}

/** @typedef {{ database: string, query: string, calls: number, ms: number }} Statement */

/** @param {Stack} stack */
export async function prepareStatements(stack) {
  await withClient(stack.postgres.url, async (db) => await db.query('create extension pg_stat_statements'));
}

/** @param {Stack} stack */
export async function resetStatements(stack) {
  await withClient(stack.postgres.url, async (db) => await db.query('select pg_stat_statements_reset()'));
}

/** Statements by database, the most frequent first. BEGIN and COMMIT are among them: each is a round trip of its own.
 * @param {Stack} stack @returns {Promise<Statement[]>}
 */
export async function readStatements(stack) {
  return await withClient(stack.postgres.url, async (db) => {
    const { rows } = await db.query(
      `select d.datname as database, s.query, sum(s.calls)::float8 as calls, sum(s.total_exec_time)::float8 as ms
       from pg_stat_statements s join pg_database d on d.oid = s.dbid
       where d.datname = any($1) group by 1, 2 order by 3 desc, 4 desc`,
      [Object.keys(stack.databases)],
    );
    return rows;
  });
}

/** Bytes of every table, with indexes and TOAST, as `database.table`.
 * @param {Stack} stack @returns {Promise<Record<string, number>>}
 */
export async function readTableBytes(stack) {
  /** @type {Record<string, number>} */
  const bytes = {};
  for (const database of Object.keys(stack.databases)) {
    const tables = await withClient(inDatabase(stack, database), async (db) => {
      const { rows } = await db.query(
        `select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
      );
      return rows;
    });
    for (const table of tables) bytes[`${database}.${table.name}`] = table.bytes;
  }
  return bytes;
}

/** Gives back what documents in and boot have left behind, so that a later vacuum does not look like the run's saving.
 * @param {Stack} stack
 */
export async function vacuumAll(stack) {
  for (const database of Object.keys(stack.databases)) {
    await withClient(inDatabase(stack, database), async (db) => await db.query('vacuum'));
  }
}

/** Rows left in all outboxes; vacuums them, so that published rows do not count as stored.
 * @param {Stack} stack @returns {Promise<number>}
 */
export async function vacuumOutboxes(stack) {
  let left = 0;
  for (const database of Object.keys(stack.databases)) {
    left += await withClient(inDatabase(stack, database), async (db) => {
      const { rows: there } = await db.query(`select to_regclass('outbox') is not null as yes`);
      if (there[0]?.yes !== true) return 0;
      await db.query('vacuum outbox');
      const { rows } = await db.query('select count(*)::int as n from outbox');
      return rows[0].n;
    });
  }
  return left;
}

/** As superuser, because a service's own role may not vacuum or look at everything.
 * @param {Stack} stack @param {string} database
 */
export function inDatabase(stack, database) {
  const url = new URL(stack.postgres.url);
  url.pathname = `/${database}`;
  return url.href;
}

/** @typedef {{ sent: number, delivered: number, bytes: number, stored: number, waiting: number, lastSeq: number }} NatsCounters */

/**
 * Messages that clients sent to the server and that it delivered, their bytes (both ways), bytes in streams, and what
 * consumers have not taken or acknowledged yet.
 * @param {Stack} stack @returns {Promise<NatsCounters>}
 */
export async function readNats(stack) {
  const [vars, streams] = await Promise.all([
    readJson(`${stack.nats.monitorUrl}/varz`),
    readJson(`${stack.nats.monitorUrl}/jsz?accounts=true&streams=true&consumers=true`),
  ]);
  const details = /** @type {any[]} */ (streams.account_details ?? []).flatMap(
    (account) => account.stream_detail ?? [],
  );
  const consumers = details.flatMap((stream) => stream.consumer_detail ?? []);
  return {
    sent: vars.in_msgs,
    delivered: vars.out_msgs,
    bytes: vars.in_bytes + vars.out_bytes,
    stored: streams.bytes ?? 0,
    waiting: consumers.reduce(
      (sum, { num_pending = 0, num_ack_pending = 0 }) => sum + num_pending + num_ack_pending,
      0,
    ),
    lastSeq: details.reduce((sum, stream) => sum + (stream.state?.last_seq ?? 0), 0),
  };
}

/** @param {string} url @returns {Promise<any>} */
async function readJson(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return await response.json();
}

/** Commands that Redis has carried out.
 * @param {Stack} stack @returns {Promise<number>}
 */
export async function readRedisCommands(stack) {
  const { host, port, url } = stack.redis;
  const password = new URL(url).password;
  return await new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, host, () => socket.write(`AUTH ${password}\r\nINFO stats\r\n`));
    socket.setTimeout(5_000, () => socket.destroy(new Error('Redis does not answer')));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
      const found = /total_commands_processed:(\d+)\r\n/.exec(answer);
      if (found === null) return;
      socket.destroy();
      resolve(Number(found[1]));
    });
  });
}

/** What runs here, and how durable it is.
 * @param {Stack} stack
 */
export async function readVersions(stack) {
  const postgres = await withClient(stack.postgres.url, async (db) => {
    const { rows } = await db.query(
      `select current_setting('server_version') as version, current_setting('fsync') as fsync,
         current_setting('synchronous_commit') as "synchronousCommit"`,
    );
    return rows[0];
  });
  return { node: process.version, postgres, nats: (await readJson(`${stack.nats.monitorUrl}/varz`)).version };
}
