#!/usr/bin/env node
import { WaymarkError } from '@waymark/client';
import { CommanderError } from 'commander';
import { EXIT } from './commands/session.js';
import { buildProgram } from './program.js';
import { WrongUse } from './wrong-use.js';

const { program, session } = buildProgram();
/** Each owner words its remedy for callers by message; a person at a terminal has a list. */
const remedyOf = ({ code, remedy }: WaymarkError): string =>
  code === 'unknown_run' ? 'check the id: waymark list' : remedy;

// A reader that has seen enough (`| head`) closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`cannot_write: the output cannot be written (${error.code})\n  see where it goes\n`);
  process.exit(EXIT.failed);
});
// The first one leaves in order; whoever cannot wait for that asks again.
process.once('SIGINT', () => {
  session.leave();
  setTimeout(() => process.once('SIGINT', () => process.exit(EXIT.interrupted)), 500).unref();
});
process.once('SIGTERM', () => session.leave());

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else {
    process.exitCode = error instanceof WrongUse ? EXIT.usage : EXIT.failed;
    if (error instanceof WaymarkError) process.stderr.write(`${error.code}: ${error.message}\n  ${remedyOf(error)}\n`);
    else
      process.stderr.write(
        `waymark broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
  }
}
