#!/usr/bin/env node
import { WaymarkError } from '@waymark/client';
import { CommanderError } from 'commander';
import { EXIT } from './commands/session.js';
import { buildProgram } from './program.js';

const { program, session } = buildProgram();

// A reader that has seen enough (`| head`) closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed),
);
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
    process.exitCode = EXIT.failed;
    if (error instanceof WaymarkError) process.stderr.write(`${error.code}: ${error.message}\n  ${error.remedy}\n`);
    else
      process.stderr.write(
        `waymark broke: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
  }
}
