/** get, list, cancel: a run's view, the runs there are, and the stop. */
import { runState, type RunState, type RunView } from '@waymark/contracts/runtime';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { runLines } from '../core/explain-page.js';
import { oneLine, table } from '../core/words.js';
import { parseRun } from './arguments.js';
import type { Session } from './session.js';

interface ListOptions {
  readonly state?: RunState;
  readonly limit: number;
  readonly before?: string;
  readonly json?: boolean;
}

export function addRuns(program: Command, session: Session): void {
  program
    .command('get')
    .argument('<run>', 'its id', parseRun)
    .description('where a run is and why')
    .option('--json', 'as JSON')
    .action(async (run: string, { json }: { json?: boolean }) => {
      const view = await session.withClient(async (client) => await client.get(run));
      if (json) session.printJson(view);
      else session.print(...runLines(view));
    });
  program
    .command('list')
    .description('the runs there are, newest first')
    .addOption(new Option('--state <state>', 'only those').choices(runState.options))
    .option('-n, --limit <n>', `how many at most, up to ${MOST_LISTED}`, parseCount, 50)
    .option('--before <run>', 'only those older than this one: the last of a list gives the next', parseRun)
    .option('--json', 'as JSON')
    .action(async (options: ListOptions) => {
      const runs = await session.withClient(async (client) => {
        const { limit, state, before } = options;
        const found: RunView[] = [];
        let cursor = before ?? null;
        do {
          // Long questions make a page shorter than was asked for.
          const left = limit - found.length;
          const page = await client.list({ limit: left, ...(state && { state }), ...(cursor && { cursor }) });
          found.push(...page.runs);
          cursor = page.next;
        } while (cursor !== null && found.length < limit);
        return found;
      });
      if (options.json) session.printJson(runs);
      else if (runs.length === 0) process.stderr.write('no runs\n');
      else session.print(...table(runs.map(listRow)));
    });
  program
    .command('cancel')
    .argument('<run>', 'its id', parseRun)
    .description('stop a run: once acknowledged nothing more is granted; the report keeps what was published')
    .option('--reason <text>', 'for its record')
    .option('--json', 'as JSON')
    .action(async (run: string, { reason, json }: { reason?: string; json?: boolean }) => {
      const reply = await session.withClient(async (client) => await client.cancel(run, reason));
      if (json) session.printJson(reply);
      else
        session.print(
          reply.run.state === 'ended' ? `run ${run} has ended: ${reply.run.outcome}` : `run ${run} is being stopped`,
        );
    });
}

/** The runtime's own most (`list`). */
const MOST_LISTED = 200;

function parseCount(value: string): number {
  const count = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (count < 1 || count > MOST_LISTED) throw new InvalidArgumentError(`It is a number from 1 to ${MOST_LISTED}.`);
  return count;
}

const listRow = (run: RunView): string[] => [
  run.run,
  run.state === 'ended' ? (run.outcome ?? 'ended') : run.state,
  run.policy,
  run.admittedAt,
  oneLine(run.question, 60),
];
