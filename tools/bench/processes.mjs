/** What Linux says about processes: CPU time and peak memory. All zero where there is no /proc. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const ticksPerSecond = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout) || 100;

/**
 * CPU milliseconds, user and system, of a process, of all its children that live, and of all that have ended: so a
 * PostgreSQL backend counts whether or not it is still there.
 * @param {number} pid @returns {number}
 */
export function cpuMs(pid) {
  const [user, system, endedUser, endedSystem] = stat(pid);
  const own = ((user + system + endedUser + endedSystem) / ticksPerSecond) * 1000;
  return childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), own);
}

/** @param {number} pid @returns {[number, number, number, number]} */
function stat(pid) {
  try {
    // Fields 14–17, counted behind the name, which may hold blanks and brackets itself.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    return [user, system, endedUser, endedSystem];
  } catch {
    return [0, 0, 0, 0];
  }
}

/** @param {number} pid */
function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Peak resident memory in MB. @param {number} pid */
export function peakMemoryMb(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
