import { OUTBOX_DDL } from '@waymark/persistence';
import { heldTablesDdl } from '@waymark/persistence/holder';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { REVIEW_TABLES } from '../review-tables.js';

/**
 * Reviews with lease and epoch, their records and bodies, the events of each run, and the outbox. Words of others are
 * bytea: PostgreSQL's text refuses U+0000 (F-R7).
 */
export class CreateReviewer1764500000000 implements MigrationInterface {
  readonly name = 'CreateReviewer1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      heldTablesDdl(
        REVIEW_TABLES,
        'text',
        `run_id uuid NOT NULL, review text NOT NULL, order_body bytea NOT NULL, deadline_at timestamptz NOT NULL`,
      ),
    );
    await runner.query(`
      CREATE INDEX review_by_run ON review (run_id);
      -- sequence of a run's last event; its lock keeps the events of one run in order
      CREATE TABLE review_run (
        run_id uuid PRIMARY KEY,
        seq int NOT NULL
      );
      CREATE TABLE fact (
        run_id uuid NOT NULL,
        seq int NOT NULL,
        type text NOT NULL,
        at timestamptz NOT NULL,
        -- JSON
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
