/**
 * What the private servers have in common.
 *
 * 1. Random free port on 127.0.0.1, own folder, own unique name.
 * 2. Before anybody gets the address, the server behind it has said that name: a client that meets somebody else's
 *    server on a port would happily write there.
 * 3. Stopped by pid; its folder goes with it, also when the test process dies.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.js';
import { startOwned, type OwnedProcess, type OwnedProcessOptions } from './owned-process.js';
import { until } from './until.js';

/** The face that every private server has. */
export interface Server {
  /** Unique; the server itself says it. */
  readonly name: string;
  readonly host: '127.0.0.1';
  readonly port: number;
  /** Of its first start. */
  readonly pid: number;
  /** Address; for PostgreSQL and Redis with the administrator's credentials. */
  readonly url: string;
}

/** A server that this process has started. */
export interface RunningServer extends Server {
  readonly folder: string;
  /** Sends a signal to it: SIGKILL for a crash, SIGSTOP and SIGCONT for a stall. */
  kill(signal: NodeJS.Signals): boolean;
  /** What it wrote since its last start. */
  output(): string;
  /** Ends it at once, in disorder, if it still runs, and starts it again on the same port, folder and name. */
  restart(): Promise<void>;
  /** Ends the server by its pid and removes its folder. Safe to repeat. */
  stop(): Promise<void>;
}

/** How a server is started. */
export type Program = Pick<OwnedProcessOptions, 'command' | 'args'>;

export interface Launch {
  name: string;
  port: number;
  folder: string;
}

export interface ServerKind {
  kind: string;
  user?: string;
  stopSignal: NodeJS.Signals;
  /** Ends it at once and takes all of it along: a PostgreSQL killed otherwise leaves backends behind for a while. */
  orphanSignal: NodeJS.Signals;
  /** Writes what the server needs into its folder and says how it is started. */
  prepare(launch: Launch): Promise<Program>;
  /** The name that the server at this port gives, `undefined` while it does not answer yet. */
  askName(launch: Launch, pid: number): Promise<string | undefined>;
  url(launch: Launch): string;
}

/** A PostgreSQL that was ended in disorder first mends itself. */
const START_TIMEOUT_MS = 60_000;
const END_MS = 15_000;
const ATTEMPTS = 3; // somebody else may take the port between our look and the server's bind

/** Starts a private server of the given kind and checks its name. */
export async function startServer(kind: ServerKind): Promise<RunningServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(kind);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function launch(kind: ServerKind): Promise<RunningServer> {
  const name = `waymark-${kind.kind}-${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  if (kind.user !== undefined) chownSync(folder, ...systemUser(kind.user));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const where: Launch = { name, folder, port: await freePort() };
    const program = await kind.prepare(where);
    let child = await run(kind, where, program);
    return {
      name,
      host: '127.0.0.1',
      port: where.port,
      pid: child.pid,
      url: kind.url(where),
      folder,
      kill: (signal) => child.kill(signal),
      output: () => child.output(),
      async restart(): Promise<void> {
        await child.stop(kind.orphanSignal, END_MS);
        child = await run(kind, where, program);
      },
      async stop(): Promise<void> {
        await child.stop(kind.stopSignal);
        removeFolder();
      },
    };
  } catch (cause) {
    removeFolder();
    throw cause;
  }
}

/** Starts the program and returns it once the server behind the port has said its name. */
async function run(kind: ServerKind, where: Launch, program: Program): Promise<OwnedProcess> {
  const { name, port, folder } = where;
  const { user, orphanSignal } = kind;
  const env = serverEnvironment();
  const child = await startOwned({ name, ...program, env, cwd: folder, folder, user, orphanSignal });
  try {
    const answer = await until(async () => (child.alive() ? await kind.askName(where, child.pid) : 'ended'), {
      what: `${name} to say its name on port ${port}`,
      timeoutMs: START_TIMEOUT_MS,
      everyMs: 10,
    });
    if (answer !== name) throw new Error(`port ${port} answers "${answer}" instead of "${name}"`);
    return child;
  } catch (cause) {
    await child.stop('SIGKILL');
    throw new Error(`${name} did not start: ${String(cause)}\nit said:\n${child.output().trim()}`, { cause });
  }
}

function serverEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' };
}

/** Servers refuse or dislike to run as root: the user to run PostgreSQL as, or `undefined` when we are nobody special. */
export function unprivilegedUser(user: string): string | undefined {
  return process.getuid?.() === 0 ? user : undefined;
}

function systemUser(user: string): [uid: number, gid: number] {
  const id = (flag: string): number => Number(spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout);
  return [id('-u'), id('-g')];
}

/** Path of a server's binary: PATH first, then the sbin folders, then Debian's folder for PostgreSQL, newest first. */
export function findBinary(name: string): string {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    ...postgresFolders(),
  ];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`${name} not found on PATH: install it (Debian: ${DEBIAN_PACKAGE[name] ?? name})`);
  return found;
}

const DEBIAN_PACKAGE: Readonly<Record<string, string>> = { initdb: 'postgresql', postgres: 'postgresql' };

function postgresFolders(): string[] {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return [];
  return readdirSync(base)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(base, version, 'bin'));
}

/** Sends `text` to a port and returns what has arrived once `enough` says so; `undefined` when nobody listens. */
export function ask(port: number, text: string, enough: (answer: string) => boolean): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1');
    const finish = (value: string | undefined): void => {
      socket.destroy();
      resolve(value);
    };
    socket.setTimeout(1_000, () => finish(undefined));
    socket.once('error', () => finish(undefined));
    socket.once('end', () => finish(undefined));
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
      if (enough(answer)) finish(answer);
    });
    if (text !== '') socket.write(text);
  });
}

/** A password that needs no escaping in URLs, configuration files or SQL. */
export function randomPassword(): string {
  return randomBytes(12).toString('hex');
}
