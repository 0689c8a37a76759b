import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

let wrapper: readonly string[] | undefined;

/** `setpriv` lets the kernel end the child with us, even when we are killed and it is deep in a loop (Linux only). */
function wrapperOnThisMachine(): readonly string[] {
  if (wrapper === undefined) {
    const probe = spawnSync('setpriv', ['--pdeathsig', 'KILL', '--', 'true'], { stdio: 'ignore' });
    wrapper = probe.status === 0 ? ['setpriv', '--pdeathsig', 'KILL', '--'] : [];
  }
  return wrapper;
}

/**
 * Starts the parse process: lowest priority, a bounded heap, an empty environment (no secret to find), no right to write
 * files, start processes or load native code, and a process group of its own, so that Ctrl-C is ours to handle.
 */
export function startChild(entry: string, heapBytes: number): ChildProcess {
  const node = [
    process.execPath,
    `--max-old-space-size=${Math.floor(heapBytes / (1024 * 1024))}`,
    '--permission',
    '--allow-fs-read=*',
  ];
  const [command, ...flags] = [...wrapperOnThisMachine(), ...node] as [string, ...string[]];
  const child = fork(entry, [], {
    execPath: command,
    execArgv: flags,
    env: {},
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    detached: true,
  });
  child.stdin?.on('error', () => undefined); // it ended before it had read all, which its exit will tell
  // At once: threads that node starts later inherit it, and the kernel counts by thread.
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // it has ended already, which its exit will tell
  }
}
