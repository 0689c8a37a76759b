import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.js';
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
  /**
   * Without it anybody on 127.0.0.1 may do everything. `users`: these, beside `admin`. `usersFile`: a users.conf as it is
   * deployed (path), beside `admin`; each `$NAME_NATS_PASSWORD` in it gets a random value, and who brings no credentials is
   * `anonymous`, one of its users, or is refused.
   */
  auth?: { users: readonly NatsUser[] } | { usersFile: string; anonymous?: string };
  /** Serves the server's own counters (`/varz`, `/jsz`) over HTTP; `monitorUrl` says where. */
  monitor?: boolean;
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
  /** Only with `monitor`. */
  readonly monitorUrl?: string;
}

/** NATS's own limit: a message with its headers, in bytes. */
export const NATS_MAX_PAYLOAD = 1024 * 1024;
const ADMIN = 'admin';

/** Starts a private NATS server: JetStream on, own store folder, messages up to 1 MiB. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer & RunningServer> {
  const { lines, passwords } = authorization(options.auth);
  let monitorUrl: string | undefined;
  const server = await startServer({
    kind: 'nats',
    stopSignal: 'SIGTERM',
    orphanSignal: 'SIGKILL',
    async prepare(launch) {
      const path = join(launch.folder, 'nats.conf');
      const monitor = options.monitor === true ? `127.0.0.1:${await freePort()}` : undefined;
      const counters = monitor === undefined ? [] : [`http: "${monitor}"`];
      monitorUrl = monitor && `http://${monitor}`;
      writeFileSync(path, [...basics(launch), ...counters, ...lines, ''].join('\n'), { mode: 0o600 });
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
    ...(monitorUrl !== undefined && { monitorUrl }),
    access(user = ADMIN): NatsAccess {
      if (options.auth === undefined && user === ADMIN) return { servers: server.url };
      const pass = passwords.get(user);
      if (pass === undefined) throw new Error(`no NATS user "${user}": name it in startNats({ auth })`);
      return { servers: server.url, user, pass };
    },
  };
}

function parseInfo(greeting: string): { server_name: string; jetstream?: boolean } {
  const line = greeting.slice(0, greeting.indexOf('\r\n'));
  if (!line.startsWith('INFO ')) return { server_name: `not a NATS server: ${line.slice(0, 80)}`, jetstream: true };
  return JSON.parse(line.slice('INFO '.length)) as { server_name: string; jetstream?: boolean };
}

function basics({ name, port, folder }: Launch): string[] {
  return [
    `server_name: "${name}"`,
    `listen: "127.0.0.1:${port}"`,
    `max_payload: ${NATS_MAX_PAYLOAD}`,
    `jetstream { store_dir: "${join(folder, 'jetstream')}", max_memory_store: 256MB, max_file_store: 4GB }`,
  ];
}

function authorization(auth: NatsOptions['auth']): { lines: string[]; passwords: Map<string, string> } {
  const passwords = new Map<string, string>();
  const passwordOf = (user: string): string => {
    const password = passwords.get(user) ?? randomPassword();
    passwords.set(user, password);
    return password;
  };
  if (auth === undefined) return { lines: [], passwords };
  const admin = `{ user: "${ADMIN}", password: "${passwordOf(ADMIN)}" }`;
  if ('usersFile' in auth) {
    const text = readFileSync(auth.usersFile, 'utf8');
    const filled = text.replace(
      /\$([A-Z]+)_NATS_PASSWORD/g,
      (_, name: string) => `"${passwordOf(name.toLowerCase())}"`,
    );
    // Clients without credentials mostly use the default inbox; under deployed names each user has one of its own.
    const listening = filled.replaceAll(`"_INBOX_${auth.anonymous ?? ''}.>"`, (own) => `${own}, "_INBOX.>"`);
    const [before, ...after] = listening.split('users: [');
    if (before === undefined || after.length !== 1) throw new Error(`${auth.usersFile}: expected one "users: ["`);
    const users = `${before}users: [\n${admin}\n${after.join('')}`;
    return { lines: [...(auth.anonymous === undefined ? [] : [`no_auth_user: ${auth.anonymous}`]), users], passwords };
  }
  const users = auth.users.map((user) => userEntry(user, passwordOf(user.user)));
  return { lines: [`authorization { users: [`, admin, ...users, '] }'], passwords };
}

function userEntry({ user, publish, subscribe, allowResponses = true }: NatsUser, password: string): string {
  const permissions = [
    ...(publish ? [`publish: ${JSON.stringify(publish)}`] : []),
    ...(subscribe ? [`subscribe: ${JSON.stringify(subscribe)}`] : []),
    ...(allowResponses ? ['allow_responses: true'] : []),
  ];
  return `{ user: "${user}", password: "${password}", permissions: { ${permissions.join(', ')} } }`;
}
