import type { DocumentView } from '@waymark/contracts/sources';
import type { Db } from '@waymark/persistence';
import type { Unreadable } from '../../core/unreadable.js';

interface DocumentRow {
  id: number;
  locator: string;
  name: string;
  kind: DocumentView['kind'];
  title: string;
  status: DocumentView['status'];
  reason_code: string | null;
  reason_message: string | null;
  bytes: number;
  pages: number | null;
}

const COLUMNS = 'id, locator, name, kind, title, status, reason_code, reason_message, bytes, pages';

export interface NewDocument {
  readonly corpus: string;
  readonly locator: string;
  readonly name: string;
  readonly digest: string;
  readonly kind: DocumentView['kind'];
  readonly title: string;
}

export interface Added {
  readonly document: DocumentView;
  /** False when it was known and is parsed again. */
  readonly created: boolean;
}

/** Documents by corpus and locator. */
export class Documents {
  constructor(private readonly db: Db) {}

  async find(corpus: string, locator: string): Promise<DocumentView | undefined> {
    const [row] = await this.db.query<DocumentRow>(
      `SELECT ${COLUMNS} FROM document WHERE corpus = $1 AND locator = $2`,
      [corpus, locator],
    );
    return row && viewOf(row);
  }

  /**
   * Adds a document with its file, to be parsed. One that could not be read is parsed again: what kept it from being read
   * may have been ours. One transaction; `undefined` when the locator is known and pending or ready.
   */
  async addPending(document: NewDocument, file: Uint8Array): Promise<Added | undefined> {
    const [row] = await this.db.query<DocumentRow & { created: boolean }>(
      `WITH added AS (
         INSERT INTO document AS d (corpus, locator, name, digest, kind, title, status)
         VALUES ($1, $2, $3, $4, $5, $6, 'pending')
         ON CONFLICT (corpus, locator) DO UPDATE
           SET status = 'pending', kind = excluded.kind, reason_code = NULL, reason_message = NULL, settled_at = NULL
           WHERE d.status = 'unreadable'
         RETURNING *, xmax = 0 AS created
       ), job AS (INSERT INTO parse_job (document, corpus, file) SELECT id, corpus, $7 FROM added)
       SELECT ${COLUMNS}, created FROM added`,
      [...valuesOf(document), file],
    );
    return row && { document: viewOf(row), created: row.created };
  }

  /** Adds a document that is known to be unreadable; `undefined` when the locator is known already. */
  async addUnreadable(document: NewDocument, { code, message }: Unreadable): Promise<Added | undefined> {
    const [row] = await this.db.query<DocumentRow>(
      `INSERT INTO document (corpus, locator, name, digest, kind, title, status, reason_code, reason_message, settled_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'unreadable', $7, $8, now()) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
      [...valuesOf(document), code, message],
    );
    return row && { document: viewOf(row), created: true };
  }

  /** `undefined` when the corpus has no document at all. */
  async describe(corpus: string): Promise<CorpusCounts | undefined> {
    const [row] = await this.db.query<CorpusCounts>(
      `SELECT count(*) AS documents, count(*) FILTER (WHERE status = 'ready') AS ready,
              count(*) FILTER (WHERE status = 'pending') AS pending,
              count(*) FILTER (WHERE status = 'unreadable') AS unreadable, coalesce(sum(bytes), 0)::bigint AS bytes
       FROM document WHERE corpus = $1`,
      [corpus],
    );
    return row && row.documents > 0 ? row : undefined;
  }

  /** By name, after the document `after`; one more than `limit` when there are more. */
  async list(corpus: string, after: string | undefined, limit: number): Promise<DocumentView[]> {
    const rows = await this.db.query<DocumentRow>(
      `SELECT ${COLUMNS} FROM document
       WHERE corpus = $1 AND ($2::text IS NULL OR
         (name, locator) > (SELECT name, locator FROM document WHERE corpus = $1 AND locator = $2))
       ORDER BY name, locator LIMIT $3`,
      [corpus, after ?? null, limit + 1],
    );
    return rows.map(viewOf);
  }
}

export interface CorpusCounts {
  documents: number;
  ready: number;
  pending: number;
  unreadable: number;
  bytes: number;
}

function valuesOf({ corpus, locator, name, digest, kind, title }: NewDocument): string[] {
  return [corpus, locator, name, digest, kind, title];
}

function viewOf(row: DocumentRow): DocumentView {
  const { locator, name, kind, title, bytes, pages, status, reason_code: code, reason_message: message } = row;
  const reason = code === null ? null : { code, message: message ?? '' };
  return { locator, name, kind, title, bytes, pages, status, reason };
}
