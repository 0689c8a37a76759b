import { OUTBOX_DDL } from '@waymark/persistence';
import { heldTablesDdl } from '@waymark/persistence/holder';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RUN_TABLES } from '../run-tables.js';

/** Runs with lease and epoch, their record, bodies, newest snapshot, inbox, and the outbox. Forward only. */
export class Runs1764500000000 implements MigrationInterface {
  name = 'Runs1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      heldTablesDdl(
        RUN_TABLES,
        'uuid',
        `start_key text NOT NULL UNIQUE, start_digest bytea NOT NULL, question text NOT NULL, corpus text NOT NULL, policy text NOT NULL`,
      ),
    );
    await runner.query(OUTBOX_DDL);
  }

  async down(): Promise<void> {
    throw new Error('migrations are forward-only');
  }
}
