/**
 * A decision's facts, and the rows that they are projected on. Called within the transaction that locked the report:
 * facts, rows and outbox become durable together or not at all.
 */
import { factRow, insertOutbox, type Tx } from '@waymark/persistence';
import type { Decision } from '../../core/decision.js';
import { eventData } from '../../core/event-data.js';
import { failedOf, type Fact } from '../../core/fact.js';
import { toBytes } from './json-bytes.js';
import type { LockedReport } from './lock-report.js';

export const OWNER = 'publication';

/** Where a fact stands: its run, its sequence in it, its time. */
interface Place {
  readonly run: string;
  readonly seq: number;
  readonly at: Date;
}

/** As {@link saveDecision} for a report that may not have been there. */
export async function saveOpening(
  tx: Tx,
  found: LockedReport | null,
  at: Date,
  decision: Decision<unknown>,
): Promise<void> {
  await saveDecision(tx, found ?? { state: decision.after, seq: 0, at }, decision);
}

export async function saveDecision(tx: Tx, before: LockedReport, decision: Decision<unknown>): Promise<void> {
  const { facts, after } = decision;
  const { run } = after;
  const placed = facts.map((fact, i) => ({ fact, place: { run, seq: before.seq + i + 1, at: before.at } }));
  for (const { fact, place } of placed) await project(tx, fact, place);
  if (placed.length > 0 || after.epoch !== before.state.epoch) {
    await tx.prepared('report-update', 'UPDATE report SET version = $2, epoch = $3, seq = $4 WHERE run_id = $1', [
      run,
      after.version,
      after.epoch,
      before.seq + placed.length,
    ]);
  }
  for (const { fact, place } of placed) {
    await tx.prepared('fact-insert', 'INSERT INTO fact (run_id, seq, type, at, data) VALUES ($1, $2, $3, $4, $5)', [
      run,
      place.seq,
      fact.type,
      place.at,
      toBytes(eventData(fact)),
    ]);
  }
  const rows = placed.map(({ fact, place }) =>
    factRow({ owner: OWNER, ...place, name: fact.type, data: eventData(fact) }),
  );
  await insertOutbox(tx, rows);
}

async function project(tx: Tx, fact: Fact, place: Place): Promise<void> {
  switch (fact.type) {
    case 'ReportOpened':
      return await insertReport(tx, fact, place);
    case 'BlockPublished':
    case 'BlockCorrected':
      return await writeVersion(tx, fact, place);
    case 'ProgressNoted':
      return await insertKeyed(tx, place.run, 'note', fact.key, null);
    case 'ReportClosed':
      return await closeReport(tx, fact, place);
    case 'ReportShown':
      return await insertShown(tx, fact, place);
    default:
      return fact satisfies never;
  }
}

type FactOf<T extends Fact['type']> = Extract<Fact, { type: T }>;

async function insertReport(tx: Tx, fact: FactOf<'ReportOpened'>, { run, seq }: Place): Promise<void> {
  const { quotas, policyVersion, language, question, epoch } = fact;
  await tx.prepared(
    'report-insert',
    `INSERT INTO report (run_id, version, epoch, seq, per_block, per_run, policy_version, language, question)
     VALUES ($1, 0, $2, $3, $4, $5, $6, $7, $8)`,
    [run, epoch, seq, quotas.perBlock, quotas.perRun, policyVersion, language, toBytes(question)],
  );
}

async function writeVersion(
  tx: Tx,
  fact: FactOf<'BlockPublished' | 'BlockCorrected'>,
  { run, seq, at }: Place,
): Promise<void> {
  const { block, version, title, text, bytes, citations, reason } = fact;
  await tx.prepared(
    'block-write',
    `WITH made AS (
       INSERT INTO block_version (run_id, block, version, seq, at, content) VALUES ($1, $2, $3, $4, $5, $6)
     )
     INSERT INTO block (run_id, block, place, title, version, bytes, citations, failed_citations)
     VALUES ($1, $2, $4, $7, $3, $8, $9, $10)
     ON CONFLICT (run_id, block) DO UPDATE
       SET title = excluded.title, version = excluded.version, bytes = excluded.bytes,
           citations = excluded.citations, failed_citations = excluded.failed_citations`,
    [
      ...[run, block, version, seq, at, toBytes({ title, text, citations, reason })],
      ...[toBytes(title), bytes, citations.length, failedOf(citations)],
    ],
  );
  await insertKeyed(tx, run, 'write', fact.key, { block, version });
}

async function insertKeyed(
  tx: Tx,
  run: string,
  kind: 'write' | 'note',
  key: string,
  made: { block: string; version: number } | null,
): Promise<void> {
  await tx.prepared(
    'keyed-insert',
    'INSERT INTO keyed_write (run_id, kind, key, block, version) VALUES ($1, $2, $3, $4, $5)',
    [run, kind, toBytes(key), made?.block ?? null, made?.version ?? null],
  );
}

async function closeReport(tx: Tx, fact: FactOf<'ReportClosed'>, { run }: Place): Promise<void> {
  const { outcome, code, reason, closing, gaps } = fact;
  await tx.prepared('report-close', 'UPDATE report SET closed = true, outcome = $2, ending = $3 WHERE run_id = $1', [
    run,
    outcome,
    toBytes({ code, reason, closing, gaps }),
  ]);
}

async function insertShown(tx: Tx, fact: FactOf<'ReportShown'>, { run, seq, at }: Place): Promise<void> {
  await tx.prepared(
    'shown-insert',
    'INSERT INTO shown (run_id, viewer, version, seq, at) VALUES ($1, $2, $3, $4, $5)',
    [run, toBytes(fact.viewer), fact.version, seq, at],
  );
}
