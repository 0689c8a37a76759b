import { WaymarkError } from '@waymark/client';
import type { Command } from 'commander';
import { proofPage } from '../core/proof-page.js';
import { fetchRun } from '../proof/fetch-run.js';
import type { ProofFinding } from '../proof/finding.js';
import { readProviderLog } from '../proof/provider-log.js';
import { readRecordFile } from '../proof/record-file.js';
import type { StoredRun } from '../proof/stored-run.js';
import { exitCodeOf, verifyRun } from '../proof/verify-run.js';
import { writeResult } from '../terminal/result-file.js';
import { parseRun } from './arguments.js';
import type { Session } from './session.js';

interface Options {
  readonly providerLog?: string;
  readonly record?: string;
  readonly out?: string;
  readonly json?: boolean;
}

export function addVerify(program: Command, session: Session): void {
  program
    .command('verify')
    .argument('<run>', 'its id', parseRun)
    .description(
      'prove a run from its stored record and the provider’s log: 0 right, 1 wrong, 3 not all could be checked',
    )
    .option('--provider-log <file|url>', "the provider's log, JSON lines")
    .option('--record <file>', 'an export (waymark record) instead of the services: needs no connection')
    .option('-o, --out <file>', 'into a file')
    .option('--json', 'as JSON')
    .action(async (run: string, options: Options) => {
      const { stored, findings } = await load(session, run, options.record);
      const log = options.providerLog === undefined ? null : await readProviderLog(options.providerLog, run);
      const found = verifyRun(stored, log);
      const proof = { ...found, findings: [...findings, ...found.findings] };
      const text = options.json ? JSON.stringify(proof, null, 2) : proofPage(proof).join('\n');
      if (options.out === undefined) session.print(text);
      else await writeResult(options.out, `${text}\n`);
      session.exit(exitCodeOf(proof));
    });
}

async function load(
  session: Session,
  run: string,
  path: string | undefined,
): Promise<{ readonly stored: StoredRun; readonly findings: readonly ProofFinding[] }> {
  if (path === undefined) {
    return { stored: await session.withClient(async (client) => await fetchRun(client, run)), findings: [] };
  }
  const read = await readRecordFile(path).catch((error: unknown) => {
    if (error instanceof WaymarkError) throw error;
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new WaymarkError({
      code: 'no_record_file',
      message: `${path} cannot be read (${why})`,
      remedy: 'name an export of waymark record',
    });
  });
  if (read.stored.run === run) return read;
  throw new WaymarkError({
    code: 'other_run',
    message: `${path} is the record of run ${read.stored.run}`,
    remedy: 'name that run, or its own export',
  });
}
