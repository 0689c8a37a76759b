/** Documents into a corpus: bytes through the object store, then the name, then the wait for the parser. */
import { readFile } from 'node:fs/promises';
import { addDocument, describeCorpus, listDocuments, type DocumentView } from '@waymark/contracts/sources';
import { setTimeout as pause } from 'node:timers/promises';
import { checkBytes, checkFolder } from './arguments.js';
import type { Caller } from './caller.js';
import type { Objects } from './objects.js';
import { readFolder, type FolderFile, type LeftOut } from './read-folder.js';
import { WaymarkError } from './waymark-error.js';

/** What became of one file. */
export interface UploadedFile {
  readonly name: string;
  /** `refused`: the service would not take it; `left_out`: it was not offered. */
  readonly status: 'ready' | 'unreadable' | 'refused' | 'left_out';
  readonly document: DocumentView | null;
  /** Null when it is ready. */
  readonly reason: { readonly code: string; readonly message: string } | null;
}
export interface UploadedFolder {
  readonly corpus: string;
  readonly files: readonly UploadedFile[];
  readonly ready: number;
}
export interface UploadOptions {
  /** Told of each file as soon as its fate is known. */
  readonly onFile?: (file: UploadedFile) => void;
  /** For the parser, ms, while nothing gets done; default 120,000. */
  readonly parseMs?: number;
}

/** Files on their way at once: their bytes are in memory. */
const AT_ONCE = 4;
const PARSE_MS = 120_000;
const LOOK_MS = 60;
const ADD_MS = 30_000;

export class Uploads {
  constructor(
    private readonly caller: Caller,
    private readonly objects: Objects,
  ) {}

  /** One document; resolves when it is parsed. Refusals of the service (`bad_name`, `invalid_field` …) reject. */
  async document(corpus: string, name: string, bytes: Uint8Array, options: UploadOptions = {}): Promise<UploadedFile> {
    checkBytes(bytes);
    const files: UploadedFile[] = [];
    const document = await this.add(corpus, name, bytes);
    await this.parsed(corpus, [document], options.parseMs ?? PARSE_MS, (file) => files.push(file));
    const [file = outcomeOf(document)] = files;
    options.onFile?.(file);
    return file;
  }

  /** All of a folder. One bad file never stops the others; see {@link readFolder} for what refuses a folder. */
  async folder(corpus: string, folder: string, options: UploadOptions = {}): Promise<UploadedFolder> {
    checkFolder(folder);
    const { files, leftOut } = await readFolder(folder);
    const done: UploadedFile[] = [];
    const note = (file: UploadedFile): void => {
      done.push(file);
      options.onFile?.(file);
    };
    for (const file of leftOut) note(outcomeOfLeftOut(file));
    const added: DocumentView[] = [];
    const waiting = [...files];
    const work = async (): Promise<void> => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        const result = await this.offer(corpus, file);
        if ('locator' in result) added.push(result);
        else note(result);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await this.parsed(corpus, added, options.parseMs ?? PARSE_MS, note);
    return { corpus, files: done, ready: done.filter(({ status }) => status === 'ready').length };
  }

  private async offer(corpus: string, { name, path }: FolderFile): Promise<DocumentView | UploadedFile> {
    let bytes: Uint8Array;
    try {
      bytes = await readFile(path);
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
      return outcomeOfLeftOut({ name, code: 'unreadable_file', message: `it cannot be read (${why})` });
    }
    try {
      return await this.add(corpus, name, bytes);
    } catch (error) {
      // Only what is wrong with this file is its own; a bad corpus or a service that is away is everybody's.
      if (!(error instanceof WaymarkError) || error.field !== 'name') throw error;
      return { name, status: 'refused', document: null, reason: { code: error.code, message: error.message } };
    }
  }

  private async add(corpus: string, name: string, bytes: Uint8Array): Promise<DocumentView> {
    const object = await this.objects.put('upload', bytes); // sources deletes what it has taken in
    return (await this.caller.ask(addDocument, { corpus, name, object }, { timeoutMs: ADD_MS })).document;
  }

  /** Tells of each document as soon as it is parsed or cannot be; resolves when none is pending any more. */
  private async parsed(
    corpus: string,
    added: readonly DocumentView[],
    parseMs: number,
    tell: (file: UploadedFile) => void,
  ): Promise<void> {
    const waiting = new Set<string>();
    for (const document of added) {
      if (document.status === 'pending') waiting.add(document.locator);
      else tell(outcomeOf(document));
    }
    let left = Infinity;
    let deadline = performance.now() + parseMs;
    while (waiting.size > 0) {
      const { pending } = await this.caller.ask(describeCorpus, { corpus });
      if (pending < left) {
        left = pending;
        deadline = performance.now() + parseMs;
        for await (const document of this.documents(corpus)) {
          if (document.status !== 'pending' && waiting.delete(document.locator)) tell(outcomeOf(document));
        }
      } else if (performance.now() > deadline) throw stillPending(corpus, waiting.size, parseMs);
      if (waiting.size > 0) await pause(LOOK_MS);
    }
  }

  async *documents(corpus: string): AsyncGenerator<DocumentView> {
    let after: string | undefined;
    do {
      const page = await this.caller.ask(listDocuments, {
        corpus,
        limit: 200,
        ...(after === undefined ? {} : { after }),
      });
      yield* page.documents;
      after = page.next ?? undefined;
    } while (after !== undefined);
  }
}

const stillPending = (corpus: string, pending: number, ms: number): WaymarkError =>
  new WaymarkError({
    code: 'still_pending',
    message: `${pending} documents of corpus ${corpus} have not been parsed; nothing got done for ${ms} ms`,
    remedy: 'see whether the sources service runs, then upload the same folder again: it goes on where it was',
  });

function outcomeOf(document: DocumentView): UploadedFile {
  const { name, status, reason } = document;
  return {
    name,
    document,
    status: status === 'ready' ? 'ready' : 'unreadable',
    reason: status === 'ready' ? null : reason,
  };
}

const outcomeOfLeftOut = ({ name, code, message }: LeftOut): UploadedFile => ({
  name,
  status: 'left_out',
  document: null,
  reason: { code, message },
});
