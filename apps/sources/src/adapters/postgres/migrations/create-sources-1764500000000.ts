import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * document      one row per document, with its stored text (bytea: any character survives) in pieces that can be read singly
 * parse_job     the file's bytes until it is parsed: a row exists exactly while the document is pending
 * passage       the units of search; `terms` holds stems, words as they are, numbers, Han characters and pairs, and `@corpus`
 * term_count    in how many passages of a corpus a term stands: rare terms weigh more, frequent ones are not looked up
 */
export class CreateSources1764500000000 implements MigrationInterface {
  name = 'CreateSources1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE document (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        corpus text COLLATE "C" NOT NULL,
        locator text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        digest text NOT NULL,
        kind text NOT NULL,
        title text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'ready', 'unreadable')),
        reason_code text,
        reason_message text,
        bytes bigint NOT NULL DEFAULT 0,
        pages integer,
        page_starts integer[],
        block_lines integer[],
        text bytea,
        added_at timestamptz NOT NULL DEFAULT now(),
        settled_at timestamptz,
        UNIQUE (corpus, locator),
        CHECK ((status = 'ready') = (text IS NOT NULL)),
        CHECK ((status = 'unreadable') = (reason_code IS NOT NULL))
      )`);
    // Not compressed: a range is then read without reading what stands before it.
    await runner.query('ALTER TABLE document ALTER COLUMN text SET STORAGE EXTERNAL');
    await runner.query('CREATE INDEX document_by_name ON document (corpus, name, locator)');
    await runner.query(`
      CREATE TABLE parse_job (
        document bigint PRIMARY KEY REFERENCES document ON DELETE CASCADE,
        file bytea NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        free_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('ALTER TABLE parse_job ALTER COLUMN file SET STORAGE EXTERNAL');
    await runner.query(`
      CREATE TABLE passage (
        document bigint NOT NULL REFERENCES document ON DELETE CASCADE,
        ordinal integer NOT NULL,
        start_byte integer NOT NULL,
        end_byte integer NOT NULL,
        label text NOT NULL,
        terms tsvector NOT NULL,
        PRIMARY KEY (document, ordinal)
      )`);
    // Without the list of pending entries: it would be read through by every search until a vacuum empties it.
    await runner.query('CREATE INDEX passage_terms ON passage USING gin (terms) WITH (fastupdate = off)');
    await runner.query(`
      CREATE TABLE term_count (
        corpus text COLLATE "C" NOT NULL,
        term text COLLATE "C" NOT NULL,
        passages integer NOT NULL,
        PRIMARY KEY (corpus, term)
      ) WITH (fillfactor = 70)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE term_count, passage, parse_job, document');
  }
}
