import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a run was stopped, beside the mark of the stop. Safe beside the version before it, which writes no reason. */
export class StopReason1764530000000 implements MigrationInterface {
  name = 'StopReason1764530000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE run ADD COLUMN stop_reason text');
  }

  async down(): Promise<void> {
    throw new Error('migrations are forward-only');
  }
}
