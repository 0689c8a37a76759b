import type { DocumentView } from '@waymark/contracts/sources';
import type { ErrorBody } from '@waymark/contracts/wire';

export function unknownCorpus(corpus: string): ErrorBody {
  return {
    code: 'unknown_corpus',
    message: `There is no document in the corpus "${corpus}".`,
    remedy: 'Check its name, or add a document to it first.',
    field: 'corpus',
  };
}

export function unknownLocator(corpus: string, locator: string): ErrorBody {
  return {
    code: 'unknown_locator',
    message: `The corpus "${corpus}" has no document ${locator}.`,
    remedy: 'Take locators from a search or from the list of documents.',
    field: 'locator',
  };
}

/** Why a known document cannot be read: `not_ready` while it waits to be parsed, `unreadable` for good. */
export function refuseUnready(
  locator: string,
  { name, status, reason }: Pick<DocumentView, 'name' | 'status' | 'reason'>,
): ErrorBody | undefined {
  switch (status) {
    case 'ready':
      return undefined;
    case 'pending':
      return {
        code: 'not_ready',
        message: `${locator} ("${name}") has not been parsed yet.`,
        remedy: 'Ask again in a moment.',
        field: 'locator',
      };
    case 'unreadable':
      return {
        code: 'unreadable',
        message: `${locator} ("${name}") has no text: ${reason?.message ?? 'unknown reason'} (${reason?.code ?? 'unknown'})`,
        remedy: 'Go on with other documents, or add the file again in another form.',
        field: 'locator',
      };
  }
}
