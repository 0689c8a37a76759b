import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * parse_job.corpus, .bytes   whose file it is and how large, for the order in which files are parsed; a release that does not
 *                            know the columns still adds jobs, all under the empty corpus
 * parse_turn                 when a corpus was last served
 */
export class TakeCorporaInTurn1764520000000 implements MigrationInterface {
  name = 'TakeCorporaInTurn1764520000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE parse_job
        ADD COLUMN corpus text COLLATE "C" NOT NULL DEFAULT '',
        ADD COLUMN bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(file)) STORED`);
    await runner.query('UPDATE parse_job j SET corpus = d.corpus FROM document d WHERE d.id = j.document');
    await runner.query('CREATE INDEX parse_job_by_corpus ON parse_job (corpus, bytes, document)');
    await runner.query(`
      CREATE TABLE parse_turn (
        corpus text COLLATE "C" PRIMARY KEY,
        served_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE parse_turn');
    await runner.query('ALTER TABLE parse_job DROP COLUMN corpus, DROP COLUMN bytes');
  }
}
