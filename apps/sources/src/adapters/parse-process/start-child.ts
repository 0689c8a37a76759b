import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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
 * Starts the parse process: low priority, a bounded heap, an empty environment (no secret to find), no right to write
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

/**
 * Low, not lowest: on a machine that is never idle a file must still come to its end. A process group of its own is on Linux
 * a scheduling group of its own as well, beside which the niceness of its members means nothing: it has its own.
 */
function lowerPriority(pid: number): void {
  const nice = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    setPriority(pid, nice);
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
  } catch {
    // it has ended already, which its exit will tell, or this system knows no such groups
  }
}
