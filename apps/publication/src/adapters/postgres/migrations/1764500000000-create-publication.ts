import { OUTBOX_DDL } from '@waymark/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Words of others (titles, texts, keys, viewers …) are bytea: JSON in UTF-8. PostgreSQL's text refuses U+0000 and its
 * encoding a lone surrogate; JSON escapes both, so what was written is what is read (F-R7).
 */
export class CreatePublication1764500000000 implements MigrationInterface {
  readonly name = 'CreatePublication1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE report (
        run_id uuid PRIMARY KEY,
        version int NOT NULL,
        epoch int NOT NULL,
        -- sequence of the last fact
        seq int NOT NULL,
        per_block int NOT NULL,
        per_run int NOT NULL,
        policy_version int NOT NULL,
        language text NOT NULL,
        question bytea NOT NULL,
        closed boolean NOT NULL DEFAULT false,
        outcome text,
        -- {code, reason, closing, gaps}
        ending bytea
      );
      CREATE TABLE block (
        run_id uuid NOT NULL,
        block text NOT NULL,
        -- sequence of the fact that published it: the order of the report
        place int NOT NULL,
        title bytea NOT NULL,
        version int NOT NULL,
        bytes int NOT NULL,
        citations int NOT NULL,
        failed_citations int NOT NULL,
        PRIMARY KEY (run_id, block)
      );
      CREATE TABLE block_version (
        run_id uuid NOT NULL,
        block text NOT NULL,
        version int NOT NULL,
        seq int NOT NULL,
        at timestamptz NOT NULL,
        -- {title, text, citations, reason}
        content bytea NOT NULL,
        PRIMARY KEY (run_id, block, version)
      );
      CREATE TABLE keyed_write (
        run_id uuid NOT NULL,
        kind text NOT NULL,
        key bytea NOT NULL,
        block text,
        version int,
        PRIMARY KEY (run_id, kind, key)
      );
      CREATE TABLE shown (
        run_id uuid NOT NULL,
        viewer bytea NOT NULL,
        version int NOT NULL,
        seq int NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (run_id, viewer, version)
      );
      CREATE INDEX shown_by_seq ON shown (run_id, seq);
      CREATE TABLE fact (
        run_id uuid NOT NULL,
        seq int NOT NULL,
        type text NOT NULL,
        at timestamptz NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (run_id, seq)
      );
    `);
    await runner.query(OUTBOX_DDL);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
