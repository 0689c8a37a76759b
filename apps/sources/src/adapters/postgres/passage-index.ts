import type { Db } from '@waymark/persistence';

export interface FoundPassage {
  readonly locator: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly label: string;
  readonly body: Buffer;
  /** Share of the query's weight, 0…1. */
  readonly coverage: number;
  /** Terms and stems that stand in it. */
  readonly terms: string[];
  /** Passages that were found in all. */
  readonly total: number;
}

/**
 * Rows that one search may look at. Terms are taken from the rarest on until this is used up, so that a search costs the same
 * in a large corpus as in a small one; what is left out weighs least.
 */
const VISITS = 6_000;

/** Terms that are looked up at most, the rarest: what was found is noted as one bit a term. */
const TERMS = 60;

/**
 * 1. `asked`: each term and its English stem. A stop word counts only when nothing else is known.
 * 2. `used`: terms of this corpus within the visits, weighted by how rare they are, each with a bit.
 * 3. `found`: one look into the index per term; the corpus is a term too, so that others' passages are never touched.
 */
const SEARCH = `
  WITH asked AS (
    SELECT term, bool_and(stop) AS stop FROM (
      SELECT word AS term, ts_lexize('english_stem', word) = '{}' AS stop FROM unnest($2::text[]) AS word
      UNION ALL
      SELECT unnest(ts_lexize('english_stem', word)), false FROM unnest($2::text[]) AS word
    ) AS t GROUP BY term
  ), counted AS MATERIALIZED (
    SELECT term, stop, (SELECT passages FROM term_count c WHERE c.corpus = $1 AND c.term = a.term) AS passages FROM asked a
  ), known AS (
    SELECT term, stop, passages, bool_or(NOT stop) OVER () AS telling,
           sum(passages) OVER (ORDER BY stop, passages, term) AS visits,
           (row_number() OVER (ORDER BY stop, passages, term))::int AS place
    FROM counted WHERE passages IS NOT NULL
  ), used AS MATERIALIZED (
    SELECT term, 1::bigint << place AS bit,
           ln(1 + (SELECT passages FROM term_count WHERE corpus = $1 AND term = '@' || $1)::float8 / passages) AS weight
    FROM known WHERE (place = 1 OR visits <= $4) AND place <= $5 AND (NOT stop OR NOT telling)
  ), found AS (
    SELECT p.document, p.ordinal, sum(u.weight) AS weight, sum(u.bit)::bigint AS bits
    FROM used u CROSS JOIN LATERAL (
      SELECT document, ordinal FROM passage WHERE terms @@ format('''@%s'' & ''%s''', $1::text, u.term)::tsquery LIMIT $4
    ) AS p GROUP BY p.document, p.ordinal
  ), best AS MATERIALIZED (
    SELECT *, count(*) OVER () AS total FROM found ORDER BY weight DESC, document, ordinal LIMIT $3
  )
  SELECT d.locator, d.name, p.start_byte AS start, p.end_byte AS "end", p.label, b.total,
         ARRAY(SELECT term FROM used WHERE bit & b.bits <> 0) AS terms,
         b.weight / (SELECT sum(weight) FROM used) AS coverage,
         substring(d.text FROM p.start_byte + 1 FOR p.end_byte - p.start_byte) AS body
  FROM best b
  CROSS JOIN LATERAL (SELECT * FROM passage WHERE document = b.document AND ordinal = b.ordinal OFFSET 0) AS p
  JOIN document d ON d.id = p.document
  ORDER BY b.weight DESC, b.document, b.ordinal`;

/**
 * Passages of a corpus that hold any of `terms`, best coverage first. Not a prepared statement: its plan must follow the
 * size that the tables have now.
 */
export async function findPassages(
  db: Db,
  corpus: string,
  terms: readonly string[],
  limit: number,
): Promise<FoundPassage[]> {
  return await db.query<FoundPassage>(SEARCH, [corpus, terms, limit, VISITS, TERMS]);
}
