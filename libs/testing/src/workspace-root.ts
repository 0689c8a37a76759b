import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The workspace folder: the nearest one above `from` that holds `nx.json`. */
export function workspaceRoot(from: string = process.cwd()): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'nx.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`no nx.json above ${from}: run this from inside the workspace`);
  }
}
