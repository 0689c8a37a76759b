/** Publication's side of a run: closed at its end with the run's own words, versions and facts without gap, quotas kept. */
import type pg from 'pg';
import type { RunRow, Violation } from './violation.js';

interface ReportRow {
  readonly closed: boolean;
  readonly outcome: string | null;
  readonly ending: Buffer | null;
  readonly per_block: number;
  readonly per_run: number;
  readonly seq: number;
}

export async function checkReport(db: pg.Client, run: RunRow, violations: Violation[]): Promise<void> {
  const bad = (invariant: string, what: string) => violations.push({ invariant, run: run.id, what });
  const { rows } = await db.query<ReportRow>(
    'select closed, outcome, ending, per_block, per_run, seq from report where run_id = $1',
    [run.id],
  );
  const [report] = rows;
  if (run.state === 'ended' && report?.closed !== true) bad('a report at the end', 'it is missing or open');
  if (run.state === 'ended' && report?.closed === true) {
    const ending = JSON.parse(report.ending?.toString('utf8') ?? '{}') as { code?: string };
    const said = `${report.outcome ?? 'none'}: ${ending.code ?? 'none'}`;
    const own = `${run.outcome ?? 'none'}: ${run.code ?? 'none'}`;
    if (said !== own) bad('report and run agree', `the report says ${said}, the run ${own}`);
  }
  const versions = await db.query<{ block: string; versions: number[] }>(
    'select block, array_agg(version order by version) as versions from block_version where run_id = $1 group by block',
    [run.id],
  );
  let revisions = 0;
  for (const { block, versions: v } of versions.rows) {
    if (v.some((version, i) => version !== i + 1)) bad('versions without gap', `${block}: ${v.join(', ')}`);
    revisions += v.length - 1;
    if (report && v.length - 1 > report.per_block)
      bad('revisions within their quota', `${block}: ${v.length - 1} of ${report.per_block}`);
  }
  if (report && revisions > report.per_run)
    bad('revisions within their quota', `the run: ${revisions} of ${report.per_run}`);
  const keys = await db.query<{ n: number; distinct_versions: number; versions: number }>(
    `select count(*)::int as n, count(distinct (block, version))::int as distinct_versions,
      (select count(*)::int from block_version where run_id = $1) as versions
     from keyed_write where run_id = $1 and version is not null`,
    [run.id],
  );
  const row = keys.rows[0];
  if (row && (row.n !== row.distinct_versions || row.n !== row.versions)) {
    bad('one version a key', `${row.n} keys, ${row.distinct_versions} versions named, ${row.versions} stored`);
  }
  const facts = await db.query<{ n: number; last: number }>(
    'select count(*)::int as n, coalesce(max(seq), 0) as last from fact where run_id = $1',
    [run.id],
  );
  const { n = 0, last = 0 } = facts.rows[0] ?? {};
  if (n !== last || last !== (report?.seq ?? 0))
    bad('facts without gap', `publication: ${n} facts, the last is ${last}, the report stands at ${report?.seq ?? 0}`);
}
