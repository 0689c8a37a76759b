import type { WaymarkClient } from '@waymark/client';
import { InvalidArgumentError, type Command } from 'commander';
import { explainPage } from '../core/explain-page.js';
import { explainRequest } from '../core/explain-request.js';
import { settlementOf, type KnownSettlement } from '../core/settlement-of.js';
import { writeResult } from '../terminal/result-file.js';
import { parseRun } from './arguments.js';
import type { Session } from './session.js';

interface Options {
  readonly request?: number;
  readonly out?: string;
  readonly json?: boolean;
}

export function addExplain(program: Command, session: Session): void {
  program
    .command('explain')
    .argument('<run>', 'its id', parseRun)
    .description('why a run is where it is, and what stood in its requests, on one page')
    .option('-r, --request <n>', 'everything about one request', parseNumber)
    .option('-o, --out <file>', 'into a file')
    .option('--json', 'as JSON')
    .action(async (run: string, { request, out, json }: Options) => {
      const text = await session.withClient(async (client) => {
        const explained = await client.explain(run, request);
        if (json) return JSON.stringify(explained, null, 2);
        const [only] = explained.requests;
        if (request === undefined || !only) return explainPage(explained).join('\n');
        return explainRequest(only, await settled(client, run, only.reservation)).join('\n');
      });
      if (out === undefined) session.print(text);
      else await writeResult(out, `${text}\n`);
    });
}

/** The budget's own word on a reservation. */
async function settled(client: WaymarkClient, run: string, reservation: string): Promise<KnownSettlement> {
  let known: KnownSettlement = null;
  for await (const event of client.events(run, { owners: ['budget'], follow: false })) {
    known = settlementOf(known, event, reservation);
  }
  return known;
}

function parseNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It is the number of a request, from 1.');
  return Number(value);
}
