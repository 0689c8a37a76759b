/** Admission: the run's row, its first fact, and "look at this run", in one transaction; once per key (L1). */
import { WORK } from '@waymark/contracts/streams';
import type { RunView } from '@waymark/contracts/runtime';
import { WireError } from '@waymark/messaging';
import type { Db } from '@waymark/persistence';
import { RecordStore } from '@waymark/persistence/holder';
import { encodeFact, genesisHash, linkHash } from '@waymark/record';
import { v7 as uuid } from 'uuid';
import type { RunRows } from '../adapters/postgres/run-rows.js';
import { RUN_TABLES } from '../adapters/postgres/run-tables.js';
import { storableText } from '../adapters/postgres/storable-text.js';
import { sha256 } from '../run/sha256.js';
import type { Admission } from './prepare-admission.js';

export async function admitRun(
  db: Db,
  rows: RunRows,
  a: Admission,
): Promise<{ readonly created: boolean; readonly view: RunView }> {
  const run = uuid();
  const created = await db.transaction(async (tx) => {
    const inserted = await tx.prepared<{ id: string }>(
      'run_admit',
      `INSERT INTO run (id, state, start_key, start_digest, question, corpus, policy)
       VALUES ($1, 'queued', $2, $3, $4, $5, $6) ON CONFLICT (start_key) DO NOTHING RETURNING id`,
      [run, a.key, a.digest, storableText(a.question), a.corpus, a.policy.name],
    );
    if (inserted.length === 0) return false;
    const body = encodeFact(a.fact);
    const hash = linkHash(sha256, genesisHash(sha256, run), { seq: 1, epoch: 0, kind: a.fact.type, body });
    const result = await new RecordStore(tx, RUN_TABLES).append({
      id: run,
      run,
      epoch: 0,
      seq: 0,
      rows: [{ kind: a.fact.type, body, hash, told: true }],
      bodies: a.bodies,
      messages: [{ subject: WORK.run, msgId: `run/${run}`, body: Buffer.from(JSON.stringify({ run })) }],
      unlessCancelled: false,
      patch: null,
    });
    if (result !== 'appended') throw new Error(`the first fact of run ${run} was ${result}`);
    return true;
  });
  const stored = await rows.byKey(a.key);
  if (!stored) throw new Error(`run of key ${a.key} is not there`);
  if (!created && !stored.digest.equals(a.digest)) {
    throw new WireError({
      code: 'key_reused',
      message: `key "${a.key}" started run ${stored.view.run} with another request`,
      remedy: 'use a new key for a new request; the same key only repeats the same start',
      field: 'key',
    });
  }
  return { created, view: stored.view };
}
