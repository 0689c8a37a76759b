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

/**
 * Does all set-up, one line of output per thing done. Throws an Error with a remedy when something cannot be had.
 * @param {{ servers?: readonly Server[], build?: boolean }} [options] servers that must be found on this machine
 *   (default all three); whether to build as well (default true)
 */
export function setUp({ servers = ['nats-server', 'redis-server', 'postgresql'], build = true } = {}) {
  if (!packagesAreLocked()) step('npm ci', 'npm', ['ci', '--no-audit', '--no-fund']);
  if (!existsSync(pinnedNode)) throw new Error(`no ${pinnedNode} after npm ci: remove node_modules and try again`);
  installServers(servers);
  if (build) step('build', join(bin, 'nx'), ['run-many', '-t', 'build']);
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
  if (process.env.WAYMARK_SET_UP !== '1') setUp(options);
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

/** @param {readonly Server[]} servers */
function installServers(servers) {
  const missing = servers.filter((server) => !isInstalled(server));
  if (missing.length === 0) return;
  const apt = spawnSync('apt-get', ['--version']).status === 0;
  if (process.getuid?.() === 0 && apt) {
    step('apt-get update', 'apt-get', ['-qq', 'update']);
    step(`install ${missing.join(' ')}`, 'apt-get', ['-qq', '-y', '--no-install-recommends', 'install', ...missing]);
  }
  const still = missing.filter((server) => !isInstalled(server));
  if (still.length === 0) return;
  throw new Error(
    [
      `not found on this machine: ${still.join(', ')}. Tests and demo start private servers of their own.`,
      `  Debian, Ubuntu:  sudo apt-get install -y ${still.join(' ')}`,
      `  macOS:           brew install ${still.map((server) => (server === 'redis-server' ? 'redis' : server)).join(' ')}`,
      'To run the services on servers in containers instead: docker compose up -d nats redis postgres (see README.md).',
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

/** Runs a command to its end; shows its output only when it fails.
 * @param {string} name @param {string} command @param {string[]} args
 */
function step(name, command, args) {
  const from = Date.now();
  const env = { ...toolEnvironment(), DEBIAN_FRONTEND: 'noninteractive' };
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    const reason = error?.message ?? (signal ? `ended by ${signal}` : `exit code ${status}`);
    throw new Error(`${name}: ${reason}\n${`${stdout ?? ''}${stderr ?? ''}`.trim().slice(-8_000)}`);
  }
  console.log(`set-up: ${name} (${((Date.now() - from) / 1000).toFixed(1)} s)`);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    setUp();
  } catch (error) {
    console.error(`set-up: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
