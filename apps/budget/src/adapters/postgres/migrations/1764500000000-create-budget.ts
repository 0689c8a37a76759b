import { OUTBOX_DDL } from '@waymark/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A busy run updates its ledger row with every command: no index holds a column that changes then, and pages keep room,
 * so that updates stay on their page (HOT) and leave no index entry behind.
 */
export class CreateBudget1764500000000 implements MigrationInterface {
  readonly name = 'CreateBudget1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ledger (
        run_id uuid PRIMARY KEY,
        version int NOT NULL,
        -- time may still decide something; becomes false once
        live boolean NOT NULL,
        -- when the sweep must look; null while nothing waits for time
        next_due timestamptz,
        -- the fold of the run's facts, as JSON
        state bytea NOT NULL
      ) WITH (fillfactor = 50);
      CREATE INDEX ledger_live ON ledger (run_id) WHERE live;

      -- One row a command: its facts as compact JSON. seq is that of the last of them.
      CREATE TABLE fact (
        run_id uuid NOT NULL,
        seq int NOT NULL,
        body bytea NOT NULL,
        PRIMARY KEY (run_id, seq)
      );

      -- Settled reservations; open ones stand in the ledger.
      CREATE TABLE reservation (
        run_id uuid NOT NULL,
        -- ms since 1970: when it was granted
        at bigint NOT NULL,
        -- sequence of its grant; its name is this in base 36
        n int NOT NULL,
        purpose "char" NOT NULL,
        outcome "char" NOT NULL,
        key text NOT NULL,
        -- usage that an unknown one had added to the totals, as JSON
        counted text,
        PRIMARY KEY (run_id, n)
      ) WITH (fillfactor = 95);
      -- By key, in a quarter of the space: found rows are compared with the key itself.
      CREATE INDEX reservation_key ON reservation ((uuid_hash(run_id) # hashtext(key)));
    `);
    await runner.query(OUTBOX_DDL);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
