import { WaymarkError, type UploadedFile } from '@waymark/client';
import type { Command } from 'commander';
import { bytesText, many, oneLine } from '../core/words.js';
import type { Session } from './session.js';

interface Options {
  readonly corpus: string;
  readonly json?: boolean;
}

export function addUpload(program: Command, session: Session): void {
  program
    .command('upload <folder>')
    .description('upload a folder of PDF, HTML, Markdown, CSV and text files; a file that cannot be read stops nothing')
    .requiredOption('-c, --corpus <name>', 'corpus to upload to; it begins with its first document')
    .option('--json', 'what became of each file, as JSON')
    .action(async (folder: string, { corpus, json = false }: Options) => {
      const onFile = (file: UploadedFile): void => void (json || session.print(fileLine(file)));
      const done = await session.withClient(async (client) => await client.uploadFolder(corpus, folder, { onFile }));
      if (json) session.printJson(done);
      else session.print(`corpus ${corpus}: ${done.ready} of ${many(done.files.length, 'file')} can be read`);
      if (done.ready === 0) {
        throw new WaymarkError({
          code: 'nothing_readable',
          message: `no file of ${folder} can be read`,
          remedy: 'see the reason of each file above; PDF, HTML, Markdown, CSV and text are read',
        });
      }
    });
}

function fileLine({ name, status, document, reason }: UploadedFile): string {
  const shown = oneLine(name, 120);
  if (status === 'ready' && document)
    return `  ready       ${shown} (${document.kind}, ${bytesText(document.bytes)} of text)`;
  return `  ${status.replace('_', ' ').padEnd(10)}  ${shown}: ${oneLine(reason?.message ?? 'no reason given')} [${reason?.code ?? 'none'}]`;
}
