/** What the command line says before, and without, any service. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from './run-cli.js';

const NOBODY = { WAYMARK_NATS_URL: 'nats://127.0.0.1:1' };
const CORPUS = join(import.meta.dirname, 'corpus');
const RECORD = join(CORPUS, 'record-1.jsonl');
const RUN = (JSON.parse(readFileSync(RECORD, 'utf8').split('\n')[0] ?? '') as { run: string }).run;
const MINUTE = 60_000;

describe('without a service', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-wrong-use-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each<[string[], RegExp]>([
    [['start', '--corpus', 'a'], /^no_question: .*\n {2}give --question/],
    [['start', '--corpus', 'a', '--question', ' '], /^no_question: /],
    [['start', '--question', 'x'], /required option/],
    [['start', '--corpus', 'a', '--question', 'x', '--limit', 'x=1'], /^unknown_limit: .*\n {2}write name=value/],
    [['start', '--corpus', 'a', '--question', 'x', '--limit', 'activeMs=soon'], /^invalid_limit: /],
    [['start', '--corpus', 'a', '--question', 'x', '--language', 'fr'], /en, zh/],
    [['get', '../x'], /^invalid_field: "\.\.\/x" is no id of a run\n {2}waymark list shows ids$/m],
    [['report', 'x'], /^invalid_field: /],
    [['verify', 'x', '--record', RECORD], /^invalid_field: /],
    [['report', RUN, '--format', 'pdf'], /markdown, html, json/],
    [['follow', RUN, '--from', 'nobody=1'], /^invalid_cursor: /],
    [['list', '--limit', 'many'], /from 1 to 200/],
    [['list', '--state', 'asleep'], /queued, running/],
    [['lists'], /unknown command/],
    [['--nats', 'http://x', 'list'], /^bad_configuration: /],
  ])(
    'wrong use ends with 2, and nobody is asked: %j',
    async (args, words) => {
      const ended = await runCli(args, NOBODY);
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(words) });
    },
    MINUTE,
  );

  it(
    'a file that cannot be read or written ends with 1, a code and a remedy, never with a stack',
    async () => {
      mkdirSync(join(folder, 'is-a-folder'));
      const proof = ['verify', RUN, '--record', RECORD];
      for (const [args, words] of [
        [[...proof, '--out', '/nope/x.txt'], /^cannot_write: \/nope\/x\.txt .*ENOENT.*\n {2}make its folder/],
        [[...proof, '--out', join(folder, 'is-a-folder')], /^cannot_write: .*EISDIR.*\n {2}it is a folder/],
        [[...proof, '--out', '/dev/full'], /^cannot_write: \/dev\/full .*ENOSPC/],
        [[...proof, '--out', ''], /^cannot_write: /],
        [['verify', RUN, '--record', folder], /^no_record_file: .*EISDIR.*\n {2}\S/],
        [['verify', RUN, '--record', '/nope'], /^no_record_file: .*ENOENT.*\n {2}\S/],
        [[...proof, '--provider-log', folder], /^no_provider_log: .*EISDIR.*\n {2}\S/],
        [[...proof, '--provider-log', 'http://127.0.0.1:2/log'], /^no_provider_log: .*ECONNREFUSED.*\n {2}\S/],
        [['start', '--corpus', 'a', '--question-file', '/nope'], /^no_question_file: .*ENOENT.*\n {2}\S/],
        [['start', '--corpus', 'a', '--question-file', folder], /^no_question_file: .*EISDIR.*\n {2}\S/],
        [['--nats-user', 'x', '--nats-pass-file', '/nope', 'list'], /^bad_configuration: .*ENOENT.*\n {2}\S/],
      ] as const) {
        const ended = await runCli(args, NOBODY);
        expect({ args, ...ended }).toMatchObject({ args, code: 1, stderr: expect.stringMatching(words) });
        expect(ended.stderr).not.toMatch(/broke|^ +at /m);
      }
    },
    2 * MINUTE,
  );
});
