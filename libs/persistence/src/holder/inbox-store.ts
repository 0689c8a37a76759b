import type { HeldTables } from './held-tables.js';
import type { Queryable } from '../queryable.js';

export interface InboxItem {
  readonly seq: number;
  readonly key: string;
  readonly kind: string;
  readonly body: unknown;
}

/** What arrived for an owned row from outside, numbered; a key is taken in once. */
export class InboxStore {
  constructor(
    private readonly db: Queryable,
    private readonly t: HeldTables,
  ) {}

  /** `unknown` when there is no such row, `ended` when nothing can be taken in any more. */
  async deliver(
    id: string,
    key: string,
    kind: string,
    body: string,
  ): Promise<'delivered' | 'repeated' | 'ended' | 'unknown'> {
    const [row] = await this.db.prepared<{ found: boolean; ended: boolean; there: boolean; put: boolean }>(
      `${this.t.inbox}_put`,
      `WITH there AS (SELECT 1 FROM ${this.t.inbox} WHERE id = $1 AND key = $2),
        own AS (UPDATE ${this.t.owned} SET inbox_seq = inbox_seq + 1
          WHERE id = $1 AND state <> 'ended' AND NOT EXISTS (SELECT 1 FROM there) RETURNING id, inbox_seq),
        put AS (INSERT INTO ${this.t.inbox} (id, seq, key, kind, body) SELECT id, inbox_seq, $2, $3, $4::jsonb FROM own RETURNING 1)
       SELECT EXISTS (SELECT 1 FROM ${this.t.owned} WHERE id = $1) AS found,
        EXISTS (SELECT 1 FROM ${this.t.owned} WHERE id = $1 AND state = 'ended') AS ended,
        EXISTS (SELECT 1 FROM there) AS there, EXISTS (SELECT 1 FROM put) AS put`,
      [id, key, kind, body],
    );
    if (!row?.found) return 'unknown';
    if (row.put) return 'delivered';
    return row.there ? 'repeated' : 'ended';
  }

  async after(id: string, seq: number): Promise<InboxItem[]> {
    return await this.db.prepared<InboxItem>(
      `${this.t.inbox}_after`,
      `SELECT seq, key, kind, body FROM ${this.t.inbox} WHERE id = $1 AND seq > $2 ORDER BY seq`,
      [id, seq],
    );
  }
}
