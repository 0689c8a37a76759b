import { readFile } from 'node:fs/promises';

export interface Usage {
  /** Time on a CPU since it started, all threads. */
  readonly cpuMs: number;
  /** Memory that it really has (resident). */
  readonly residentBytes: number;
}

/** Clock ticks of /proc are hundredths of a second on every Linux. */
const TICK_MS = 10;

/** What a process has used, from /proc; `undefined` when it has gone, and on systems without /proc. */
export async function usageOf(pid: number): Promise<Usage | undefined> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile(`/proc/${pid}/status`, 'latin1'),
    ]);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // the name before it may hold blanks
    const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      residentBytes: Number(resident ?? 0) * 1024,
    };
  } catch {
    return undefined;
  }
}
