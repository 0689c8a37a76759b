import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';
import { readRules } from '../rules/read-rules.mjs';
import { readTitles } from '../rules/read-titles.mjs';

const fixture = join(workspaceRoot(), 'tools/test/rules-fixture');

function rules(root: string, ...args: string[]): { output: string; status: number | null } {
  const script = join(workspaceRoot(), 'tools/rules.mjs');
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, '--root', root, ...args], {
    encoding: 'utf8',
  });
  return { output: stdout + stderr, status };
}

describe('npm run rules', () => {
  it('lists the tests of each rule, by title and by describe', () => {
    const { output } = rules(fixture);
    expect(output).toContain('B1 yes, 1 test\n    apps/ledger/src/ledger.unit.spec.ts: B1, F-B3: limits stay apart\n');
    expect(output).toContain('B2 partly (without: children), 1 test\n');
    expect(output).toContain('B2: no request without a reservation › holder %i\n');
    expect(output).toContain('Cases from the field: F-B3\n');
  });

  it('fails for a held rule without a test and for a rule that does not exist, and --report does not', () => {
    const { output, status } = rules(fixture);
    expect(status).toBe(1);
    expect(output).toContain('4 of 5 rules are held; 2 of them have a test.\nWithout a test: B3, B4\nNo such rule: B9');
    expect(rules(fixture, '--report').status).toBe(0);
  });

  it('passes once every held rule has a test', () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-rules-'));
    try {
      cpSync(fixture, folder, { recursive: true });
      writeFileSync(join(folder, 'apps/ledger/src/ledger.unit.spec.ts'), "it('B1, B2, B3, B4: all', () => undefined);");
      expect(rules(folder)).toMatchObject({ status: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuses a line that is no rule and a rule that stands twice', () => {
    expect(() => readRules('- **B1** [maybe] text')).toThrow('line 1: expected');
    expect(() => readRules('- **B1** [yes] a\n- **B1** [later] b')).toThrow('line 2: B1 stands twice');
  });

  it("reads every mark of the project's own copy", () => {
    const own = readRules(readFileSync(join(workspaceRoot(), 'docs/rules.md'), 'utf8'));
    expect(own).toHaveLength(87);
    expect(own.find(({ rule }) => rule === 'T2')?.missing).toContain('upgrade');
  });

  it('does not count skipped tests, empty describes and prose', () => {
    const source = `
      describe('B1: empty', () => {});
      describe.skip('B2: skipped', () => { it('x', f); });
      xit('B3: skipped', f); it.todo('B4: to do'); log('B5: no test');
      it.only('B6: runs', f); test.each\`a\`('B7: table', f); it('mentions B8: inside', f);`;
    expect(readTitles(source).flatMap(({ rules: cited }) => cited)).toEqual(['B6', 'B7']);
  });
});
