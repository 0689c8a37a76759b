import { Buffer } from 'node:buffer';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '@waymark/contracts/publication';
import type { ExplainedRequest, RunView } from '@waymark/contracts/runtime';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { until } from '@waymark/testing';
import { generateCorpus, type CorpusAnswers } from '@waymark/testing/corpus';
import { startStack, type Stack } from '@waymark/testing/stack';
import { WaymarkClient } from '@waymark/client';
import { wrongFigures } from './report-figures.js';
import { runCli, startCli, type Ended } from './run-cli.js';
import { tamperedLog, tamperedRecord } from './tamper.js';

/** A small corpus; the large one is the demo's. */
const SEED = 2169;
const MINUTE = 60_000;
const LIMITS = ['hardLimitBytes=49152', 'residencyBytes=12288', 'reviewEveryExploreRequests=6'];
const SMALL = ['--policy', 'teaching', ...LIMITS.flatMap((limit) => ['--limit', limit])];

describe('the command line on the whole system', () => {
  let folder: string;
  let stack: Stack;
  let run: string;
  let log: string;
  let env: Record<string, string>;
  let answers: CorpusAnswers;
  const at = (name: string): string => join(folder, name);
  const waymark = async (...args: string[]): Promise<Ended> => await runCli(args, env);
  const ok = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await waymark(...args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await ok(...args, '--json')) as T;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-e2e-'));
    log = at('provider.jsonl');
    stack = await startStack({
      fast: true,
      logFile: log,
      env: { 'practice-model': { LATENCY_MS: '100' } },
    });
    env = { WAYMARK_NATS_URL: stack.nats.url };
    const docs = at('docs');
    mkdirSync(docs);
    const corpus = await generateCorpus(SEED, { language: 'en', documents: 11 });
    for (const { name, bytes } of corpus.files) writeFileSync(join(docs, name), bytes);
    answers = corpus.answers;
    writeFileSync(at('question.txt'), corpus.question);
    writeFileSync(join(docs, 'a\u0007b.txt'), 'a name with a bell');
    writeFileSync(join(docs, 'nothing.txt'), '');
    const uploaded = await ok('upload', docs, '--corpus', 'demo');
    expect(uploaded).toMatch(/^ {2}unreadable {2}damaged\.pdf: .*\[damaged\]$/m);
    expect(uploaded).toMatch(/^ {2}unreadable {2}nothing\.txt: .*\[empty\]$/m);
    expect(uploaded).toMatch(/^ {2}refused {5}a b\.txt: .*\[bad_name\]$/m);
    expect(uploaded).toMatch(/^corpus demo: 10 of 13 files can be read$/m);
    const order = ['--corpus', 'demo', '--question-file', at('question.txt'), ...SMALL];
    run = (await json<{ run: string }>('start', ...order)).run;
  }, 3 * MINUTE);

  afterAll(async () => {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }, MINUTE);

  it(
    'L6, F-T6: the viewer leaves in the middle, the run finishes, and another goes on from the last sequence seen',
    async () => {
      const viewer = startCli(['follow', run], env);
      await until(() => viewer.stdout().includes('block published'), {
        what: 'a block on the screen',
        timeoutMs: MINUTE,
      });
      viewer.child.kill('SIGINT');
      const left = await viewer.ended;
      expect(left.code).toBe(130);
      expect(left.stdout).not.toContain('ended, ');
      const goOn = /Go on with: waymark (.*)$/m.exec(left.stdout)?.[1]?.split(' ') ?? [];
      expect(goOn.slice(0, 2)).toEqual(['follow', run]);
      const rest = await ok(...goOn);
      expect(rest).toMatch(/^ended: completed \(finished\)$/m);
      expect(rest).not.toContain('admitted: ');
      const seen = left.stdout.match(/^(block published|turn \d+ \().*$/gm) ?? [];
      const after = rest.match(/^(block published|turn \d+ \().*$/gm) ?? [];
      const whole = (await ok('follow', run)).match(/^(block published|turn \d+ \().*$/gm) ?? [];
      expect([...seen, ...after].toSorted()).toEqual(whole.toSorted());
    },
    2 * MINUTE,
  );

  it(
    'L14: from any sequence seen a viewer gets state, progress and report again, and starts nothing by it',
    async () => {
      const lines = async (...from: string[]): Promise<WaymarkEvent[]> =>
        (await ok('follow', run, '--json', ...from))
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((l) => JSON.parse(l) as WaymarkEvent);
      const all = await lines();
      const ids = (events: readonly WaymarkEvent[]): string[] => events.map(({ owner, seq }) => `${owner}/${seq}`);
      expect(new Set(ids(all)).size).toBe(all.length);
      for (const owner of ['runtime', 'budget', 'publication', 'reviewer']) {
        const own = all.filter((e) => e.owner === owner);
        expect(own.map(({ seq }) => seq)).toEqual(own.map((_, i) => i + 1));
        expect(own.length).toBeGreaterThan(0);
      }
      const later = await lines('--from', 'runtime=10', '--from', 'budget=3');
      expect(ids(later)).toEqual(
        ids(all.filter((e) => !(e.owner === 'runtime' && e.seq <= 10) && !(e.owner === 'budget' && e.seq <= 3))),
      );
      const before = await json<RunView>('get', run);
      expect(before).toMatchObject({ state: 'ended', outcome: 'completed', code: 'finished' });
      const told = await ok('follow', run);
      expect(told).toMatch(/^set aside \d+ results? that the model has had/m);
      expect(told).toMatch(/^summary 1 of turns .* adopted/m);
      expect(told).toMatch(/^told the model \((state|advice)\): /m);
      expect(told).toMatch(/^explore requests +\[#+\.*\]/m);
    },
    MINUTE,
  );

  it(
    'P7: the report answers with the right figures, names conflicts, corrections and gaps',
    async () => {
      const markdown = await ok('report', run);
      expect(wrongFigures(markdown, answers)).toEqual([]);
      expect(markdown).toContain('damaged.pdf');
      await ok('report', run, '--format', 'html', '--out', at('report.html'));
      expect(readFileSync(at('report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
      const report = JSON.parse(await ok('report', run, '--format', 'json')) as Report;
      expect(report.blocks.flatMap((b) => b.citations).filter((c) => c.status !== 'ok')).toEqual([]);
    },
    MINUTE,
  );

  it(
    'P8: what was shown to whom is on record',
    async () => {
      await ok('report', run, '--viewer', 'somebody');
      const client = await WaymarkClient.connect({ servers: stack.nats.url });
      try {
        const { version } = await client.report(run);
        const shown = [];
        for await (const one of client.shown(run)) shown.push(one);
        expect(shown).toContainEqual({ viewer: 'somebody', version, at: expect.any(String) });
        expect(shown.some(({ viewer }) => viewer === 'nobody')).toBe(false);
      } finally {
        await client.close();
      }
    },
    MINUTE,
  );

  it(
    'E1: one page explains the run, and each request in full: bytes by part, reminders, reservation, deadlines, actions',
    async () => {
      const page = await ok('explain', run);
      expect(page).toMatch(/^why +The model finished by itself\. \[finished\]$/m);
      expect(page).toMatch(/^ {2}explore requests +\[/m);
      expect(page).toMatch(/^ {2}computing /m);
      const { requests } = await json<{ requests: ExplainedRequest[] }>('explain', run);
      expect(page.split('\n').filter((l) => /^ +\d+ {2}(explore|finish|summarize) /.test(l))).toHaveLength(
        requests.length,
      );
      expect(requests.some((r) => r.purpose === 'summarize')).toBe(true);
      for (const r of requests) expect(Object.values(r.parts).reduce((a, b) => a + b, 0)).toBe(r.bytes);
      const told = requests.find((r) => r.notices.some((n) => n.fate === 'submitted'));
      const one = await ok('explain', run, '--request', String(told?.request));
      expect(one).toContain(told?.digest);
      expect(one).toMatch(/^ {2}settlement +completed by its holder \(budget's fact \d+\)$/m);
      expect(one).toMatch(/^ {2}deadlines +first content 1 min, progress 45\.0 s, total /m);
      expect(one).toMatch(/^ {4}submitted: (state|advice) /m);
      expect(await waymark('explain', run, '--request', '999')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^unknown_request: /),
      });
    },
    MINUTE,
  );

  describe('E3: proof from the stored record and the provider’s log alone', () => {
    interface Proof {
      readonly requests: number;
      readonly rebuilt: number;
      readonly arrived: number | null;
      readonly reminders: number;
      readonly findings: readonly { readonly check: string; readonly where: string; readonly what: string }[];
      readonly unchecked: readonly string[];
    }
    const verify = async (code: number, ...args: string[]): Promise<Proof> => {
      const ended = await waymark('verify', run, '--json', ...args);
      expect({ args, code: ended.code, stderr: ended.stderr }).toEqual({ args, code, stderr: '' });
      return JSON.parse(ended.stdout) as Proof;
    };
    const named = ({ findings }: Proof): string[] => findings.map(({ check, where }) => `${check} ${where}`);
    const offline = { WAYMARK_NATS_URL: 'nats://127.0.0.1:1' };

    beforeAll(async () => {
      await ok('follow', run);
      await ok('record', run, '--out', at('record.jsonl'));
    }, MINUTE);

    it(
      'all is right: chain, every request byte for byte, every submitted reminder in the bytes that arrived',
      async () => {
        const proof = await verify(0, '--provider-log', log);
        expect(proof).toMatchObject({ findings: [], unchecked: [], rebuilt: proof.requests, arrived: proof.requests });
        expect(proof.reminders).toBeGreaterThan(0);
        expect(await ok('verify', run, '--provider-log', log)).toMatch(/^RIGHT: all was checked$/m);
        expect(await verify(0, '--provider-log', `${stack.practiceUrl ?? ''}/log`)).toEqual(proof);
      },
      MINUTE,
    );

    it(
      'an export proves the same with no service at all',
      async () => {
        const { code, stdout } = await runCli(
          ['verify', run, '--record', at('record.jsonl'), '--provider-log', log],
          offline,
        );
        expect(code).toBe(0);
        expect(stdout).toMatch(/^RIGHT/m);
      },
      MINUTE,
    );

    it(
      'without a log it says what it could not check, and exits otherwise',
      async () => {
        const proof = await verify(3);
        expect(proof).toMatchObject({ findings: [], rebuilt: proof.requests, arrived: null });
        expect(proof.unchecked).toEqual(expect.arrayContaining([expect.stringContaining('which requests arrived')]));
        expect((await waymark('verify', run)).stdout).toMatch(/^ {2}not checked: /m);
      },
      MINUTE,
    );

    it(
      'one flipped byte of the record fails by name',
      async () => {
        const record = readFileSync(at('record.jsonl'), 'utf8');
        for (const kind of ['row', 'body'] as const) {
          const { text, name } = tamperedRecord(record, kind, 5);
          writeFileSync(at('tampered.jsonl'), text);
          const proof = await verify(1, '--record', at('tampered.jsonl'), '--provider-log', log);
          expect(named(proof).join('\n')).toContain(name);
        }
      },
      MINUTE,
    );

    it(
      'a record that was cut short fails by name',
      async () => {
        const lines = readFileSync(at('record.jsonl'), 'utf8').split('\n');
        const last = lines.findLastIndex((l) => l.includes('"kind":"row"'));
        writeFileSync(at('tampered.jsonl'), lines.filter((_, i) => i !== last).join('\n'));
        const found = named(await verify(1, '--record', at('tampered.jsonl'), '--provider-log', log));
        expect(found.some((f) => f.startsWith('order seq'))).toBe(true);
        expect(found.some((f) => f.startsWith('export record file line'))).toBe(true);
      },
      MINUTE,
    );

    it(
      'one flipped byte of the log, a missing and an extra request each fail by name',
      async () => {
        const text = readFileSync(log, 'utf8');
        const expectFinding = async (changed: string, finding: RegExp): Promise<void> => {
          writeFileSync(at('tampered.log'), changed);
          const found = named(await verify(1, '--record', at('record.jsonl'), '--provider-log', at('tampered.log')));
          expect(found.join('\n')).toMatch(finding);
        };
        await expectFinding(tamperedLog(text, `${run}/3`, 'flip'), /^changed_request request 3$/m);
        await expectFinding(tamperedLog(text, `${run}/3`, 'flip-and-hash'), /^changed_request request 3$/m);
        await expectFinding(tamperedLog(text, `${run}/3`, 'drop'), /^missing_request request 3 /m);
        await expectFinding(tamperedLog(text, `${run}/3`, 'twice'), /^extra_request log entry/m);
        await expectFinding(tamperedLog(text, `${run}/3`, 'rename', `${run}/77`), /^extra_request log entry/m);
        await expectFinding(tamperedLog(text, `${run}/3`, 'garble'), /^log log line/m);
        await expectFinding(tamperedLog(text, `${run}.1/1/1`, 'drop'), /^missing_request review request /m);
        await expectFinding(tamperedLog(text, `${run}.1/1/1`, 'flip-and-hash'), /^changed_request review request /m);
      },
      2 * MINUTE,
    );

    it(
      'a log of digests only, and one without ids, neither with checks of its lines, are used for what they can prove',
      async () => {
        const without = (...keys: string[]): string =>
          readFileSync(log, 'utf8')
            .split('\n')
            .filter((l) => l.includes(`"${run}`))
            .map((l) =>
              JSON.stringify(
                Object.fromEntries(Object.entries(JSON.parse(l) as object).filter(([k]) => !keys.includes(k))),
              ),
            )
            .join('\n');
        writeFileSync(at('digests.log'), without('bytesBase64', 'check'));
        const digests = await verify(3, '--provider-log', at('digests.log'));
        expect(digests.unchecked.join()).toContain('digests only');
        writeFileSync(at('nameless.log'), without('id', 'check'));
        const nameless = await verify(0, '--provider-log', at('nameless.log'));
        expect(nameless).toMatchObject({ arrived: nameless.requests, findings: [], unchecked: [] });
      },
      MINUTE,
    );
  });

  it(
    'a corpus of one byte, an empty folder, ../x and a question too large get a clear answer',
    async () => {
      mkdirSync(at('empty'));
      mkdirSync(at('one'));
      writeFileSync(at('one/x.txt'), 'x');
      expect(await waymark('upload', at('empty'), '--corpus', 'c')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^empty_folder: .*\n {2}name a folder/),
      });
      expect(await waymark('upload', at('../no-such-x'), '--corpus', 'c')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^no_such_folder: /),
      });
      expect(await waymark('upload', at('one'), '--corpus', '../x')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^invalid_field: /),
      });
      const client = await WaymarkClient.connect({ servers: stack.nats.url });
      try {
        await expect(client.uploadDocument('c', '../x', Buffer.from('x'))).rejects.toMatchObject({
          code: 'bad_name',
          field: 'name',
        });
      } finally {
        await client.close();
      }
      writeFileSync(at('large.txt'), 'why? '.repeat(40 * 1024));
      expect(await waymark('start', '--corpus', 'one', '--question-file', at('large.txt'))).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^question_too_large: .*\n {2}/),
      });
      await ok('upload', at('one'), '--corpus', 'one');
      const asked = [
        'start',
        '--corpus',
        'one',
        '--question',
        'What are the fees of the Zephyr ETF in 2022?',
        '--policy',
        'teaching',
        '--key',
        'one-byte',
      ];
      expect(await ok(...asked, '--follow')).toMatch(/^ended: (completed|partial) /m);
      const { run: one } = await json<{ run: string }>(...asked);
      expect((await ok('report', one)).length).toBeGreaterThan(100);
    },
    2 * MINUTE,
  );

  it(
    'unknown runs and policies, and files that cannot be had, are refused with a code, a remedy and an exit code',
    async () => {
      const nobody = '01a22cba-26ab-7636-96e6-e015a7c7df90';
      for (const [args, code, words] of [
        [['start', '--question', 'x', '--corpus', 'demo', '--policy', 'lavish'], 1, /^unknown_policy: /],
        [['get', nobody], 1, /^unknown_run: .*\n {2}check the id: waymark list$/m],
        [['report', nobody], 1, /^unknown_run: .*\n {2}check the id: waymark list$/m],
        [['report', run, '--out', '/nope/x.html'], 1, /^cannot_write: .*ENOENT/],
        [['explain', run, '--out', '/nope/x.txt'], 1, /^cannot_write: .*ENOENT/],
        [['record', run, '--out', '/nope/x.jsonl'], 1, /^cannot_write: .*ENOENT/],
        [['follow', nobody], 1, /^unknown_run: /],
        [['verify', run, '--provider-log', at('no-such.log')], 1, /^no_provider_log: /],
        [['verify', run, '--record', at('no-such')], 1, /^no_record_file: /],
      ] as const) {
        const ended = await waymark(...args);
        expect({ args, code: ended.code, stderr: ended.stderr }).toEqual({
          args,
          code,
          stderr: expect.stringMatching(words),
        });
      }
      const away = await runCli(['get', run], { WAYMARK_NATS_URL: 'nats://127.0.0.1:1' });
      expect(away).toMatchObject({ code: 1, stderr: expect.stringMatching(/^nats_unavailable: .*127\.0\.0\.1:1/) });
    },
    MINUTE,
  );

  it(
    'L6: cancel means stop, in the command line as well',
    async () => {
      await silent(true); // the run cannot be over before the stop comes
      const order = ['--corpus', 'demo', '--question-file', at('question.txt'), ...SMALL];
      const { run: other } = await json<{ run: string }>('start', ...order);
      expect(await ok('cancel', other, '--reason', 'enough')).toContain('is being stopped');
      await silent(false);
      const followed = await waymark('follow', other);
      expect(followed).toMatchObject({ code: 4, stdout: expect.stringMatching(/^ended: cancelled/m) });
      expect(await ok('cancel', other)).toContain('has ended: cancelled');
      expect(await ok('list', '--state', 'ended')).toMatch(new RegExp(`^${other} +cancelled `, 'm'));
      const [newest] = await json<{ run: string }[]>('list', '-n', '1');
      const older = await json<{ run: string }[]>('list', '--before', newest?.run ?? '');
      expect([newest, ...older]).toEqual(await json('list'));
      expect(await waymark('list', '--state', 'parked')).toMatchObject({ code: 0, stdout: '', stderr: 'no runs\n' });
    },
    MINUTE,
  );

  /** Whether the model keeps silent from now on. */
  async function silent(on: boolean): Promise<void> {
    const stall = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"rules":[{"fault":"stall"}]}',
    };
    const url = `${stack.practiceUrl ?? ''}/control/faults`;
    expect((await fetch(url, on ? stall : { method: 'DELETE' })).ok).toBe(true);
  }
});
