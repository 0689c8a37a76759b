import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';

const root = workspaceRoot();

it('`npm run secrets` takes a file or nothing: an option writes no file of that name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-secrets-'));
  try {
    for (const [option, code] of [
      ['--help', 0],
      ['--mistyped', 2],
    ] as const) {
      const run = spawnSync(process.execPath, [join(root, 'tools/secrets.mjs'), option], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(run.status).toBe(code);
      expect(run.stdout + run.stderr).toContain('npm run secrets');
    }
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('docker-compose.yml', () => {
  it('asks for exactly the passwords that `npm run secrets` writes, and for none by default', () => {
    const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    const asked = [...new Set([...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name))];
    expect(compose).not.toMatch(/\$\{[A-Z_]+(:?-|\})/);
    const folder = mkdtempSync(join(tmpdir(), 'waymark-secrets-'));
    try {
      const { status } = spawnSync(process.execPath, [join(root, 'tools/secrets.mjs'), join(folder, '.env')]);
      expect(status).toBe(0);
      const written = readFileSync(join(folder, '.env'), 'utf8');
      expect([...written.matchAll(/^([A-Z_]+)=w[0-9a-f]{32}$/gm)].map(([, name]) => name).sort()).toEqual(asked.sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
