import { Buffer } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import type { ReviewOrder } from '@waymark/contracts/reviewer';
import { Db } from '@waymark/persistence';
import { rowId } from './review-tables.js';

export interface ReviewRow {
  readonly run: string;
  readonly review: string;
  readonly order: ReviewOrder;
  readonly orderBody: Buffer;
  /** By the database's clock; negative when it is over. */
  readonly deadlineLeftMs: number;
}

export interface ReviewSummary {
  readonly epoch: number;
  /** The VerdictGiven as stored; null while there is none. */
  readonly verdictBody: Buffer | null;
}

/** Rows of reviews beside what the lease and record stores do. */
@Injectable()
export class ReviewRows {
  constructor(private readonly db: Db) {}

  /** Takes an order in, once. The deadline counts from the dispatch, which was `ageMs` ago. */
  async takeIn(order: ReviewOrder, ageMs: number): Promise<string> {
    const id = rowId(order.run, order.review);
    await this.db.query(
      `INSERT INTO review (id, state, run_id, review, order_body, deadline_at)
       VALUES ($1, 'queued', $2, $3, $4, clock_timestamp() + $5 * interval '1 millisecond') ON CONFLICT (id) DO NOTHING`,
      [id, order.run, order.review, Buffer.from(JSON.stringify(order)), order.deadlineMs - ageMs],
    );
    return id;
  }

  async load(id: string): Promise<ReviewRow> {
    const [row] = await this.db.query<{ run_id: string; review: string; order_body: Buffer; left: number }>(
      `SELECT run_id, review, order_body, (extract(epoch FROM deadline_at - clock_timestamp()) * 1000)::float8 AS left
       FROM review WHERE id = $1`,
      [id],
    );
    if (!row) throw new Error(`there is no review ${id}`);
    return {
      run: row.run_id,
      review: row.review,
      order: JSON.parse(row.order_body.toString('utf8')) as ReviewOrder,
      orderBody: row.order_body,
      deadlineLeftMs: row.left,
    };
  }

  async summary(run: string, review: string): Promise<ReviewSummary | null> {
    const [row] = await this.db.query<{ epoch: number; verdict: Buffer | null }>(
      `SELECT epoch, (SELECT body FROM review_record r WHERE r.id = review.id AND kind = 'VerdictGiven') AS verdict
       FROM review WHERE id = $1`,
      [rowId(run, review)],
    );
    return row ? { epoch: row.epoch, verdictBody: row.verdict } : null;
  }

  /** Marks every review of a run that is still going; an intent from here on is refused (L4, L6). */
  async stop(run: string): Promise<string[]> {
    const rows = await this.db.query<{ id: string }>(
      `UPDATE review SET cancelled_at = COALESCE(cancelled_at, clock_timestamp())
       WHERE run_id = $1 AND state NOT IN ('ending', 'ended') RETURNING id`,
      [run],
    );
    return rows.map(({ id }) => id);
  }
}
