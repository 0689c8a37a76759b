import type { listDocuments as contract } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { fitPage, WireError } from '@waymark/messaging';
import type { Documents } from '../adapters/postgres/documents.js';
import { unknownCorpus, unknownLocator } from '../core/refusals.js';

/** Documents by name, page by page. Refusals: `unknown_corpus`, `unknown_locator` (of `after`). */
export async function listDocuments(
  documents: Documents,
  { corpus, after, limit }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const found = await documents.list(corpus, after, limit);
  if (found.length === 0) await explainEmpty(documents, corpus, after);
  const { items, next } = fitPage(found, limit, ({ locator }) => locator);
  return { documents: items, next };
}

/** Nothing follows the last document; any other empty page has a cause. */
async function explainEmpty(documents: Documents, corpus: string, after: string | undefined): Promise<void> {
  if ((await documents.describe(corpus)) === undefined) throw new WireError(unknownCorpus(corpus));
  if (after !== undefined && (await documents.find(corpus, after)) === undefined) {
    throw new WireError({ ...unknownLocator(corpus, after), field: 'after' });
  }
}
