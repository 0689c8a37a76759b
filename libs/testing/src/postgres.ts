import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  findBinary,
  randomPassword,
  startServer,
  unprivilegedUser,
  type RunningServer,
  type Server,
} from './server.js';

export interface PostgresOptions {
  /** `fsync` off: faster, loses data with the machine's power, not with a killed process. Never for benchmarks. */
  fast?: boolean;
  /** Further settings of postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
}

/** A private PostgreSQL. `url` is the superuser's, on database `postgres`. */
export type PostgresServer = Server;

const SUPERUSER = 'postgres';

/** Starts a private PostgreSQL server (0.8–1.5 s, most of it `initdb`). Durable unless `fast`. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer & RunningServer> {
  const password = randomPassword();
  const user = unprivilegedUser('postgres');
  const urlOf = (port: number): string => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
  return await startServer({
    kind: 'postgres',
    user,
    stopSignal: 'SIGINT', // fast shutdown: does not wait for clients
    orphanSignal: 'SIGQUIT', // immediate shutdown: takes its backends along
    async prepare({ name, port, folder }) {
      const data = join(folder, 'data');
      initialize(data, folder, password, user);
      const settings: Record<string, string> = {
        port: String(port),
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        cluster_name: name,
        max_connections: '200',
        shared_buffers: '64MB',
        ...(options.fast ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
        ...options.settings,
      };
      const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
      return { command: findBinary('postgres'), args: ['-D', data, ...args] };
    },
    async askName({ port }) {
      return await withClient(urlOf(port), async (client) => {
        const { rows } = await client.query<{ cluster_name: string }>('show cluster_name');
        return rows[0]?.cluster_name;
      }).catch(() => undefined);
    },
    url: ({ port }) => urlOf(port),
  });
}

function initialize(data: string, folder: string, password: string, user: string | undefined): void {
  const passwordFile = join(folder, 'superuser');
  writeFileSync(passwordFile, password);
  chmodSync(passwordFile, 0o644); // readable for the system user of PostgreSQL; the folder itself is 0700
  const initdb = [
    findBinary('initdb'),
    ...['-D', data, '-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ...['--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '--no-instructions'],
  ];
  const asUser = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'];
  const [command, ...args] = [...asUser, ...initdb] as [string];
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd: folder, timeout: 60_000 });
  if (status !== 0) throw new Error(`initdb failed: ${error === undefined ? stderr.trim() : String(error)}`);
}

/** Runs `work` with a connected client and closes it. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined); // the server may be killed under us: the query in flight rejects anyway
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
