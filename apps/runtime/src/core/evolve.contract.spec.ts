import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeFact, type RecordFact } from '@waymark/record';
import { explainedRequest } from '@waymark/contracts/runtime';
import { canonical } from '../../test/played-run.js';
import { evolve } from './evolve.js';
import { explainRequests } from './explain-requests.js';
import { newRunState, type RunState } from './run-state.js';

const corpus = join(import.meta.dirname, '../../../../libs/record/corpus');
interface Released {
  readonly run: string;
  readonly rows: readonly {
    readonly seq: number;
    readonly epoch: number;
    readonly body: string;
    readonly hash: string;
  }[];
}

describe.each(readdirSync(corpus).filter((name) => name.endsWith('.json')))('released record %s', (name) => {
  const { run, rows } = JSON.parse(readFileSync(join(corpus, name), 'utf8')) as Released;
  const fact = (body: string) => decodeFact<RecordFact>(Buffer.from(body, 'base64'));

  it('L3, C15: today’s fold reads it to its end, from any row on as from the first', () => {
    const full = newRunState(run, '');
    const snapshots: RunState[] = [];
    for (const { seq, body, hash } of rows) {
      snapshots.push(JSON.parse(JSON.stringify(full)) as RunState);
      evolve(full, fact(body), seq, hash);
    }
    expect([full.phase, full.seq, full.head]).toEqual(['ended', rows.length, rows.at(-1)?.hash]);
    for (const [i, state] of snapshots.entries()) {
      for (const { seq, body, hash } of rows.slice(i)) evolve(state, fact(body), seq, hash);
      expect(canonical(state) === canonical(full)).toBe(true);
    }
  });

  it('E1: every request of it is explained in the contract’s shape', () => {
    const all = explainRequests(rows.map(({ seq, epoch, body }) => ({ seq, epoch, fact: fact(body) })));
    expect(all.length).toBeGreaterThan(0);
    for (const one of all) expect(explainedRequest.safeParse(one).error?.issues ?? []).toEqual([]);
  });
});
