import type { Queryable, Tx } from '@waymark/persistence';
import type { BlockEntry, ReportState } from '../../core/report-state.js';
import { fromBytes } from './json-bytes.js';

/** A report that nobody else changes until the transaction ends. */
export interface LockedReport {
  readonly state: ReportState;
  /** Sequence of its last fact. */
  readonly seq: number;
  /** The database's clock, read under the lock: the times of a run's facts never run against their sequence. */
  readonly at: Date;
}

interface ReportRow {
  version: number;
  epoch: number;
  seq: number;
  closed: boolean;
  per_block: number;
  per_run: number;
}
interface BlockRow {
  at: Date;
  block: string | null;
  title: Buffer;
  version: number;
  bytes: number;
  citations: number;
  failed_citations: number;
}

/**
 * Locks and loads; null when there is no such report. Blocks are read by a second statement: one that had waited for the
 * lock would still see the other tables as they were before it waited.
 */
export async function lockReport(tx: Tx, run: string): Promise<LockedReport | null> {
  const [report] = await tx.prepared<ReportRow>(
    'report-lock',
    'SELECT version, epoch, seq, closed, per_block, per_run FROM report WHERE run_id = $1 FOR UPDATE',
    [run],
  );
  if (!report) return null;
  const rows = await tx.prepared<BlockRow>(
    'report-blocks',
    `SELECT clock_timestamp() AS at, b.block, b.title, b.version, b.bytes, b.citations, b.failed_citations
     FROM (SELECT 1) AS always LEFT JOIN block b ON b.run_id = $1 ORDER BY b.place`,
    [run],
  );
  return { state: stateOf(run, report, rows), seq: report.seq, at: rows[0]!.at };
}

/** The same for readers, in one statement and without a lock; null when there is no such report. */
export async function readState(db: Queryable, run: string): Promise<ReportState | null> {
  const rows = await db.prepared<ReportRow & BlockRow & { report_version: number }>(
    'report-state',
    `SELECT r.version AS report_version, r.epoch, r.closed, r.per_block, r.per_run,
       b.block, b.title, b.version, b.bytes, b.citations, b.failed_citations
     FROM report r LEFT JOIN block b USING (run_id) WHERE run_id = $1 ORDER BY b.place`,
    [run],
  );
  const report = rows[0];
  return report ? stateOf(run, { ...report, version: report.report_version }, rows) : null;
}

/** Until the transaction ends nobody else opens this run's report: there is no row yet that could be locked. */
export async function lockOpening(tx: Tx, run: string): Promise<Date> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [run]);
  const [clock] = await tx.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  return clock!.at;
}

function stateOf(run: string, report: Omit<ReportRow, 'seq'>, rows: readonly BlockRow[]): ReportState {
  const { version, epoch, closed, per_block: perBlock, per_run: perRun } = report;
  const blocks = rows.filter(({ block }) => block !== null).map(entryOf);
  return { run, version, epoch, closed, quotas: { perBlock, perRun }, blocks };
}

const entryOf = (row: BlockRow): BlockEntry => ({
  block: row.block!,
  title: fromBytes<string>(row.title),
  version: row.version,
  bytes: row.bytes,
  citations: row.citations,
  failedCitations: row.failed_citations,
});
