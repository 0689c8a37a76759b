import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POLICIES } from '@waymark/contracts/policy';
import { until, workspaceRoot } from '@waymark/testing';
import { familyOf, stillThere, type Family } from './process-family.js';
import { runCli, type Ended } from './run-cli.js';
import { wrongFigures, type DemoAnswers } from './report-figures.js';

const ROOT = workspaceRoot();
const MINUTE = 60_000;

interface Demo {
  readonly output: () => string;
  readonly family: Family;
  /** Ctrl-C in a terminal reaches the whole foreground group. */
  interrupt(): void;
  readonly ended: Promise<number | null>;
}

function startDemo(...args: string[]): Demo {
  // The workspace is set up when tests run: as after the first `npm run demo`.
  const child = spawn(process.execPath, ['tools/demo.mjs', ...args], {
    cwd: ROOT,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, WAYMARK_SET_UP: '1' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const pid = child.pid ?? 0;
  const family = familyOf(pid);
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  void ended.then(() => family.stop());
  return { output: () => text, family, interrupt: () => void process.kill(-pid, 'SIGINT'), ended };
}

const nothingLeft = async ({ family }: Demo): Promise<void> => {
  await until(() => stillThere(family).length === 0, {
    what: 'all that the demo started to be gone',
    timeoutMs: 5_000,
  }).catch(() => undefined);
  expect(stillThere(family)).toEqual([]);
};

describe('npm run demo', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-demo-e2e-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'E1, E3: goes from documents to a right, proven and explained report, and stops all that it started',
    async () => {
      const out = join(folder, 'out');
      const demo = startDemo('--out', out);
      expect({ code: await demo.ended, output: demo.output() }).toMatchObject({ code: 0 });
      const [run = ''] = readdirSync(out);
      expect(readdirSync(join(out, run)).sort()).toEqual([
        'explanation.txt',
        'provider-log.jsonl',
        'record.jsonl',
        'report.html',
        'report.md',
        'verification.txt',
      ]);
      const read = (name: string): string => readFileSync(join(out, run, name), 'utf8');
      const answers = JSON.parse(readFileSync(join(ROOT, 'apps/cli/test/demo-answers.json'), 'utf8')) as DemoAnswers;
      expect(wrongFigures(read('report.md'), answers)).toEqual([]);
      expect(read('verification.txt')).toMatch(/^RIGHT: all was checked$/m);
      expect(read('explanation.txt')).toMatch(/^state +ended, phase ended, partial$/m);
      for (const line of [
        /^policy teaching \(tier standard, version 1\)$/m,
        /^ {2}unreadable {2}damaged\.pdf: /m,
        /^turn \d+ \(explore, /m,
        /^block published: /m,
        /^note: /m,
        /^set aside \d+ results? /m,
        /^summary 1 of turns /m,
        /^block corrected: .*version 2/m,
        /^told the model \(state\): /m,
        /^review 1 asked for/m,
        /^exploring is over, .*explore_exhausted/m,
        /^turn \d+ \(finish, .*finish$/m,
        /^explore requests +\[#+\.*\] +17 of 17$/m,
        /^proof: right/m,
        /report\.html$/m,
      ]) {
        expect(demo.output()).toMatch(line);
      }
      // All limits, by name and number, before anything is asked of the model.
      const { limits, context } = POLICIES.teaching;
      const [beforeAnyTurn = ''] = demo.output().split(/^turn 1 /m);
      expect(beforeAnyTurn).toContain(`${limits.exploreRequests} explore, ${limits.finishRequests} finish`);
      expect(beforeAnyTurn).toContain(`${limits.activeMs / MINUTE} min active, ${limits.wallMs / MINUTE} min wall`);
      expect(beforeAnyTurn).toContain(`results resident ${context.residencyBytes / 1024}.0 KiB`);
      expect(beforeAnyTurn).toContain(`notice room ${context.noticeRoomBytes} B`);
      for (const part of ['a request', 'summaries', 'revisions', 'review', 'reminders', 'retries'])
        expect(beforeAnyTurn).toMatch(new RegExp(`^ {2}${part} .*\\d`, 'm'));
      expect(demo.output()).not.toContain('\u001b');
      expect(demo.family.seen.size).toBeGreaterThan(10);
      await nothingLeft(demo);
      // The command that it names, as a shell takes it, with nothing running any more.
      const [, again = ''] = /^ {2}npm run waymark -- (verify .*)$/m.exec(demo.output()) ?? [];
      const offline = { PATH: process.env['PATH'] ?? '', WAYMARK_NATS_URL: 'nats://127.0.0.1:1' };
      const proof = spawnSync('sh', ['-c', `"$0" apps/cli/dist/main.js ${again}`, process.execPath], {
        cwd: ROOT,
        env: offline,
      });
      expect({ status: proof.status, stdout: String(proof.stdout) }).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/^RIGHT: all was checked$/m),
      });
    },
    4 * MINUTE,
  );

  it(
    '--keep leaves everything up, says how to ask it, and stops all of it at Ctrl-C',
    async () => {
      const out = join(folder, 'kept');
      const demo = startDemo('--keep', '--out', out);
      await until(() => /until Ctrl-C here/.test(demo.output()), {
        what: 'the system to be kept',
        timeoutMs: 3 * MINUTE,
      });
      const [run = ''] = readdirSync(out);
      const [, url = ''] = /^ {2}export WAYMARK_NATS_URL=(\S+)$/m.exec(demo.output()) ?? [];
      const ask = async (...args: string[]): Promise<Ended> => await runCli(args, { WAYMARK_NATS_URL: url });
      expect((await ask('explain', run)).stdout).toMatch(/^state +ended, phase ended, partial$/m);
      const [, log = ''] = /verify <run> --provider-log (\S+)$/m.exec(demo.output()) ?? [];
      expect(await ask('verify', run, '--provider-log', log)).toMatchObject({ code: 0, stderr: '' });
      demo.interrupt();
      expect({ code: await demo.ended, output: demo.output() }).toMatchObject({ code: 0 });
      await nothingLeft(demo);
    },
    4 * MINUTE,
  );

  it.each([
    ['while servers start', '  servers'],
    ['while services start', '  services'],
    ['in the middle of the run', 'block published'],
    ['when the run has ended', 'ended: partial'],
  ])(
    'Ctrl-C %s leaves no process behind',
    async (_, moment) => {
      const demo = startDemo('--out', join(folder, 'interrupted'));
      await until(() => demo.output().includes(moment), { what: moment, timeoutMs: 2 * MINUTE });
      demo.interrupt();
      expect({ code: await demo.ended, output: demo.output() }).toMatchObject({ code: 130 });
      expect(demo.output()).not.toContain('Go on with'); // nothing is left to go on with
      await nothingLeft(demo);
    },
    4 * MINUTE,
  );

  it(
    'says at once, in clear words, what it cannot use',
    async () => {
      const empty = join(folder, 'empty');
      mkdirSync(empty);
      const large = join(folder, 'large.txt');
      writeFileSync(large, 'why? '.repeat(40 * 1024));
      for (const [args, words] of [
        [['--docs', empty, '--question', 'x'], /^empty_folder: .*\n {2}name a folder/m],
        [['--docs', join(folder, '../x-not-there'), '--question', 'x'], /^no_such_folder: /m],
        [['--docs', large, '--question', 'x'], /^not_a_folder: /m],
        [['--docs', folder], /^no_question: /m],
        [['--question-file', large], /^question_too_large: the question has 204799 bytes/m],
        [['--question', ' '], /^empty_question: /m],
        [['--model-url', 'https://host/v1'], /^half_a_model: /m],
        [
          ['--model-url', 'http://127.0.0.1:1/v1', '--model-name', 'm'],
          /^model_unreachable: 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\n {2}/m,
        ],
        [['--lavish'], /^bad_option: .*--lavish/m],
      ] as const) {
        const demo = startDemo(...args);
        const code = await demo.ended;
        expect({ args, code, output: demo.output() }).toEqual({
          args,
          code: 2,
          output: expect.stringMatching(words),
        });
        expect(demo.output()).not.toContain('starting private servers');
      }
    },
    MINUTE,
  );

  it(
    'takes anybody’s files: a corpus of one byte ends with a report',
    async () => {
      const docs = join(folder, 'one');
      mkdirSync(docs);
      writeFileSync(join(docs, 'x.txt'), 'x');
      const out = join(folder, 'one-out');
      const demo = startDemo('--docs', docs, '--question', 'What are the fees of the Zephyr ETF?', '--out', out);
      expect({ code: await demo.ended, output: demo.output() }).toMatchObject({ code: 0 });
      expect(readFileSync(join(out, readdirSync(out)[0] ?? '', 'report.md'), 'utf8')).toContain('# ');
      await nothingLeft(demo);
    },
    3 * MINUTE,
  );
});
