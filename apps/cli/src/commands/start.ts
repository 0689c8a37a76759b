import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { WaymarkError } from '@waymark/client';
import { POLICIES } from '@waymark/contracts/policy';
import { Option, type Command } from 'commander';
import { language } from '@waymark/contracts/wire';
import { describePolicy } from '../core/describe-policy.js';
import { LIMIT_NAMES, parseLimits } from '../core/parse-limit.js';
import { WrongUse } from '../wrong-use.js';
import { collect } from './arguments.js';
import { endOfFollowing } from './follow.js';
import { followRun } from '../terminal/follow-run.js';
import type { Session } from './session.js';

interface Options {
  readonly question?: string;
  readonly questionFile?: string;
  readonly corpus: string;
  readonly policy: string;
  readonly limit: readonly string[];
  readonly language?: 'en' | 'zh';
  readonly model?: string;
  readonly key?: string;
  readonly follow?: boolean;
  readonly hint: boolean;
  readonly json?: boolean;
}

export function addStart(program: Command, session: Session): void {
  program
    .command('start')
    .description('start a run: a question on a corpus')
    .option('-q, --question <text>', 'what is to be found out')
    .option('--question-file <file>', 'the question from a file; - is standard input')
    .requiredOption('-c, --corpus <name>', 'corpus that documents were uploaded to')
    .option('-p, --policy <name>', `named policy: ${Object.keys(POLICIES).join(', ')}`, 'standard')
    .option(
      '-l, --limit <name=value>',
      `set a limit explicitly, again for more: ${LIMIT_NAMES.join(', ')}`,
      collect,
      [],
    )
    .addOption(
      new Option('--language <language>', 'language of the run; by the question unless given').choices(
        language.options,
      ),
    )
    .option('--model <name>', "model of the provider; the runtime's own unless given")
    .option('--key <key>', 'starting again with the same key is the same run')
    .option('-f, --follow', 'follow it to its end')
    .addOption(new Option('--no-hint', 'with --follow: leave without saying how to go on').hideHelp())
    .option('--json', 'the reply, or with --follow the events, as JSON')
    .action(async (options: Options) => await start(session, options));
}

async function start(session: Session, options: Options): Promise<void> {
  const limits = parseLimits(options.limit);
  if (!limits.ok) throw new WrongUse(limits.error);
  const question = await questionOf(options);
  await session.withClient(async (client) => {
    const reply = await client.start({
      key: options.key ?? randomUUID(),
      question,
      corpus: options.corpus,
      policy: options.policy,
      overrides: limits.overrides,
      ...(options.language ? { language: options.language } : {}),
      ...(options.model === undefined ? {} : { model: options.model }),
    });
    if (options.json) {
      if (!options.follow) return session.printJson(reply);
    } else {
      session.print(
        ...describePolicy(reply.policy),
        `run ${reply.run}${reply.created ? '' : ' (it was started before under this key)'}`,
      );
    }
    if (!options.follow) return;
    const { signal, screen } = session;
    const progress = await followRun(client, reply.run, screen, { signal, json: options.json ?? false });
    endOfFollowing(session, reply.run, progress, options.hint && options.json !== true);
  });
}

async function questionOf({ question, questionFile }: Options): Promise<string> {
  if (question !== undefined && question.trim() !== '' && questionFile === undefined) return question;
  if (question === undefined && questionFile === '-') return (await buffer(process.stdin)).toString('utf8');
  if (question === undefined && questionFile !== undefined) {
    try {
      return await readFile(questionFile, 'utf8');
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
      throw new WaymarkError({
        code: 'no_question_file',
        message: `the question cannot be read (${why})`,
        remedy: 'name a text file',
      });
    }
  }
  throw new WrongUse({
    code: 'no_question',
    message: 'there must be one question',
    remedy: 'give --question or --question-file',
  });
}
