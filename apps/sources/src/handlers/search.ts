import type { search as contract } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { WireError } from '@waymark/messaging';
import type { Db } from '@waymark/persistence';
import type { Documents } from '../adapters/postgres/documents.js';
import { findPassages } from '../adapters/postgres/passage-index.js';
import { rankHits } from '../core/rank-hits.js';
import { unknownCorpus } from '../core/refusals.js';
import { queryTerms } from '../core/tokens.js';

/** Passages that are looked at closely: enough that the best few are among them, few enough to read them all. */
const CANDIDATES = 40;

/**
 * Passages that hold any of the query's words, best first. A query without words or a corpus without a readable document
 * finds nothing, which is no fault. Refusal: `unknown_corpus`.
 */
export async function search(
  { db, documents }: { db: Db; documents: Documents },
  { corpus, query, limit }: ParsedRequestOf<typeof contract>,
): Promise<ReplyOf<typeof contract>> {
  const terms = queryTerms(query);
  const found = terms.length === 0 ? [] : await findPassages(db, corpus, terms, Math.max(CANDIDATES, limit));
  if (found.length === 0 && (await documents.describe(corpus)) === undefined) {
    throw new WireError(unknownCorpus(corpus));
  }
  return { query, hits: rankHits(query, found, limit), total: found[0]?.total ?? 0 };
}
