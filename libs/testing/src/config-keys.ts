/**
 * The keys of an application's environment, as its `config.ts` declares them: for tests that hold pages, compose files and
 * manifests against the code. Nothing is run: a key that is declared in a way that this does not see is missed, so a test
 * also holds `required` against what the built program says when it gets nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from './workspace-root.js';

export interface ConfigKey {
  readonly key: string;
  /** Without it the program does not start. */
  readonly required: boolean;
  /** The default, as its source has it; `undefined` where there is none or it is worked out. */
  readonly fallback: string | undefined;
}

const FIELD = /^ {2}([A-Z][A-Z0-9_]*): ([^]*?),\n(?= {2}\S|\})/gm;
const READ_ALONE = /\benv\['([A-Z][A-Z0-9_]*)'\]/g;
const HELPER = /^const (\w+) = \([^)]*\) =>([^]*?);\n/gm;
/** Node's own, read to know a test build. */
const NOT_OURS = ['NODE_ENV'];

const BASE_FILE = 'libs/service/src/read-config.ts';
/** Keys that several applications have, and where they are declared. */
const SHARED = [
  ['baseEnv', BASE_FILE],
  ['modelEnv', 'libs/model/src/model-env.ts'],
] as const;

/** Folders of `apps/`. */
export const appNames = (): string[] => readdirSync(join(workspaceRoot(), 'apps')).sort();

/** What `apps/<app>/src/config.ts` reads, with the keys that every service has. */
export function configKeys(app: string): ConfigKey[] {
  const source = readFileSync(join(workspaceRoot(), 'apps', app, 'src/config.ts'), 'utf8');
  const shared = SHARED.flatMap(([name, file]) => (source.includes(`...${name}`) ? keysIn(file) : []));
  const keys = [...shared, ...declared(source)];
  return keys.filter(({ key }) => !NOT_OURS.includes(key));
}

/** What the environment of every service has: `baseEnv` of libs/service. */
export const baseKeys = (): ConfigKey[] => keysIn(BASE_FILE);

const keysIn = (file: string): ConfigKey[] => declared(readFileSync(join(workspaceRoot(), file), 'utf8'));

function declared(source: string): ConfigKey[] {
  const helpers = new Map([...source.matchAll(HELPER)].map(([, name = '', body = '']) => [name, body]));
  const fields = [...source.matchAll(FIELD)].map(([, key = '', schema = '']): ConfigKey => {
    const helper = helpers.get(/^(\w+)\(/.exec(schema)?.[1] ?? '') ?? '';
    const said = /\.default\(([^)]*)\)/.exec(schema)?.[1];
    // `ms(least, usual)`: the last argument is the default.
    const given = helper.includes('.default(') ? /, ([^,)]+)\)/.exec(schema)?.[1] : undefined;
    const required = !/\.(default|optional)\(/.test(`${schema}${helper}`);
    return { key, required, fallback: (said ?? given)?.replaceAll('_', '').replaceAll("'", '') };
  });
  const alone = [...source.matchAll(READ_ALONE)].map(([, key = '']) => key);
  return [...fields, ...[...new Set(alone)].map((key) => ({ key, required: false, fallback: undefined }))];
}
