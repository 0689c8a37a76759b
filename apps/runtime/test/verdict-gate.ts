/** Holds a run's requests until it knows what its reviewer said, so that a test does not depend on who is faster. */
import { until } from '@waymark/testing';
import type pg from 'pg';

/**
 * Resolves when the run knows the verdict of each review that it dispatched, so that the request after this one is made with
 * the advice. `timeoutMs`: after it no verdict can come any more, and the test fails.
 */
export async function verdictsAreKnown(database: pg.Pool, run: string, timeoutMs: number): Promise<void> {
  const beats = new Set<string | null>();
  await until(
    async () => {
      const { rows } = await database.query<{ heard: boolean; told: boolean; beat: string | null }>(KNOWN, [run]);
      const [row] = rows;
      if (row?.told === true) beats.add(row.beat);
      // A heartbeat tells the run of its inbox: one stood already, the next says it, and a third begins when that is taken in.
      return row?.heard === true || beats.size >= 3;
    },
    { what: `the verdicts of ${run}`, timeoutMs, everyMs: 50 },
  );
}

const KNOWN = `
WITH fact AS (SELECT kind FROM execution_record WHERE id = $1),
  dispatched AS (SELECT count(*) AS n FROM fact WHERE kind = 'ReviewDispatched')
SELECT n <= (SELECT count(*) FROM fact WHERE kind = 'VerdictHeard') AS heard,
  n <= (SELECT count(*) FROM inbox WHERE id = $1 AND kind = 'verdict') AS told,
  (SELECT heartbeat_at::text FROM run WHERE id = $1) AS beat
FROM dispatched`;
