/**
 * A child process that cannot outlive us.
 *
 * 1. It is a direct child with its own process group: a Ctrl-C in the terminal reaches us, and we stop it in order.
 * 2. When we die in whatever way, the end of a pipe tells a tiny watchdog shell, which kills the child by its pid and
 *    removes its folder. On Linux the kernel's parent-death signal closes the gap before the watchdog runs.
 * 3. Nothing is ever ended by name.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';

/** How a child ended: one of both is null. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface OwnedProcessOptions {
  /** Appears in errors. */
  name: string;
  command: string;
  args: readonly string[];
  /** The whole environment of the child; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  /** Run as this system user (only as root). */
  user?: string;
  /** Sent when we have died; default SIGKILL. */
  orphanSignal?: NodeJS.Signals;
  /** Removed when we have died; who calls `stop` removes it. */
  folder?: string;
}

export interface OwnedProcess {
  readonly name: string;
  readonly pid: number;
  /** What it wrote to stdout and stderr, the last 4 MiB, mixed in the order of arrival. */
  output(): string;
  /** Sends a signal; false when the process has gone. */
  kill(signal: NodeJS.Signals): boolean;
  /** Settles when the process has ended, and never rejects. */
  readonly exited: Promise<Exit>;
  /** True until it has ended. */
  alive(): boolean;
  /** Sends `signal`, after `graceMs` SIGKILL, and waits for the end. Safe to repeat. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<Exit>;
}

const OUTPUT_LIMIT = 4 * 1024 * 1024;

// $1 pid, $2 signal, $3 folder or nothing. It reads `gone` when the child has ended (its pid may be somebody else's now)
// and `done` when the folder is no longer its business. The end of the pipe means that the owner has died.
const WATCHDOG = `
read -r line
[ "$line" = done ] && exit 0
if [ "$line" = gone ]; then
  read -r line && exit 0
else
  kill -s CONT "$1" 2>/dev/null
  kill -s "$2" "$1" 2>/dev/null
  i=0
  while kill -0 "$1" 2>/dev/null && [ $i -lt 50 ]; do i=$((i+1)); sleep 0.1; done
  kill -s KILL "$1" 2>/dev/null
fi
[ -n "$3" ] && rm -rf "$3"
exit 0`;

let pdeathsig: boolean | undefined;

/** Whether `setpriv` of this machine knows the parent-death signal (util-linux; not on macOS). */
function hasParentDeathSignal(): boolean {
  pdeathsig ??= (spawnSync('setpriv', ['--help'], { encoding: 'utf8' }).stdout ?? '').includes('--pdeathsig');
  return pdeathsig;
}

/** Starts a child as described at the head of this file. Rejects when the command cannot be started at all. */
export async function startOwned(options: OwnedProcessOptions): Promise<OwnedProcess> {
  const { name, folder = '', orphanSignal = 'SIGKILL' } = options;
  const shortSignal = orphanSignal.replace(/^SIG/, '');
  const [command, ...args] = [...wrapper(options.user, shortSignal), options.command, ...options.args] as [string];
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(new Error(`${name}: cannot start ${options.command}`, { cause })));
    if (child.pid !== undefined) resolve(child.pid);
  });
  const tellWatchdog = watch(pid, shortSignal, folder);

  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 2 * OUTPUT_LIMIT) text = text.slice(-OUTPUT_LIMIT);
    });
  }
  let ended: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      ended = { code, signal };
      tellWatchdog(folder === '' ? 'done' : 'gone');
      resolve(ended);
    });
  });
  setRef(child, 'unref'); // a forgotten server must not keep a finished test run waiting

  const kill = (signal: NodeJS.Signals): boolean => {
    if (ended !== undefined || child.exitCode !== null || child.signalCode !== null) return false;
    return child.kill(signal);
  };
  const face: Omit<OwnedProcess, 'exited'> = {
    name,
    pid,
    output: () => text,
    kill,
    alive: () => ended === undefined,
    async stop(signal = 'SIGTERM', graceMs = 5_000): Promise<Exit> {
      setRef(child, 'ref');
      kill('SIGCONT'); // a stopped process would not see the next signal
      kill(signal);
      const late = setTimeout(() => kill('SIGKILL'), graceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(late);
        tellWatchdog('done');
      }
    },
  };
  const awaited = (): Promise<Exit> => {
    setRef(child, 'ref'); // who waits for the end is kept alive for it
    return exited;
  };
  // Not enumerable: printing the object in a failed test is not waiting.
  return Object.defineProperty(face, 'exited', { get: awaited, enumerable: false }) as OwnedProcess;
}

function wrapper(user: string | undefined, orphanSignal: string): string[] {
  const change = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--init-groups'];
  const death = hasParentDeathSignal() ? ['--pdeathsig', orphanSignal] : [];
  return change.length + death.length === 0 ? [] : ['setpriv', ...change, ...death, '--'];
}

type News = 'gone' | 'done';

function watch(pid: number, signal: string, folder: string): (news: News) => void {
  const dog = spawn('/bin/sh', ['-c', WATCHDOG, 'waymark-watchdog', String(pid), signal, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  dog.on('error', () => undefined);
  dog.stdin.on('error', () => undefined);
  setRef(dog, 'unref');
  return (news) => {
    if (!dog.stdin.writable) return;
    if (news === 'done') dog.stdin.end('done\n');
    else dog.stdin.write('gone\n');
  };
}

/** A child's handle and its pipes keep an event loop alive, or do not. */
function setRef(child: ChildProcess, way: 'ref' | 'unref'): void {
  child[way]();
  for (const stream of child.stdio) {
    if (stream && way in stream) (stream as unknown as Record<typeof way, () => void>)[way]();
  }
}
