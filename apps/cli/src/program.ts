import { Command } from 'commander';
import { addExplain } from './commands/explain.js';
import { addFollow } from './commands/follow.js';
import { addRecord } from './commands/record.js';
import { addReport } from './commands/report.js';
import { addRuns } from './commands/runs.js';
import { Session } from './commands/session.js';
import { addStart } from './commands/start.js';
import { addUpload } from './commands/upload.js';
import { addVerify } from './commands/verify.js';

/** The commands of `waymark`, and what they share. */
export function buildProgram(): { readonly program: Command; readonly session: Session } {
  const program = new Command('waymark')
    .description('Research that keeps its limits, tells what it told, and can prove it.')
    .option('--nats <url>', 'nats://host:port (WAYMARK_NATS_URL; default nats://127.0.0.1:4222)')
    .option(
      '--nats-user <user>',
      'user (WAYMARK_NATS_USER); its password comes by WAYMARK_NATS_PASS or WAYMARK_NATS_PASS_FILE',
    )
    .option('--nats-pass-file <file>', 'a file with the password')
    .exitOverride()
    .showHelpAfterError('(waymark --help says more)');
  const session = new Session(program);
  for (const add of [addStart, addUpload, addFollow, addRuns, addReport, addExplain, addRecord, addVerify])
    add(program, session);
  return { program, session };
}
