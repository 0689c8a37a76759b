/** The package as a stranger gets it: packed, put into an empty project, used from there. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';

const root = workspaceRoot();
interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let project: string;
let packed: Record<'client' | 'contracts', Packed>;

function pack(name: 'client' | 'contracts'): Packed {
  const cwd = join(root, 'libs', name);
  const json = execFileSync('npm', ['pack', '--json', '--pack-destination', project], { cwd, encoding: 'utf8' });
  const [result] = JSON.parse(json.slice(json.indexOf('['))) as Packed[];
  if (!result) throw new Error(`npm pack said nothing of ${name}`);
  const target = join(project, 'node_modules/@waymark', name);
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', join(project, result.filename), '-C', target, '--strip-components=1']);
  return result;
}

beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-stranger-')));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  packed = { client: pack('client'), contracts: pack('contracts') };
  // What npm would fetch besides, from where it is already.
  for (const dependency of ['@nats-io', 'zod', '@types']) {
    symlinkSync(join(root, 'node_modules', dependency), join(project, 'node_modules', dependency));
  }
}, 180_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the packed client', () => {
  it.each(['client', 'contracts'] as const)('%s holds code, types and a page, and nothing else', (name) => {
    const paths = packed[name].files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
    const others = paths.filter((path) => !/^(README\.md|package\.json|dist\/[a-z/-]+\.(js|d\.ts))$/.test(path));
    expect([others, paths.filter((path) => path.includes('.spec.'))]).toEqual([[], []]);
  });

  it('depends on contracts and the NATS client alone', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'libs/client/package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(Object.keys(dependencies).sort()).toEqual([
      '@nats-io/jetstream',
      '@nats-io/obj',
      '@nats-io/transport-node',
      '@waymark/contracts',
    ]);
  });

  it('runs in a project of its own, and says with code and remedy what is wrong', () => {
    const script = `import { WaymarkClient, WaymarkError } from '@waymark/client';
      const error = await WaymarkClient.connect({ servers: 'nats://127.0.0.1:1', connectMs: 1 }).catch((e) => e);
      console.log(JSON.stringify([error instanceof WaymarkError, error.code, typeof error.remedy]));`;
    writeFileSync(join(project, 'use.mjs'), script);
    const { stdout, stderr } = spawnSync(process.execPath, ['use.mjs'], { cwd: project, encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual(['[true,"nats_unavailable","string"]', '']);
  }, 30_000);

  it('has types that a project of its own can compile against; wrong use does not compile', () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const lines = [
      "import { WaymarkClient } from '@waymark/client';",
      "const client = await WaymarkClient.connect({ servers: 'nats://x:1' });",
      "const { run } = await client.start({ key: 'k', corpus: 'c', question: 'q' });",
      'for await (const { seq } of client.events(run, { cursors: { runtime: 3 } })) seq.toFixed();',
      '// @ts-expect-error the question is missing',
      "await client.start({ key: 'k', corpus: 'c' });",
    ];
    writeFileSync(join(project, 'use.ts'), lines.join('\n'));
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022',
      '--types',
      'node',
    ];
    const { stdout, status } = spawnSync(process.execPath, [tsc, ...flags, 'use.ts'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['', 0]);
  }, 120_000);
});
