/**
 * Reads a Dockerfile and carries its lines out in a scratch folder, where there is no engine. What a line means is read from
 * the line; a line or flag that this does not know is refused, so that nothing is passed over in silence.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';

export interface Line {
  readonly word: string;
  /** What follows the word, without flags. */
  readonly rest: string;
  readonly flags: Readonly<Record<string, string>>;
}
export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly lines: readonly Line[];
}
/** What an image says of itself. */
export interface ImageConfig {
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly stopSignal: string;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly ports: readonly number[];
}

export function readDockerfile(path: string): Stage[] {
  const text = readFileSync(path, 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ');
  const stages: { name: string; from: string; lines: Line[] }[] = [];
  for (const raw of text.split('\n').filter((line) => line.trim() !== '')) {
    const [, word = '', after = ''] = /^([A-Z]+)\s+(.*)$/.exec(raw) ?? [];
    const flags: Record<string, string> = {};
    const rest = after.replace(/^(--[a-z-]+=\S+\s+)+/, (all) => {
      for (const [, name = '', value = ''] of all.matchAll(/--([a-z-]+)=(\S+)/g)) flags[name] = value;
      return '';
    });
    if (word === 'FROM') {
      const [from = '', , name = ''] = rest.split(/\s+/);
      stages.push({ name, from, lines: [] });
    } else stages.at(-1)?.lines.push({ word, rest, flags });
  }
  return stages;
}

export interface CarryOut {
  /** The folder that holds each stage's root, by name; the last stage's name is its own to choose. */
  readonly rootOf: (stage: string) => string;
  /** What COPY without `--from` takes from. */
  readonly context: string;
  /** Values of ARG. */
  readonly args: Readonly<Record<string, string>>;
  /** Environment of RUN. */
  readonly env: Readonly<Record<string, string>>;
  /** Commands that are not run, since the caller has done the same by other means. */
  readonly insteadOf?: Readonly<Record<string, (folder: string) => void>>;
}

/** Carries out COPY and RUN of some lines of a stage that begin in `workdir`. Throws with the output of what failed. */
export function carryOut(stage: string, lines: readonly Line[], workdir: string, how: CarryOut): void {
  let here = workdir;
  const root = how.rootOf(stage);
  for (const line of lines) {
    const rest = line.rest.replace(/\$\{(\w+)\}/g, (_, name: string) => how.args[name] ?? refuse(line, `no ${name}`));
    switch (line.word) {
      case 'WORKDIR':
        here = rest;
        mkdirSync(join(root, here), { recursive: true });
        break;
      case 'COPY':
        copy(line, rest, root, here, how);
        break;
      case 'RUN':
        run(line, rest, join(root, here), how);
        break;
      case 'ARG':
      case 'ENV':
      case 'USER':
      case 'EXPOSE':
      case 'STOPSIGNAL':
      case 'HEALTHCHECK':
      case 'CMD':
        break;
      default:
        refuse(line, 'unknown here');
    }
  }
}

/** What the last stage says of the image, with ARGs filled in. */
export function imageConfig({ lines }: Stage, args: Readonly<Record<string, string>>): ImageConfig {
  const filled = lines.map((line) => ({
    ...line,
    rest: line.rest.replace(/\$\{(\w+)\}/g, (all, n: string) => args[n] ?? all),
  }));
  const last = (word: string): string => filled.findLast((line) => line.word === word)?.rest ?? '';
  const list = (text: string): string[] =>
    text.startsWith('[') ? (JSON.parse(text) as string[]) : [`not exec form: ${text}`];
  const env = filled.filter(({ word }) => word === 'ENV').flatMap(({ rest }) => [...rest.matchAll(/(\w+)=(\S+)/g)]);
  return {
    env: Object.fromEntries(env.map(([, key = '', value = '']) => [key, value])),
    workdir: last('WORKDIR'),
    user: last('USER'),
    stopSignal: last('STOPSIGNAL'),
    command: list(last('CMD')),
    healthcheck: list(lines.findLast(({ word }) => word === 'HEALTHCHECK')?.rest.replace(/^CMD\s+/, '') ?? ''),
    ports: last('EXPOSE').split(/\s+/).map(Number),
  };
}

function copy(line: Line, rest: string, root: string, here: string, how: CarryOut): void {
  const [from = '', to = '', ...more] = rest.split(/\s+/);
  if (more.length > 0) refuse(line, 'one source and one target');
  const target = to.startsWith('/') ? join(root, to) : join(root, here, to);
  const { from: stage } = line.flags;
  if (stage !== undefined) {
    const source = join(how.rootOf(stage), from);
    if (existsSync(target)) refuse(line, `${to} is there already`);
    mkdirSync(dirname(target), { recursive: true });
    // By links: a production set has tens of megabytes. It is only read.
    if (spawnSync('cp', ['-al', source, target]).status !== 0) refuse(line, 'cp');
    return;
  }
  const source = join(how.context, from);
  const ignored = readFileSync(join(how.context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((pattern) => pattern !== '' && !pattern.startsWith('#'));
  const taken = (path: string): boolean =>
    !ignored.some((pattern) => matchesGlob(relative(how.context, path), pattern));
  cpSync(source, target, { recursive: true, preserveTimestamps: true, filter: taken });
}

function run(line: Line, command: string, folder: string, how: CarryOut): void {
  // It would reach this machine's own files.
  if (/(^|[\s=])\//.test(command)) refuse(line, 'RUN with an absolute path');
  const instead = how.insteadOf?.[command];
  if (instead !== undefined) return instead(folder);
  const done = spawnSync('sh', ['-c', command], { cwd: folder, env: how.env, encoding: 'utf8' });
  if (done.status !== 0) refuse(line, `${String(done.status ?? done.signal)}\n${done.stdout}${done.stderr}`);
}

function refuse({ word, rest }: Line, why: string): never {
  throw new Error(`${word} ${rest}: ${why}`);
}
