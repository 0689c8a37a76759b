import type { Command } from 'commander';
import { bytesText, many } from '../core/words.js';
import { fetchRun } from '../proof/fetch-run.js';
import { writeRecordFile } from '../proof/record-file.js';
import { orCannotWrite } from '../terminal/result-file.js';
import { parseRun } from './arguments.js';
import type { Session } from './session.js';

export function addRecord(program: Command, session: Session): void {
  program
    .command('record')
    .argument('<run>', 'its id', parseRun)
    .description('write the stored record with all its bodies into a file, for proof by anybody')
    .requiredOption('-o, --out <file>', 'the file')
    .action(async (run: string, { out }: { out: string }) => {
      const stored = await session.withClient(async (client) => await fetchRun(client, run));
      const { bytes } = await orCannotWrite(out, async () => await writeRecordFile(out, stored));
      session.print(
        `${out}: ${many(stored.rows.length, 'fact')}, ${many(stored.bodies.size, 'body', 'bodies')}, ${bytesText(bytes)}`,
      );
    });
}
