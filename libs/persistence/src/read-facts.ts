/** An owner's table `fact (run_id, seq, type, at, data)`: what it told of its runs, in order. */
import { factType } from '@waymark/contracts/streams';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import type { Queryable } from './queryable.js';

/** A run's facts after a sequence as the events that they went out as, oldest first (L14). */
export async function readFacts(
  db: Queryable,
  owner: string,
  run: string,
  after: number,
  limit: number,
): Promise<WaymarkEvent[]> {
  const rows = await db.prepared<{ seq: number; type: string; at: Date; data: Buffer }>(
    'run-facts-read',
    'SELECT seq, type, at, data FROM fact WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
    [run, after, limit],
  );
  return rows.map(({ seq, type, at, data }) => ({
    owner,
    run,
    seq,
    at: at.toISOString(),
    type: factType(owner, type),
    data: JSON.parse(data.toString('utf8')) as Record<string, unknown>,
  }));
}
