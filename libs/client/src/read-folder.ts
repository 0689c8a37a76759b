/** What of a folder can be uploaded, by name: every other entry is named with its reason. */
import { Buffer, isUtf8 } from 'node:buffer';
import { lstat, opendir } from 'node:fs/promises';
import { sep } from 'node:path';
import { WaymarkError } from './waymark-error.js';

export interface FolderFile {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  /** The path as the system has it, in bytes: a name need not be text. */
  readonly path: Buffer;
  readonly bytes: number;
}
export interface LeftOut {
  readonly name: string;
  readonly code: 'hidden' | 'not_a_file' | 'bad_name' | 'too_large' | 'unreadable_file';
  readonly message: string;
}
export interface FolderContents {
  readonly files: readonly FolderFile[];
  readonly leftOut: readonly LeftOut[];
}

/** Larger files are named, not read. The sources service has a limit of its own below this. */
const MOST_BYTES = 256 * 1024 * 1024;
const SLASH = Buffer.from('/');

/**
 * Lists a folder and what lies below, in the order of names. Hidden entries (their name begins with a dot), links and
 * devices are left out by name. Refuses `no_such_folder`, `not_a_folder`, `unreadable_folder`, `empty_folder`.
 */
export async function readFolder(folder: string): Promise<FolderContents> {
  const files: FolderFile[] = [];
  const leftOut: LeftOut[] = [];
  await assertFolder(folder);
  await walk(Buffer.from(folder.endsWith(sep) ? folder.slice(0, -1) || sep : folder), Buffer.alloc(0), files, leftOut);
  if (files.length + leftOut.length === 0) {
    throw new WaymarkError({
      code: 'empty_folder',
      message: `the folder ${folder} holds no file`,
      remedy: 'name a folder with PDF, HTML, Markdown, CSV or text files',
    });
  }
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
  return { files: files.sort(byName), leftOut: leftOut.sort(byName) };
}

async function assertFolder(folder: string): Promise<void> {
  const refuse = (code: string, what: string): WaymarkError =>
    new WaymarkError({ code, message: `${folder} ${what}`, remedy: 'name a folder of documents that you may read' });
  if (folder === '' || folder.includes('\0')) throw refuse('no_such_folder', 'is no path');
  try {
    await lstat(folder.endsWith(sep) ? folder : `${folder}${sep}.`);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') throw refuse('no_such_folder', 'does not exist');
    if (code === 'ENOTDIR') throw refuse('not_a_folder', 'is not a folder');
    throw refuse('unreadable_folder', `cannot be read (${code})`);
  }
}

async function walk(folder: Buffer, prefix: Buffer, files: FolderFile[], leftOut: LeftOut[]): Promise<void> {
  // The types know no Buffer names here; the names must be bytes, or one that is no UTF-8 could not be opened.
  const open = async () => await opendir(folder as unknown as string, { encoding: 'buffer' as BufferEncoding });
  let entries: Awaited<ReturnType<typeof open>>;
  try {
    entries = await open();
  } catch (error) {
    leftOut.push({
      name: shown(prefix),
      code: 'unreadable_file',
      message: `the folder cannot be read (${codeOf(error)})`,
    });
    return;
  }
  for await (const entry of entries) {
    const raw = entry.name as unknown as Buffer;
    const path = Buffer.concat([folder, SLASH, raw]);
    const name = prefix.length === 0 ? raw : Buffer.concat([prefix, SLASH, raw]);
    const leave = (code: LeftOut['code'], message: string): void =>
      void leftOut.push({ name: shown(name), code, message });
    if (raw[0] === 0x2e) leave('hidden', 'its name begins with a dot');
    else if (entry.isDirectory()) await walk(path, name, files, leftOut);
    else if (!entry.isFile()) leave('not_a_file', 'links, pipes and devices are not followed');
    else if (!isUtf8(name)) leave('bad_name', 'its name is not UTF-8');
    else {
      const size = await sizeOf(path);
      if (typeof size !== 'number') leave('unreadable_file', `it cannot be read (${size.code})`);
      else if (size > MOST_BYTES) leave('too_large', `it has ${size} bytes; at most ${MOST_BYTES} are uploaded`);
      else files.push({ name: name.toString(), path, bytes: size });
    }
  }
}

/** It may be gone since its folder was read. */
async function sizeOf(path: Buffer): Promise<number | { readonly code: string }> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    return { code: codeOf(error) };
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown reason';
const shown = (name: Buffer): string => (name.length === 0 ? '.' : name.toString());
