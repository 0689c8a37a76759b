import type { Db } from '@waymark/persistence';
import type { ByteRange } from '@waymark/contracts/wire';

export interface RangeRow {
  readonly name: string | null;
  /** 0 unless the document is ready. */
  readonly total: number | null;
  readonly head: Buffer | null;
  readonly after: Buffer | null;
}

/** Offsets beyond any text that is kept; PostgreSQL counts in 32 bits. */
const FAR = 2 ** 30;

/** For each range, in order: its document, the first `headBytes` of it and the byte that follows it. One round trip. */
export async function lookUpRanges(
  db: Db,
  corpus: string,
  ranges: readonly (ByteRange & { locator: string })[],
  headBytes: number,
): Promise<RangeRow[]> {
  return await db.prepared<RangeRow>(
    'look-up-ranges',
    `SELECT d.name, d.bytes AS total,
            coalesce(substring(d.text FROM r.first + 1 FOR greatest(least(r.last - r.first, $5), 1)), '') AS head,
            coalesce(substring(d.text FROM r.last + 1 FOR 1), '') AS after
     FROM unnest($2::text[], $3::int[], $4::int[]) WITH ORDINALITY AS r (locator, first, last, place)
     LEFT JOIN document d ON d.corpus = $1 AND d.locator = r.locator ORDER BY r.place`,
    [
      corpus,
      ranges.map(({ locator }) => locator),
      ranges.map(({ start }) => Math.min(start, FAR)),
      ranges.map(({ end }) => Math.min(end, FAR)),
      headBytes,
    ],
  );
}
