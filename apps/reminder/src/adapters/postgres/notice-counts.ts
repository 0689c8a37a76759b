/**
 * Counts of what became of reminders.
 *
 * 1. A fact counts once, however often and at whichever replica it arrives: its sequence in its request's row says so.
 * 2. What was included counts under its delivery, as soon as both facts of the request are there, in any order.
 * 3. Rows are locked in one order (requests, counts, totals, each by key), so that replicas never lock each other out.
 */
import { Injectable } from '@nestjs/common';
import { REMINDER_TYPES, type ReminderType } from '@waymark/contracts/reminder';
import { Db } from '@waymark/persistence';
import type { IntendedNotices, NoticeCount, SettledNotices } from '../nats/request-facts.js';

export interface NoticeRow extends NoticeCount {
  readonly fate: string;
  readonly count: number;
}

/** Adds what `fates(run_id, fate, notices)` holds to both tables of counts; looking at `by_run` makes it the first (3). */
const COUNT = `
  counted AS (
    SELECT run_id, notice->>0 AS type, notice->>1 AS kind, (notice->>2)::int AS stage, fate, count(*) AS count
    FROM fates, jsonb_array_elements(notices) AS notice
    GROUP BY 1, 2, 3, 4, 5
  ), by_run AS (
    INSERT INTO notice_count AS c (run_id, type, kind, stage, fate, count)
    SELECT * FROM counted ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (run_id, type, kind, stage, fate) DO UPDATE SET count = c.count + EXCLUDED.count
    RETURNING 1
  )
  INSERT INTO notice_total AS t (type, kind, stage, fate, count)
  SELECT type, kind, stage, fate, sum(count)::bigint
  FROM counted WHERE (SELECT count(*) FROM by_run) >= 0
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (type, kind, stage, fate) DO UPDATE SET count = t.count + EXCLUDED.count`;

const ADD_INTENDED = `
  WITH told AS (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[], $4::jsonb[], $5::jsonb[], $6::jsonb[])
      AS t (run_id, request, seq, included, omitted, combined)
  ), seen AS (
    INSERT INTO request AS r (run_id, request, intended_seq, included)
    SELECT run_id, request, seq, included FROM told ORDER BY 1, 2
    ON CONFLICT (run_id, request) DO UPDATE SET intended_seq = EXCLUDED.intended_seq, included = EXCLUDED.included
    WHERE r.intended_seq IS NULL
    RETURNING run_id, request, delivery
  ), fates AS (
    SELECT run_id, fate, notices
    FROM seen JOIN told USING (run_id, request),
      LATERAL (VALUES (delivery, included), ('omitted', omitted), ('combined', combined)) AS f (fate, notices)
    WHERE fate IS NOT NULL
  ), ${COUNT}`;

const ADD_SETTLED = `
  WITH told AS (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[], $4::text[]) AS t (run_id, request, seq, delivery)
  ), seen AS (
    INSERT INTO request AS r (run_id, request, settled_seq, delivery)
    SELECT run_id, request, seq, delivery FROM told ORDER BY 1, 2
    ON CONFLICT (run_id, request) DO UPDATE SET settled_seq = EXCLUDED.settled_seq, delivery = EXCLUDED.delivery
    WHERE r.settled_seq IS NULL
    RETURNING run_id, delivery, included
  ), fates AS (
    SELECT run_id, delivery AS fate, included AS notices FROM seen WHERE included IS NOT NULL
  ), ${COUNT}`;

@Injectable()
export class NoticeCounts {
  constructor(private readonly db: Db) {}

  /** An intent without notices leaves no row. */
  async addIntended(facts: readonly IntendedNotices[]): Promise<void> {
    const telling = once(facts).filter((f) => f.included.length + f.omitted.length + f.combined.length > 0);
    if (telling.length === 0) return;
    await this.db.prepared('add_intended', ADD_INTENDED, [
      telling.map(({ run }) => run),
      telling.map(({ request }) => request),
      telling.map(({ seq }) => seq),
      telling.map(({ included }) => asJson(included)),
      telling.map(({ omitted }) => asJson(omitted)),
      telling.map(({ combined }) => asJson(combined)),
    ]);
  }

  async addSettled(facts: readonly SettledNotices[]): Promise<void> {
    const each = once(facts);
    if (each.length === 0) return;
    await this.db.prepared('add_settled', ADD_SETTLED, [
      each.map(({ run }) => run),
      each.map(({ request }) => request),
      each.map(({ seq }) => seq),
      each.map(({ delivery }) => delivery),
    ]);
  }

  /** In presentation order, then by kind, stage and fate. */
  async read(run?: string): Promise<NoticeRow[]> {
    const rows = await this.db.query<NoticeRow>(
      run === undefined
        ? 'SELECT type, kind, stage, fate, count FROM notice_total ORDER BY kind, stage, fate'
        : 'SELECT type, kind, stage, fate, count FROM notice_count WHERE run_id = $1 ORDER BY kind, stage, fate',
      run === undefined ? [] : [run],
    );
    return rows.sort((a, b) => rank(a.type) - rank(b.type));
  }
}

const rank = (type: ReminderType): number => REMINDER_TYPES.indexOf(type);

/** A statement can meet a row once only; a redelivered fact may stand beside its first delivery. */
function once<T extends { readonly run: string; readonly request: number }>(facts: readonly T[]): T[] {
  return [...new Map(facts.map((fact) => [`${fact.run} ${fact.request}`, fact])).values()];
}

function asJson(notices: readonly NoticeCount[]): string {
  return JSON.stringify(notices.map(({ type, kind, stage }) => [type, kind, stage]));
}
