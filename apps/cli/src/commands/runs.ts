/** get, list, cancel: a run's view, the runs there are, and the stop. */
import type { RunState, RunView } from '@waymark/contracts/runtime';
import type { Command } from 'commander';
import { runLines } from '../core/explain-page.js';
import { oneLine, table } from '../core/words.js';
import type { Session } from './session.js';

interface ListOptions {
  readonly state?: RunState;
  readonly limit: string;
  readonly json?: boolean;
}

export function addRuns(program: Command, session: Session): void {
  program
    .command('get <run>')
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
    .option('--state <state>', 'only queued, running, parked, ending or ended ones')
    .option('-n, --limit <n>', 'how many at most', '50')
    .option('--json', 'as JSON')
    .action(async (options: ListOptions) => {
      const runs = await session.withClient(async (client) => {
        const request = { limit: Number(options.limit), ...(options.state ? { state: options.state } : {}) };
        return (await client.list(request)).runs;
      });
      if (options.json) session.printJson(runs);
      else session.print(...table(runs.map(listRow)));
    });
  program
    .command('cancel <run>')
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

const listRow = (run: RunView): string[] => [
  run.run,
  run.state === 'ended' ? (run.outcome ?? 'ended') : run.state,
  run.policy,
  run.admittedAt,
  oneLine(run.question, 60),
];
