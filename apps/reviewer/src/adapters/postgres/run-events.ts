import { Buffer } from 'node:buffer';
import { factRow, insertOutbox, type Tx } from '@waymark/persistence';

export const OWNER = 'reviewer';

export interface NewEvent {
  readonly name: string;
  readonly data: Record<string, unknown>;
}

/** Numbers events within their run, keeps them and puts them into the outbox: in the transaction of their facts. */
export async function addEvents(tx: Tx, run: string, events: readonly NewEvent[]): Promise<void> {
  const [last] = await tx.query<{ seq: number; at: Date }>(
    `INSERT INTO review_run (run_id, seq) VALUES ($1, $2)
     ON CONFLICT (run_id) DO UPDATE SET seq = review_run.seq + $2 RETURNING seq, clock_timestamp() AS at`,
    [run, events.length],
  );
  if (!last) throw new Error('the sequence of events was not kept');
  const first = last.seq - events.length + 1;
  const bodies = events.map(({ data }) => Buffer.from(JSON.stringify(data)));
  await tx.query(
    `INSERT INTO fact (run_id, seq, type, at, data)
     SELECT $1, $2 + x.n - 1, x.type, $3, x.data FROM unnest($4::text[], $5::bytea[]) WITH ORDINALITY AS x(type, data, n)`,
    [run, first, last.at, events.map(({ name }) => name), bodies],
  );
  await insertOutbox(
    tx,
    events.map(({ name, data }, i) => factRow({ owner: OWNER, run, seq: first + i, at: last.at, name, data })),
  );
}
