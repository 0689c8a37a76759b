/** The state from the newest snapshot and the facts after it, or from all facts: both give the same (C15, L3). */
import { decodeFact, genesisHash, linkHash, toHex, type RecordFact } from '@waymark/record';
import type { RecordStore } from '@waymark/persistence/holder';
import { evolve } from '../core/evolve.js';
import { newRunState, REDUCER_VERSION, type RunState } from '../core/run-state.js';
import { sha256 } from './sha256.js';

const PAGE = 500;

export class BrokenRecord extends Error {}

export async function loadRun(records: RecordStore, run: string): Promise<RunState> {
  const snapshot = await records.snapshot(run);
  if (snapshot?.version === REDUCER_VERSION) {
    const state = JSON.parse(snapshot.body.toString('utf8')) as RunState;
    const [at] = await records.rows(run, snapshot.seq - 1, 1);
    // Refused at any other head: the record decides, never the cache.
    if (state.seq === snapshot.seq && at && state.head === at.hash.toString('hex'))
      return await foldRest(records, run, state);
  }
  return await rebuildRun(records, run);
}

/** The full rebuild, linear in the record's length; it checks the chain as it goes. */
export async function rebuildRun(records: RecordStore, run: string): Promise<RunState> {
  return await foldRest(records, run, newRunState(run, toHex(genesisHash(sha256, run))));
}

async function foldRest(records: RecordStore, run: string, state: RunState): Promise<RunState> {
  for (;;) {
    const rows = await records.rows(run, state.seq, PAGE);
    for (const row of rows) {
      if (row.seq !== state.seq + 1) throw new BrokenRecord(`run ${run}: seq ${row.seq} follows ${state.seq}`);
      const hash = linkHash(sha256, Buffer.from(state.head, 'hex'), row);
      if (!row.hash.equals(hash)) throw new BrokenRecord(`run ${run}: seq ${row.seq} does not hash to its stored hash`);
      evolve(state, decodeFact<RecordFact>(row.body), row.seq, toHex(hash));
    }
    if (rows.length < PAGE) return state;
  }
}

export const snapshotBytes = (state: RunState): Buffer => Buffer.from(JSON.stringify(state));
