import type { Citation, Report } from '@waymark/contracts/publication';
import type { Language } from '@waymark/contracts/wire';
import type { Db, Tx } from '@waymark/persistence';
import type { Outcome } from '../../core/fact.js';
import { fromBytes } from './json-bytes.js';

interface ReportRow {
  version: number;
  language: Language;
  question: Buffer;
  closed: boolean;
  outcome: Outcome | null;
  ending: Buffer | null;
}
interface Ending {
  code: string;
  reason: string;
  closing: string | null;
  gaps: string[];
}
export interface Content {
  title: string;
  text: string;
  citations: Citation[];
  reason: string | null;
}
interface VersionRow {
  block: string;
  version: number;
  at: Date;
  content: Buffer;
}

/** The whole report as one committed moment (P9); null when there is none. */
export async function readReport(db: Db, run: string): Promise<Report | null> {
  return await db.transaction(async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const [row] = await tx.prepared<ReportRow>(
      'report-read',
      'SELECT version, language, question, closed, outcome, ending FROM report WHERE run_id = $1',
      [run],
    );
    return row ? { ...headOf(run, row), ...(await bodyOf(tx, run)) } : null;
  });
}

function headOf(run: string, row: ReportRow): Omit<Report, 'blocks' | 'corrections'> {
  const ending = row.ending && fromBytes<Ending>(row.ending);
  return {
    run,
    version: row.version,
    question: fromBytes<string>(row.question),
    language: row.language,
    state: row.closed ? 'closed' : 'open',
    outcome: row.outcome,
    code: ending?.code ?? null,
    reason: ending?.reason ?? null,
    closing: ending?.closing ?? null,
    gaps: ending?.gaps ?? [],
  };
}

async function bodyOf(tx: Tx, run: string): Promise<Pick<Report, 'blocks' | 'corrections'>> {
  const current = await tx.prepared<VersionRow>(
    'blocks-read',
    `SELECT v.block, v.version, v.at, v.content FROM block b JOIN block_version v USING (run_id, block, version)
     WHERE run_id = $1 ORDER BY b.place`,
    [run],
  );
  const corrected = await tx.prepared<VersionRow>(
    'corrections-read',
    'SELECT block, version, at, content FROM block_version WHERE run_id = $1 AND version > 1 ORDER BY seq',
    [run],
  );
  return {
    blocks: current.map(({ block, version, at, content }) => {
      const { title, text, citations } = fromBytes<Content>(content);
      return { block, title, version, text, citations, at: at.toISOString() };
    }),
    corrections: corrected.map(({ block, version, at, content }) => {
      const { title, reason } = fromBytes<Content>(content);
      return { block, title, from: version - 1, to: version, reason, at: at.toISOString() };
    }),
  };
}
