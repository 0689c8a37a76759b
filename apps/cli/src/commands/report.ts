import type { WaymarkClient } from '@waymark/client';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { writeResult } from '../terminal/result-file.js';
import { parseRun } from './arguments.js';
import type { Session } from './session.js';

const FORMATS = ['markdown', 'html', 'json'] as const;
type Format = (typeof FORMATS)[number];

interface Options {
  readonly format: Format;
  readonly out?: string;
  readonly viewer: string;
}

export function addReport(program: Command, session: Session): void {
  program
    .command('report')
    .argument('<run>', 'its id', parseRun)
    .description('the report as it stands; publication records what was shown to whom')
    .option('--format <format>', FORMATS.join(', '), parseFormat, 'markdown' satisfies Format)
    .option('-o, --out <file>', 'into a file')
    .option('--viewer <name>', 'who reads it', 'cli')
    .action(async (run: string, { format, out, viewer }: Options) => {
      const text = await session.withClient(async (client) => await textOf(client, run, format, viewer));
      if (out === undefined) session.print(text.replace(/\n$/, ''));
      else await writeResult(out, text);
    });
}

async function textOf(client: WaymarkClient, run: string, format: Format, viewer: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(await client.report(run, viewer), null, 2)}\n`;
  return await client.renderedReport(run, format, viewer);
}

function parseFormat(value: string): Format {
  const format = FORMATS.find((known) => known === value);
  if (!format) throw new InvalidArgumentError(`It is one of ${FORMATS.join(', ')}.`);
  return format;
}
