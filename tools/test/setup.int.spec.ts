import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { until, workspaceRoot } from '@waymark/testing';

const SETUP = pathToFileURL(join(workspaceRoot(), 'tools/setup.mjs')).href;

describe('a step of the set-up', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-setup-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function start(script: string) {
    const code = `import { Stopped, Steps } from ${JSON.stringify(SETUP)};
      const steps = new Steps();
      await steps.run('it', 'words', 'sh', ['-c', ${JSON.stringify(script)}])
        .catch((error) => { console.log(error.message); process.exitCode = error instanceof Stopped ? 130 : 1; });
      steps.close();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: folder });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, ended, output: () => output };
  }
  const pids = (): number[] => readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
  const alive = (pid: number): boolean => {
    try {
      return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  };

  it.each([
    ['SIGINT', 'sleep 600 & echo $! >> pids'],
    ['SIGTERM', '(trap "" TERM INT; sleep 600) & echo $! >> pids'],
    ['SIGHUP', '(exec >/dev/null 2>&1; sleep 600) & echo $! >> pids'],
  ] as const)(
    '%s to us alone ends all that it has started',
    async (signal, background) => {
      const script = `cd ${folder}; ${background}; echo $$ >> pids; touch there; sleep 600`;
      const { child, ended, output } = start(script);
      await until(() => existsSync(join(folder, 'there')), { what: 'the step to run', timeoutMs: 20_000 });
      expect(output()).toBe('set-up: it (words) …\n');
      child.kill(signal);
      expect({ code: await ended, output: output() }).toMatchObject({
        code: 130,
        output: expect.stringContaining(`stopped by ${signal}`),
      });
      await until(() => !pids().some(alive), { what: 'the step to be gone', timeoutMs: 2_000 });
    },
    60_000,
  );

  it('says when it starts and when it is done, and shows its output when it fails', async () => {
    const good = start('echo noise');
    expect(await good.ended).toBe(0);
    expect(good.output()).toMatch(/^set-up: it \(words\) …\nset-up: it done \(\d+\.\d s\)\n$/);
    const bad = start('echo why >&2; exit 3');
    expect(await bad.ended).toBe(1);
    expect(bad.output()).toMatch(/it: exit code 3\nwhy/);
  }, 60_000);
});
