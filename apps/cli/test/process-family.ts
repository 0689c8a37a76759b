/** All processes that descend from one, as long as it lives, and which of them are still there afterwards (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

export interface Family {
  /** By pid, with start time: a pid alone may be somebody else's later. */
  readonly seen: Map<number, { readonly startTime: string; readonly command: string }>;
  stop(): void;
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly startTime: string;
  readonly command: string;
}

const LOOK_MS = 25;

/** Looks again and again; a child whose parent has died before the next look is found through its own children's record. */
export function familyOf(root: number): Family {
  const seen: Family['seen'] = new Map();
  const look = (): void => {
    const all = processes();
    for (let grown = true; grown;) {
      grown = false;
      for (const { pid, parent, startTime, command } of all) {
        if (seen.has(pid) || !(pid === root || seen.has(parent))) continue;
        seen.set(pid, { startTime, command });
        grown = true;
      }
    }
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return { seen, stop: () => clearInterval(timer) };
}

export function stillThere({ seen }: Family): string[] {
  return processes()
    .filter(({ pid, startTime, state }) => seen.get(pid)?.startTime === startTime && state !== 'Z')
    .map(({ pid, command }) => `${pid} ${command}`);
}

function processes(): Stat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        const command = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
        return [
          {
            pid: Number(name),
            state: fields[0] ?? '',
            parent: Number(fields[1]),
            startTime: fields[19] ?? '',
            command,
          },
        ];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}
