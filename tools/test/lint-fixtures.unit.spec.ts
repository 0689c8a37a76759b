import { spawnSync } from 'node:child_process';
import { workspaceRoot } from '@waymark/testing';

interface Finding {
  file: string;
  expected: string[];
  reported: string[];
}

/** ESLint runs in a process of its own: it loads its plugins and our configuration as it does in `npm run lint`. */
function judge(): Finding[] {
  const root = workspaceRoot();
  const { stdout, stderr, status } = spawnSync(process.execPath, ['tools/lint/judge-fixtures.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the fixtures could not be judged: ${stderr}`);
  const json = stdout.slice(stdout.indexOf('[{')); // Nx may print a notice before it
  return JSON.parse(json) as Finding[];
}

describe('lint', () => {
  const findings = judge();

  it('has fixtures of each fence', () => {
    const rules = new Set(findings.flatMap(({ expected }) => expected.map((entry) => entry.split(' ')[1])));
    expect([...rules].sort()).toEqual([
      '@nx/enforce-module-boundaries',
      '@typescript-eslint/no-explicit-any',
      '@typescript-eslint/no-floating-promises',
      '@typescript-eslint/return-await',
      '@typescript-eslint/switch-exhaustiveness-check',
      'max-lines',
      'no-restricted-globals',
      'no-restricted-imports',
      'no-restricted-properties',
      'no-restricted-syntax',
      'waymark/core-imports',
      'waymark/environment-in-config',
    ]);
  });

  it.each(findings.map((finding) => [finding.file, finding] as const))(
    '%s is refused exactly where it says so',
    (_file, { expected, reported }) => {
      expect(reported).toEqual(expected);
    },
  );
});
