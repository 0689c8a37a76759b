import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ask,
  findBinary,
  randomPassword,
  startServer,
  type Launch,
  type RunningServer,
  type Server,
} from './server.js';

/** Subjects that a user may use; NATS wildcards. */
export interface NatsSubjects {
  allow?: readonly string[];
  deny?: readonly string[];
}

export interface NatsUser {
  user: string;
  publish?: NatsSubjects;
  subscribe?: NatsSubjects;
  /** May answer requests on the asker's reply subject although `publish` does not name it; default true. */
  allowResponses?: boolean;
}

export interface NatsOptions {
  /** Users beside `admin`. Without `auth` anybody on 127.0.0.1 may do everything. */
  auth?: { users: readonly NatsUser[] };
}

/** How to connect as a user; fits `connect()` of the NATS client, whose URLs take no credentials. */
export interface NatsAccess {
  servers: string;
  user?: string;
  pass?: string;
}

/** A private NATS server with JetStream. `url` bears no credentials: with `auth` use `access`. */
export interface NatsServer extends Server {
  /** Access of one of the users given in `auth`, or of the administrator (all subjects). */
  access(user?: string): NatsAccess;
}

/** NATS's own limit: a message with its headers, in bytes. */
export const NATS_MAX_PAYLOAD = 1024 * 1024;
const ADMIN = 'admin';

/** Starts a private NATS server: JetStream on, own store folder, messages up to 1 MiB. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer & RunningServer> {
  const passwords = new Map(
    [ADMIN, ...(options.auth?.users ?? []).map(({ user }) => user)].map((u) => [u, randomPassword()]),
  );
  const server = await startServer({
    kind: 'nats',
    stopSignal: 'SIGTERM',
    orphanSignal: 'SIGKILL',
    async prepare(launch) {
      const path = join(launch.folder, 'nats.conf');
      writeFileSync(path, configuration(launch, options, passwords), { mode: 0o600 });
      return { command: findBinary('nats-server'), args: ['-c', path] };
    },
    async askName({ port }) {
      const greeting = await ask(port, '', (answer) => answer.includes('\r\n'));
      const info = greeting === undefined ? undefined : parseInfo(greeting);
      return info?.jetstream === true ? info.server_name : undefined;
    },
    url: ({ port }) => `nats://127.0.0.1:${port}`,
  });
  return {
    ...server,
    access(user = ADMIN): NatsAccess {
      if (options.auth === undefined && user === ADMIN) return { servers: server.url };
      const pass = passwords.get(user);
      if (pass === undefined) throw new Error(`no NATS user "${user}": name it in startNats({ auth: { users } })`);
      return { servers: server.url, user, pass };
    },
  };
}

function parseInfo(greeting: string): { server_name: string; jetstream?: boolean } {
  const line = greeting.slice(0, greeting.indexOf('\r\n'));
  if (!line.startsWith('INFO ')) return { server_name: `not a NATS server: ${line.slice(0, 80)}`, jetstream: true };
  return JSON.parse(line.slice('INFO '.length)) as { server_name: string; jetstream?: boolean };
}

function configuration({ name, port, folder }: Launch, options: NatsOptions, passwords: Map<string, string>): string {
  const lines = [
    `server_name: "${name}"`,
    `listen: "127.0.0.1:${port}"`,
    `max_payload: ${NATS_MAX_PAYLOAD}`,
    `jetstream { store_dir: "${join(folder, 'jetstream')}", max_memory_store: 256MB, max_file_store: 4GB }`,
  ];
  if (options.auth !== undefined) {
    const users = [
      `{ user: "${ADMIN}", password: "${passwords.get(ADMIN)}" }`,
      ...options.auth.users.map((user) => userEntry(user, passwords.get(user.user) ?? '')),
    ];
    lines.push(`authorization { users: [\n  ${users.join('\n  ')}\n] }`);
  }
  return lines.join('\n') + '\n';
}

function userEntry({ user, publish, subscribe, allowResponses = true }: NatsUser, password: string): string {
  const permissions = [
    ...(publish ? [`publish: ${JSON.stringify(publish)}`] : []),
    ...(subscribe ? [`subscribe: ${JSON.stringify(subscribe)}`] : []),
    ...(allowResponses ? ['allow_responses: true'] : []),
  ];
  return `{ user: "${user}", password: "${password}", permissions: { ${permissions.join(', ')} } }`;
}
