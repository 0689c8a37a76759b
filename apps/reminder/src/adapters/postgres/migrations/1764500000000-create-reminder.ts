import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Projections of the runtime's facts; all of it can be made again from them. */
export class CreateReminder1764500000000 implements MigrationInterface {
  readonly name = 'CreateReminder1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One row a request whose intent had notices or whose end is known; its two facts can come in any order.
      CREATE TABLE request (
        run_id uuid NOT NULL,
        request int NOT NULL,
        -- sequences of the facts, once counted; null: not seen
        intended_seq int,
        settled_seq int,
        delivery text,
        -- [[type, kind, stage], …] of what stood in the bytes
        included jsonb,
        PRIMARY KEY (run_id, request)
      );
      CREATE TABLE notice_count (
        run_id uuid NOT NULL,
        type text NOT NULL,
        kind text NOT NULL,
        stage int NOT NULL,
        fate text NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (run_id, type, kind, stage, fate)
      );
      -- Over all runs, so that nobody adds them up at each look.
      CREATE TABLE notice_total (
        type text NOT NULL,
        kind text NOT NULL,
        stage int NOT NULL,
        fate text NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (type, kind, stage, fate)
      );
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
