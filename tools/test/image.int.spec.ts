/**
 * The image, as far as it goes without an engine: the lines of infra/docker/Dockerfile are carried out in a scratch folder,
 * and the system is started from what comes out of them, as a user that owns none of it. What this machine has done
 * already is not done again: `npm ci` by the set-up, and each library's compilation by `npm run build`.
 * Not run here: an engine's own build, layers, the base image, a read-only file system.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  appNames,
  configKeys,
  createServiceDatabase,
  freePort,
  startNats,
  startOwned,
  startPostgres,
  startRedis,
  until,
  workspaceRoot,
  type OwnedProcess,
} from '@waymark/testing';
import { writeDocument, type Draft } from '@waymark/testing/corpus';
import { carryOut, imageConfig, readDockerfile, type CarryOut, type ImageConfig } from './infra/dockerfile.js';

const root = workspaceRoot();
const SERVICES = ['budget', 'publication', 'reminder', 'runtime', 'reviewer', 'sources'];
/** What the research is about: three documents of its own, so that it is the same whatever the demo's are. */
const QUESTION = 'Compare the ongoing charge of Alder Fund and Birch Fund for 2021, 2022 and 2023.';
const charges = (alder: string, birch: string): [string, string][] => [
  ['Alder Fund', alder],
  ['Birch Fund', birch],
];
const told = { language: 'en', title: 'Ongoing charges of two invented funds' } as const;
const DRAFTS: readonly Draft[] = [
  {
    ...{ ...told, name: 'charges-2021.pdf', kind: 'pdf' },
    parts: [
      { kind: 'heading', text: 'Comparison 2021' },
      { kind: 'table', header: ['Fund', 'Ongoing charge (%)'], rows: charges('0.23', '0.41') },
    ],
  },
  {
    ...{ ...told, name: 'charges-2022.md', kind: 'md' },
    parts: [
      { kind: 'heading', text: 'Comparison 2022' },
      { kind: 'table', header: ['Fund', 'Ongoing charge (%)'], rows: charges('0.22', '0.40') },
    ],
  },
  {
    ...{ ...told, name: 'charges-2023.csv', kind: 'csv' },
    parts: [
      {
        kind: 'table',
        header: ['fund', 'metric', 'year', 'value', 'unit'],
        rows: charges('0.21', '0.39').map(([fund, charge]) => [fund, 'Ongoing charge', '2023', charge, '%']),
      },
    ],
  },
];
/** As root we can be somebody else, if the packages are readable for everybody. */
const asDaemon = process.getuid?.() === 0 && (statSync(join(root, 'node_modules/zod/package.json')).mode & 0o4) !== 0;
const MIB = 1024 * 1024;
/** Of the production set, without Node and the base image; what stands there today is two thirds of it or less. */
const MOST_MIB: Readonly<Record<string, number>> = { cli: 30, 'practice-model': 50, sources: 110 };

const stages = readDockerfile(join(root, 'infra/docker/Dockerfile'));
const [build, image] = [stages[0]!, stages.at(-1)!];

let scratch: string;
const rootOf = (stage: string): string => join(scratch, stage);
const configOf = (app: string): ImageConfig => imageConfig(image, { APP: app });
const node = (): string => join(scratch, 'node');

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'waymark-image-'));
  chmodSync(scratch, 0o755); // another user than ours must come in
  if (spawnSync('cp', ['-lL', process.execPath, node()]).status !== 0) cpSync(process.execPath, node());
  const how: CarryOut = {
    rootOf,
    context: root,
    args: {},
    env: { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: process.env['HOME'] ?? '' },
    insteadOf: { 'npm ci --ignore-scripts --no-audit --no-fund': takeInstalled },
  };
  const fork = build.lines.findIndex(({ word, rest }) => word === 'ARG' && rest === 'APP');
  carryOut('build', build.lines.slice(0, fork), '/', how);
  for (const app of appNames()) {
    const args = { APP: app };
    carryOut('build', build.lines.slice(fork), '/src', { ...how, args });
    carryOut(app, image.lines, '/', { ...how, args });
  }
}, 480_000);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The locked packages, by links where the file system allows, and what is compiled of them, so that tsc finds it up to date. */
function takeInstalled(folder: string): void {
  const target = join(folder, 'node_modules');
  if (spawnSync('cp', ['-al', join(root, 'node_modules'), target]).status !== 0) {
    rmSync(target, { recursive: true, force: true });
    spawnSync('cp', ['-a', join(root, 'node_modules'), target]);
  }
  for (const kind of ['apps', 'libs']) {
    for (const name of readdirSync(join(root, kind))) {
      const dist = join(root, kind, name, 'dist');
      if (existsSync(dist)) spawnSync('cp', ['-a', dist, join(folder, kind, name, 'dist')]);
    }
  }
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

/** A program of an image: its command and environment, in its folder, as a user that may write nothing of it. */
async function start(
  app: string,
  env: Readonly<Record<string, string>>,
  command?: readonly string[],
): Promise<OwnedProcess> {
  const config = configOf(app);
  const [, ...args] = command ?? config.command;
  return await startOwned({
    name: app,
    command: node(),
    args,
    cwd: join(rootOf(app), config.workdir),
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/nonexistent', TMPDIR: '/nonexistent', ...config.env, ...env },
    ...(asDaemon ? { user: 'daemon' } : {}),
  });
}

/** Runs a program of an image to its end. */
async function finish(app: string, env: Readonly<Record<string, string>>, command: readonly string[]) {
  const child = await start(app, env, command);
  const { code } = await child.exited;
  return { code, output: child.output() };
}

/** The set is put together with GNU's cp and find, as in the image. */
const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('the image', () => {
  it('is built from the sources alone, ends on SIGTERM and is no root', () => {
    expect(stages.map(({ from }) => from)).toEqual(['node:24-slim', 'node:24-slim']);
    for (const left of ['.git', '.env', 'docs']) expect(existsSync(join(rootOf('build'), 'src', left))).toBe(false);
    const { user, stopSignal, command, env, ports } = configOf('budget');
    expect({ user, stopSignal, command }).toEqual({
      user: '1000:1000',
      stopSignal: 'SIGTERM',
      command: ['node', 'dist/main.js'],
    });
    expect(env['NODE_ENV']).toBe('production');
    expect(ports).toEqual([Number(env['HEALTH_PORT'])]);
  });

  it.each(appNames())('%s: holds what it needs and nothing that only development needs, and is small', (app) => {
    const folder = join(rootOf(app), 'app');
    const files = readdirSync(folder, { recursive: true }) as string[];
    for (const tool of [
      'typescript',
      'jest',
      'nx',
      'eslint',
      'prettier',
      '@swc',
      '@waymark/testing',
      'fast-check',
      '@types/node',
    ])
      expect(existsSync(join(folder, 'node_modules', tool))).toBe(false);
    expect(files.filter((file) => /^(apps|libs)\/.*(\.spec\.|\.ts$|\.map$|\/(src|test)\/)/.test(file))).toEqual([]);
    expect(readdirSync(join(folder, 'apps'))).toEqual([app]);
    expect(files).toContain(`apps/${app}/dist/main.js`);
    expect(files.includes(`apps/${app}/dist/migrate.js`)).toBe(SERVICES.includes(app));
    const size = bytesIn(folder) / MIB;
    expect(size).toBeLessThan(MOST_MIB[app] ?? 75);
    expect(size).toBeGreaterThan(2);
  });

  it.each(SERVICES)(
    '%s: started with nothing it names just the keys that it needs',
    async (service) => {
      const { code, output } = await finish(service, {}, ['node', 'dist/main.js']);
      const missing = [...output.matchAll(/^([A-Z_]+): missing/gm)].map(([, key]) => key);
      expect({ code, missing }).toEqual({
        code: 1,
        missing: configKeys(service)
          .filter((k) => k.required)
          .map((k) => k.key),
      });
    },
    120_000,
  );
});

onLinux('the system from its images', () => {
  it('migrates, becomes healthy, does a research with a PDF, heeds no failpoint and drains in order', async () => {
    const [nats, postgres, redis] = await Promise.all([
      startNats({ auth: { usersFile: join(root, 'infra/nats/users.conf') } }),
      startPostgres({ fast: true }),
      startRedis(),
    ]);
    const children = new Map<string, OwnedProcess>();
    try {
      const ports = new Map<string, string>();
      for (const app of ['practice-model', ...SERVICES]) ports.set(app, String(await freePort()));
      const healthy = async (app: string): Promise<boolean> =>
        (await finish(app, { HEALTH_PORT: ports.get(app) ?? '' }, configOf(app).healthcheck)).code === 0;
      const modelPort = ports.get('practice-model') ?? '';
      children.set('practice-model', await start('practice-model', { PORT: modelPort, HEALTH_PORT: modelPort }));
      await Promise.all(
        SERVICES.map(async (service) => {
          const { url } = await createServiceDatabase(postgres, service);
          const { user = '', pass = '' } = nats.access(service);
          const migrated = await finish(service, { DATABASE_URL: url }, ['node', 'dist/migrate.js']);
          if (migrated.code !== 0) throw new Error(`${service}: ${migrated.output}`);
          const model = {
            MODEL_URL: `http://127.0.0.1:${modelPort}/v1`,
            MODEL_NAME: 'practice-researcher',
            MODEL_KEY: 'none',
          };
          const own: Record<string, Record<string, string>> = {
            runtime: { ...model, REDIS_URL: redis.url, FAILPOINT: 'before:intent' },
            reviewer: model,
          };
          const env = { NATS_URL: nats.url, NATS_USER: user, NATS_PASS: pass, DATABASE_URL: url, ...own[service] };
          children.set(service, await start(service, { ...env, HEALTH_PORT: ports.get(service) ?? '' }));
        }),
      );
      const death = firstEnd(children);
      for (const app of children.keys()) {
        const health = { what: `${app} to be healthy`, timeoutMs: 120_000, everyMs: 500 };
        await Promise.race([until(async () => await healthy(app), health), death]);
      }
      expect(
        await finish('budget', { HEALTH_PORT: String(await freePort()) }, configOf('budget').healthcheck),
      ).toMatchObject({ code: 1 });

      const documents = join(scratch, 'documents');
      mkdirSync(documents);
      for (const { name, bytes } of await Promise.all(DRAFTS.map(writeDocument)))
        writeFileSync(join(documents, name), bytes);
      const { user = '', pass = '' } = nats.access('cli');
      const env = { WAYMARK_NATS_URL: nats.url, WAYMARK_NATS_USER: user, WAYMARK_NATS_PASS: pass };
      const waymark = async (...args: string[]) => await finish('cli', env, [...configOf('cli').command, ...args]);
      const uploaded = await waymark('upload', documents, '--corpus', 'image');
      expect(uploaded).toMatchObject({ code: 0 });
      const asked = await waymark(
        'start',
        '--corpus',
        'image',
        '--question',
        QUESTION,
        '--policy',
        'standard',
        '--follow',
      );
      expect(asked).toMatchObject({ code: 0, output: expect.stringContaining('completed') });
      const [run = ''] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(asked.output) ?? [];
      const report = await waymark('report', run);
      expect(report).toMatchObject({ code: 0, output: expect.stringContaining('charges-2021.pdf') });
      expect(report.output).toContain('0.23');
      expect(await waymark('list')).toMatchObject({ code: 0, output: expect.stringMatching(/completed/) });

      const ends = await Promise.all(
        [...children].map(async ([app, child]) => [app, await child.stop('SIGTERM', 30_000)]),
      );
      expect(Object.fromEntries(ends)).toEqual(
        Object.fromEntries([...children.keys()].map((app) => [app, { code: 0, signal: null }])),
      );
    } finally {
      await Promise.all([...children.values()].map(async (child) => await child.stop('SIGKILL')));
      await Promise.all([nats.stop(), postgres.stop(), redis.stop()]);
    }
  }, 300_000);
});

/** Rejects with the output of the first that ends by itself: waiting for what it should do would tell nothing. */
function firstEnd(children: ReadonlyMap<string, OwnedProcess>): Promise<never> {
  const end = Promise.race([...children.values()].map(async (child) => (await child.exited, child))).then((child) => {
    throw new Error(`${child.name} ended:\n${child.output().slice(-4_096)}`);
  });
  end.catch(() => undefined); // at the end of the test all of them end
  return end;
}
