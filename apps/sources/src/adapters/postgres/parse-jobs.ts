import type { Db, Tx } from '@waymark/persistence';
import type { DocumentText, IndexedPassage } from '../../core/document-text.js';
import type { Unreadable } from '../../core/unreadable.js';
import type { ReadableKind } from '../parsers/parse-document.js';

export interface ParseJob {
  readonly document: number;
  /** This claim: a later claim of the same job has a higher number and fences this one off. */
  readonly attempt: number;
  readonly corpus: string;
  readonly name: string;
  readonly kind: ReadableKind;
  readonly bytes: number;
}

const PIECE_BYTES = 512 * 1024;
const PASSAGES_A_STATEMENT = 200;

/** The queue of files to parse. Any replica takes any job; a claim that is not settled in its time is free again. */
export class ParseJobs {
  constructor(
    private readonly db: Db,
    /** A claim that is not renewed for so long is free again. */
    readonly claimMs: number,
  ) {}

  /**
   * Corpora in turn, so that nobody's files hold up everybody's; of one corpus the smallest file first. The corpora that
   * wait are found by one look at the index each.
   */
  async claim(): Promise<ParseJob | undefined> {
    const [job] = await this.db.query<ParseJob>(
      `WITH RECURSIVE waiting AS (
         SELECT min(corpus) AS corpus FROM parse_job
         UNION ALL SELECT (SELECT min(j.corpus) FROM parse_job j WHERE j.corpus > w.corpus)
                   FROM waiting w WHERE w.corpus IS NOT NULL
       ), chosen AS (
         SELECT next.document, next.corpus
         FROM (SELECT w.corpus FROM waiting w LEFT JOIN parse_turn t USING (corpus) WHERE w.corpus IS NOT NULL
               ORDER BY t.served_at NULLS FIRST, w.corpus) AS turn
         CROSS JOIN LATERAL (
           SELECT document, corpus FROM parse_job WHERE corpus = turn.corpus AND free_at <= now()
           ORDER BY bytes, document LIMIT 1 FOR UPDATE SKIP LOCKED) AS next
         LIMIT 1
       ), served AS (
         INSERT INTO parse_turn (corpus, served_at) SELECT corpus, clock_timestamp() FROM chosen
         ON CONFLICT (corpus) DO UPDATE SET served_at = excluded.served_at
       )
       UPDATE parse_job j SET attempts = attempts + 1, free_at = now() + $1 * interval '1 millisecond'
       FROM document d, chosen c WHERE d.id = j.document AND j.document = c.document
       RETURNING j.document, j.attempts AS attempt, d.corpus, d.name, d.kind, j.bytes`,
      [this.claimMs],
    );
    return job;
  }

  async renew({ document, attempt }: ParseJob): Promise<void> {
    await this.db.query(
      `UPDATE parse_job SET free_at = now() + $3 * interval '1 millisecond' WHERE document = $1 AND attempts = $2`,
      [document, attempt, this.claimMs],
    );
  }

  /** The file in pieces: nothing of 25 MiB passes through the event loop at once. */
  async *file({ document, bytes }: ParseJob): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes; at += PIECE_BYTES) {
      const [row] = await this.db.prepared<{ piece: Buffer }>(
        'parse-job-file',
        'SELECT substring(file FROM $2 FOR $3) AS piece FROM parse_job WHERE document = $1',
        [document, at + 1, PIECE_BYTES],
      );
      if (row === undefined) throw new Error('the job was settled by another replica');
      yield row.piece;
    }
  }

  /** Frees a job later; the attempt is used up. */
  async postpone({ document, attempt }: ParseJob): Promise<void> {
    await this.db.query(
      `UPDATE parse_job SET free_at = now() + interval '5 seconds' WHERE document = $1 AND attempts = $2`,
      [document, attempt],
    );
  }

  /** Frees an untouched job, at once or later; the attempt does not count. */
  async giveBack({ document, attempt }: ParseJob, laterMs = 0): Promise<void> {
    await this.db.query(
      `UPDATE parse_job SET attempts = attempts - 1, free_at = now() + $3 * interval '1 millisecond'
       WHERE document = $1 AND attempts = $2`,
      [document, attempt, laterMs],
    );
  }

  /** @returns false when another claim has come in between; nothing is changed then. */
  async settleUnreadable(job: ParseJob, { code, message }: Unreadable): Promise<boolean> {
    const rows = await this.db.query(
      `WITH job AS (DELETE FROM parse_job WHERE document = $1 AND attempts = $2 RETURNING document)
       UPDATE document d SET status = 'unreadable', reason_code = $3, reason_message = $4, settled_at = now()
       FROM job WHERE d.id = job.document RETURNING d.id`,
      [job.document, job.attempt, code, message],
    );
    return rows.length === 1;
  }

  /** Text, passages and index in one transaction. @returns as {@link settleUnreadable}. */
  async settleReady(job: ParseJob, document: DocumentText, passages: readonly IndexedPassage[]): Promise<boolean> {
    return await this.db.transaction(async (tx) => {
      const rows = await tx.query('DELETE FROM parse_job WHERE document = $1 AND attempts = $2 RETURNING document', [
        job.document,
        job.attempt,
      ]);
      if (rows.length === 0) return false;
      await storeText(tx, job, document);
      for (let at = 0; at < passages.length; at += PASSAGES_A_STATEMENT) {
        await storePassages(tx, job, at, passages.slice(at, at + PASSAGES_A_STATEMENT));
      }
      await countTerms(tx, job);
      return true;
    });
  }
}

async function storeText(tx: Tx, job: ParseJob, { title, text, pages, marks }: DocumentText): Promise<void> {
  await tx.query(
    `UPDATE document SET status = 'ready', title = $2, text = $3, bytes = $4, pages = $5, page_starts = $6,
            block_lines = $7, settled_at = now() WHERE id = $1`,
    [job.document, title, text, text.length, pages, marks.pageStarts, marks.blockLines],
  );
}

/** Each term as it is and, for English, its stem: a name is found as it is written, a word in all its forms. */
async function storePassages(tx: Tx, job: ParseJob, from: number, passages: readonly IndexedPassage[]): Promise<void> {
  await tx.query(
    `INSERT INTO passage (document, ordinal, start_byte, end_byte, label, terms)
     SELECT $1, $2 + ordinal - 1, start_byte, end_byte, label,
            array_to_tsvector(ARRAY(
              SELECT DISTINCT term FROM unnest(string_to_array(words, ' ')) AS word,
                     unnest(ARRAY[word] || ts_lexize('english_stem', word)) AS term
              UNION SELECT $3))
     FROM unnest($4::int[], $5::int[], $6::text[], $7::text[])
          WITH ORDINALITY AS p (start_byte, end_byte, label, words, ordinal)`,
    [
      job.document,
      from,
      `@${job.corpus}`,
      passages.map(({ start }) => start),
      passages.map(({ end }) => end),
      passages.map(({ label }) => label),
      passages.map(({ terms }) => terms),
    ],
  );
}

/** In the terms' order, so that two documents of one corpus that settle at once wait for each other and never in a ring. */
async function countTerms(tx: Tx, job: ParseJob): Promise<void> {
  await tx.query(
    `INSERT INTO term_count AS c (corpus, term, passages)
     SELECT $2, term, count(*) FROM passage p, unnest(tsvector_to_array(p.terms)) AS term
     WHERE p.document = $1 GROUP BY term ORDER BY term COLLATE "C"
     ON CONFLICT (corpus, term) DO UPDATE SET passages = c.passages + excluded.passages`,
    [job.document, job.corpus],
  );
}
