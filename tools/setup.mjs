/**
 * What a fresh clone needs before anything can run: the locked packages with the pinned Node, the servers for tests and
 * demo, and a build. Runs on the machine's own Node (20 or later) and imports nothing from node_modules. Each part looks
 * first and does nothing when nothing is to be done.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'node_modules', '.bin');
const pinnedNode = join(bin, 'node');

/** The environment of everything we start: the pinned Node and the locked tools come first. */
export function toolEnvironment() {
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
}

/** Set-up was ended by a signal; what it had started has ended too. */
export class Stopped extends Error {}

/** For a command whose set-up failed: says why and ends, with 130 when a signal ended it. @param {unknown} error @returns {never} */
export function endWith(error) {
  console.error(`set-up: ${error instanceof Error ? error.message : error}`);
  process.exit(error instanceof Stopped ? 130 : 1);
}

/**
 * Does all set-up; each thing done is said when it starts and when it is done. Rejects with an Error with a remedy when
 * something cannot be had, and with {@link Stopped} at SIGINT, SIGTERM or SIGHUP, when nothing of it runs any more.
 * @param {{ servers?: readonly Server[], build?: boolean }} [options] servers that must be found on this machine
 *   (default all three); whether to build as well (default true)
 */
export async function setUp({ servers = ['nats-server', 'redis-server', 'postgresql'], build = true } = {}) {
  const steps = new Steps();
  try {
    if (!packagesAreLocked()) {
      await steps.run('npm ci', 'the locked packages, a minute or more', 'npm', ['ci', '--no-audit', '--no-fund']);
    }
    if (!existsSync(pinnedNode)) throw new Error(`no ${pinnedNode} after npm ci: remove node_modules and try again`);
    await installServers(servers, steps);
    if (build) await steps.run('build', 'quick when nothing has changed', join(bin, 'nx'), ['run-many', '-t', 'build']);
  } finally {
    steps.close();
  }
}

/**
 * Continues `script` on the pinned Node when we run on another: does not return then, but ends with its exit code.
 * @param {string} script `import.meta.url` of the caller
 */
export async function continueOnPinnedNode(script) {
  if (realpathSync(process.execPath) === realpathSync(pinnedNode)) {
    process.env.PATH = toolEnvironment().PATH;
    return;
  }
  const child = spawn(pinnedNode, [fileURLToPath(script), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...toolEnvironment(), WAYMARK_SET_UP: '1' },
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal)); // the child decides when it has cleaned up
  }
  const code = await new Promise((resolve) => child.once('exit', (exit) => resolve(exit ?? 1)));
  process.exit(code);
}

/**
 * Set-up, then the pinned Node: the first line of every script that must run on a fresh clone. Rejects like `setUp`.
 * @param {string} script `import.meta.url` of the caller
 * @param {Parameters<typeof setUp>[0]} [options]
 */
export async function ready(script, options) {
  if (process.env.WAYMARK_SET_UP !== '1') await setUp(options);
  delete process.env.WAYMARK_SET_UP;
  await continueOnPinnedNode(script);
}

/** Whether node_modules holds what package-lock.json says. Optional packages (other platforms) may be missing. */
export function packagesAreLocked(folder = root) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  /** @type {(path: string) => Record<string, { version?: string, optional?: boolean, peer?: boolean, link?: boolean }>} */
  const packages = (path) => JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
  const have = packages(installed);
  return Object.entries(packages(join(folder, 'package-lock.json'))).every(([path, wanted]) => {
    if (!path.includes('node_modules/') || wanted.optional) return true;
    return wanted.link ? have[path]?.link === true : have[path]?.version === wanted.version;
  });
}

/** @typedef {'nats-server' | 'redis-server' | 'postgresql'} Server the name of its Debian package too */

/** @param {readonly Server[]} servers @param {Steps} steps */
async function installServers(servers, steps) {
  const missing = servers.filter((server) => !isInstalled(server));
  if (missing.length === 0) return;
  const apt = spawnSync('apt-get', ['--version']).status === 0;
  if (process.getuid?.() === 0 && apt) {
    const install = ['-qq', '-y', '--no-install-recommends', 'install', ...missing];
    await steps.run('apt-get update', 'what can be installed', 'apt-get', ['-qq', 'update']);
    await steps.run(`install ${missing.join(' ')}`, 'started privately, never as a service', 'apt-get', install);
  }
  const still = missing.filter((server) => !isInstalled(server));
  if (still.length === 0) return;
  throw new Error(
    [
      `not found on this machine: ${still.join(', ')}. Tests and demo start private servers of their own.`,
      `  Debian, Ubuntu:  sudo apt-get install -y ${still.join(' ')}`,
      `  macOS:           brew install ${still.map((server) => (server === 'redis-server' ? 'redis' : server)).join(' ')}`,
      'To run all of it in containers instead: npm run secrets && docker compose up -d (see README.md).',
    ].join('\n'),
  );
}

/** @param {Server} server */
function isInstalled(server) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  /** @param {string} name @param {string[]} where */
  const found = (name, where) => where.some((folder) => existsSync(join(folder, name)));
  if (server !== 'postgresql') return found(server, folders);
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : [];
  return (
    [...folders, ...versions].some((folder) => found('postgres', [folder]) && found('initdb', [folder])) ||
    (found('postgres', folders) && found('initdb', versions))
  );
}

/** After the first signal: what has not ended by then is killed, ms. */
const GRACE_MS = 3_000;
/** Of a failed step's output, in characters. */
const SHOWN = 8_000;

/**
 * Commands, one after the other. Each leads a group of its own, so that a signal to us alone reaches all of it: `npm ci` and
 * `nx` start processes of theirs, and these must not outlive us.
 */
export class Steps {
  /** @type {number | undefined} of the group that runs */
  #leader;
  /** @type {NodeJS.Signals | undefined} */
  #stoppedBy;
  /** @type {Record<string, () => void>} */
  #listeners = {};

  constructor() {
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      const listener = () => this.#stop(signal);
      this.#listeners[signal] = listener;
      process.on(signal, listener);
    }
  }

  close() {
    for (const [signal, listener] of Object.entries(this.#listeners)) process.off(signal, listener);
  }

  /**
   * Runs a command to its end; shows its output only when it fails.
   * @param {string} name @param {string} what in words @param {string} command @param {string[]} args
   */
  async run(name, what, command, args) {
    this.#refuseWhenStopped();
    console.log(`set-up: ${name} (${what}) …`);
    const from = Date.now();
    const env = { ...toolEnvironment(), DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn(command, args, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#leader = child.pid;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-4 * SHOWN)));
    }
    const reason = await new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) =>
        resolve(signal ? `ended by ${signal}` : code === 0 ? null : `exit code ${code}`),
      );
    });
    if (this.#stoppedBy) this.#signal('SIGKILL'); // whoever of the group let go of its output and stayed
    this.#leader = undefined;
    this.#refuseWhenStopped();
    if (reason !== null) throw new Error(`${name}: ${reason}\n${output.trim().slice(-SHOWN)}`);
    console.log(`set-up: ${name} done (${((Date.now() - from) / 1000).toFixed(1)} s)`);
  }

  /** @param {NodeJS.Signals} signal */
  #stop(signal) {
    this.#signal(this.#stoppedBy ? 'SIGKILL' : 'SIGTERM'); // who asks twice does not want to wait
    this.#stoppedBy ??= signal;
    setTimeout(() => this.#signal('SIGKILL'), GRACE_MS).unref();
  }

  /** @param {NodeJS.Signals} signal */
  #signal(signal) {
    if (this.#leader === undefined) return;
    try {
      process.kill(-this.#leader, signal);
    } catch {
      // all of it has ended
    }
  }

  #refuseWhenStopped() {
    if (this.#stoppedBy) throw new Stopped(`stopped by ${this.#stoppedBy}; nothing of it runs any more`);
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await setUp().catch(endWith);
}
