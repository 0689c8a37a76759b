import type { describeCorpus as contract } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { WireError } from '@waymark/messaging';
import type { Documents } from '../adapters/postgres/documents.js';
import { unknownCorpus } from '../core/refusals.js';

/** Counts of a corpus. Refusal: `unknown_corpus`. */
export async function describeCorpus(
  documents: Documents,
  { corpus }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const counts = await documents.describe(corpus);
  if (counts === undefined) throw new WireError(unknownCorpus(corpus));
  return { corpus, ...counts };
}
