import { isAbsolute, join } from 'node:path';
import { freePort } from './free-port.js';
import { startOwned, type OwnedProcess } from './owned-process.js';
import { until } from './until.js';
import { workspaceRoot } from './workspace-root.js';

export interface ServiceProcessOptions {
  /** Appears in errors, e.g. `runtime-1`. */
  name: string;
  /** The built program, absolute or from the workspace's root: `apps/runtime/dist/main.js`. */
  entry: string;
  args?: readonly string[];
  /**
   * Its environment; beside it, it gets PATH, HOME, TZ and LANG, and HEALTH_PORT (a free one) unless given.
   * Nothing else is inherited.
   */
  env: Readonly<Record<string, string>>;
  /** `health`: GET /health/ready on HEALTH_PORT says 200 (default); `started`: at once; or a probe of your own. */
  readyWhen?: 'health' | 'started' | ((service: OwnedProcess, healthPort: number) => boolean | Promise<boolean>);
  /** Milliseconds until it must be ready; default 20,000. */
  readyTimeoutMs?: number;
  /** Flags of node itself, e.g. `--cpu-prof`. */
  nodeArgs?: readonly string[];
}

/** One of our services as a process of its own. */
export interface ServiceProcess extends OwnedProcess {
  readonly healthPort: number;
  /** Asks a health endpoint: its status, or `undefined` when nobody answers within a second. */
  health(probe: 'live' | 'ready' | 'startup'): Promise<number | undefined>;
}

/**
 * Starts a service on the node that runs us and waits until it is ready. Rejects with its output when it ends before
 * that or is late. It dies with us.
 */
export async function startProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { name, readyWhen = 'health', readyTimeoutMs = 20_000 } = options;
  const root = workspaceRoot();
  const entry = isAbsolute(options.entry) ? options.entry : join(root, options.entry);
  const healthPort = Number(options.env['HEALTH_PORT'] ?? (await freePort()));
  const child = await startOwned({
    name,
    command: process.execPath,
    args: [...(options.nodeArgs ?? []), entry, ...(options.args ?? [])],
    env: { ...inherited(), HEALTH_PORT: String(healthPort), ...options.env },
    cwd: root,
  });
  const service: ServiceProcess = Object.defineProperties(
    { healthPort, health: (probe: string) => healthStatus(healthPort, probe) },
    Object.getOwnPropertyDescriptors(child),
  ) as ServiceProcess;
  if (readyWhen === 'started') return service;
  const probe =
    readyWhen === 'health' ? async () => (await service.health('ready')) === 200 : () => readyWhen(child, healthPort);
  try {
    await until(async () => !child.alive() || (await probe()), {
      what: `${name} to be ready`,
      timeoutMs: readyTimeoutMs,
      everyMs: 25,
    });
    if (!child.alive()) throw new Error(`${name} ended before it was ready: ${JSON.stringify(await child.exited)}`);
    return service;
  } catch (cause) {
    await child.stop('SIGKILL');
    throw new Error(`${String(cause)}\n${name} said:\n${child.output().slice(-8_192)}`, { cause });
  }
}

async function healthStatus(port: number, probe: string): Promise<number | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/${probe}`, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TZ', 'LANG', 'TMPDIR'];
  return Object.fromEntries(names.flatMap((key) => (process.env[key] === undefined ? [] : [[key, process.env[key]]])));
}
