import type { Tx } from '@waymark/persistence';
import type { KeyedEntry } from '../../core/report-state.js';
import { toBytes } from './json-bytes.js';

/** What a key had carried out; writes and notes have keys of their own. */
export async function findKeyed(tx: Tx, run: string, kind: 'write' | 'note', key: string): Promise<KeyedEntry | null> {
  const [row] = await tx.prepared<{ block: string | null; version: number | null }>(
    'keyed-find',
    'SELECT block, version FROM keyed_write WHERE run_id = $1 AND kind = $2 AND key = $3',
    [run, kind, toBytes(key)],
  );
  if (!row) return null;
  return { made: row.block === null ? null : { block: row.block, version: row.version! } };
}

export async function wasShown(tx: Tx, run: string, viewer: string, version: number): Promise<boolean> {
  const rows = await tx.prepared(
    'shown-find',
    'SELECT 1 FROM shown WHERE run_id = $1 AND viewer = $2 AND version = $3',
    [run, toBytes(viewer), version],
  );
  return rows.length > 0;
}
