import type { Queryable } from '@waymark/persistence';
import { fromBytes } from './json-bytes.js';
import type { Content } from './read-report.js';

export interface VersionRead {
  readonly version: number;
  readonly title: string;
  readonly text: string;
  readonly reason: string | null;
  readonly at: string;
}
export interface ShownRead {
  readonly viewer: string;
  readonly version: number;
  readonly at: string;
  readonly seq: number;
}

export async function hasReport(db: Queryable, run: string): Promise<boolean> {
  return (await db.prepared('report-exists', 'SELECT 1 FROM report WHERE run_id = $1', [run])).length > 0;
}

/** Versions of a block after one, oldest first. */
export async function readVersions(
  db: Queryable,
  run: string,
  block: string,
  after: number,
  limit: number,
): Promise<VersionRead[]> {
  const rows = await db.prepared<{ version: number; at: Date; content: Buffer }>(
    'history-read',
    `SELECT version, at, content FROM block_version
     WHERE run_id = $1 AND block = $2 AND version > $3 ORDER BY version LIMIT $4`,
    [run, block, after, limit],
  );
  return rows.map(({ version, at, content }) => {
    const { title, text, reason } = fromBytes<Content>(content);
    return { version, title, text, reason, at: at.toISOString() };
  });
}

/** What was shown to whom after a sequence, in order. */
export async function readShown(db: Queryable, run: string, after: number, limit: number): Promise<ShownRead[]> {
  const rows = await db.prepared<{ viewer: Buffer; version: number; seq: number; at: Date }>(
    'shown-read',
    'SELECT viewer, version, seq, at FROM shown WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
    [run, after, limit],
  );
  return rows.map(({ viewer, version, seq, at }) => ({
    viewer: fromBytes<string>(viewer),
    version,
    at: at.toISOString(),
    seq,
  }));
}
