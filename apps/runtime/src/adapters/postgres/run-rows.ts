import type { RunState, RunView } from '@waymark/contracts/runtime';
import type { Db } from '@waymark/persistence';

/** What the record's writer keeps on the row for lists and views. */
export interface StoredView {
  readonly phase?: 'exploring' | 'finishing' | 'ended';
  readonly turns?: number;
  readonly requests?: number;
  readonly outcome?: RunView['outcome'];
  readonly code?: string;
  readonly reason?: string;
  readonly endedAt?: string;
}

interface Row {
  readonly id: string;
  readonly state: RunState;
  readonly owner: string | null;
  readonly epoch: number;
  readonly seq: number;
  readonly question: string;
  readonly corpus: string;
  readonly policy: string;
  readonly created_at: Date;
  readonly wake_at: Date | null;
  readonly view: StoredView;
}

const COLUMNS = 'id, state, owner, epoch, seq, question, corpus, policy, created_at, wake_at, view';

export function toView(row: Row): RunView {
  return {
    run: row.id,
    state: row.state,
    phase: row.state === 'ended' ? 'ended' : (row.view.phase ?? 'exploring'),
    outcome: row.view.outcome ?? null,
    code: row.view.code ?? null,
    reason: row.view.reason ?? null,
    question: row.question,
    corpus: row.corpus,
    policy: row.policy,
    epoch: row.epoch,
    owner: row.owner,
    turns: row.view.turns ?? 0,
    requests: row.view.requests ?? 0,
    seq: row.seq,
    admittedAt: row.created_at.toISOString(),
    wakeAt: row.wake_at?.toISOString() ?? null,
    endedAt: row.state === 'ended' ? (row.view.endedAt ?? null) : null,
  };
}

/** Reads of runs for callers; the writer's statements are in the lease and record stores. */
export class RunRows {
  constructor(private readonly db: Db) {}

  async get(run: string): Promise<RunView | null> {
    const [row] = await this.db.prepared<Row>('run_get', `SELECT ${COLUMNS} FROM run WHERE id = $1`, [run]);
    return row ? toView(row) : null;
  }

  async byKey(key: string): Promise<{ readonly view: RunView; readonly digest: Buffer } | null> {
    const [row] = await this.db.prepared<Row & { readonly start_digest: Buffer }>(
      'run_by_key',
      `SELECT ${COLUMNS}, start_digest FROM run WHERE start_key = $1`,
      [key],
    );
    return row ? { view: toView(row), digest: row.start_digest } : null;
  }

  /** Newest first; ids are UUIDv7, so the cursor is an id. */
  async list(cursor: string | null, limit: number, state: string | null): Promise<RunView[]> {
    const rows = await this.db.prepared<Row>(
      'run_list',
      `SELECT ${COLUMNS} FROM run WHERE ($1::uuid IS NULL OR id < $1) AND ($3::text IS NULL OR state = $3)
       ORDER BY id DESC LIMIT $2`,
      [cursor, limit, state],
    );
    return rows.map(toView);
  }

  /**
   * Marks a stop with the first reason given; an intent from here on is refused (L4, L6). Null when the run is unknown or
   * its end is decided.
   */
  async cancel(run: string, reason: string | null): Promise<{ readonly epoch: number } | null> {
    const [row] = await this.db.prepared<{ epoch: number }>(
      'run_cancel',
      `UPDATE run SET cancelled_at = COALESCE(cancelled_at, clock_timestamp()), stop_reason = COALESCE(stop_reason, $2),
        wake_at = CASE WHEN state = 'parked' THEN clock_timestamp() ELSE wake_at END
       WHERE id = $1 AND state NOT IN ('ending', 'ended') RETURNING epoch`,
      [run, reason],
    );
    return row ?? null;
  }

  /** Why the run was stopped, in the words of whoever stopped it; null when nobody said. */
  async stopReason(run: string): Promise<string | null> {
    const [row] = await this.db.prepared<{ reason: string | null }>(
      'run_stop_reason',
      'SELECT stop_reason AS reason FROM run WHERE id = $1',
      [run],
    );
    return row?.reason ?? null;
  }
}
