import type { MigrationInterface, QueryRunner } from 'typeorm';
import { OUTBOX_DDL, type MigrationClass } from '../src/index.js';

export class Init1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE account (id text PRIMARY KEY, n bigint NOT NULL, body bytea)');
    await runner.query(OUTBOX_DDL);
  }
  async down(): Promise<void> {}
}
export class Second1764500000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE second (id int)');
  }
  async down(): Promise<void> {}
}
export class Broken1764500000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE half (id int)');
    await runner.query('CREATE TABLE half (id int)');
  }
  async down(): Promise<void> {}
}

export const first: readonly MigrationClass[] = [Init1764500000000];
export const both: readonly MigrationClass[] = [Init1764500000000, Second1764500000001];
