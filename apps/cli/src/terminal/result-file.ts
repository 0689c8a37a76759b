import { writeFile } from 'node:fs/promises';
import { WaymarkError } from '@waymark/client';

/** Writes a result where `--out` says. Refuses `cannot_write`. */
export async function writeResult(path: string, text: string): Promise<void> {
  await orCannotWrite(path, async () => await writeFile(path, text));
}

/** What fails under `write` with a reason of the system's is said as `cannot_write`. */
export async function orCannotWrite<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (cause instanceof WaymarkError || code === undefined) throw cause;
    const remedy = REMEDIES[code] ?? 'name a file that you may write';
    throw new WaymarkError({ code: 'cannot_write', message: `${path} cannot be written (${code})`, remedy }, { cause });
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'make its folder first, or name another file',
  ENOTDIR: 'make its folder first, or name another file',
  EISDIR: 'it is a folder: name a file in it',
  ENOSPC: 'the disk is full: make room, or name a file elsewhere',
};
