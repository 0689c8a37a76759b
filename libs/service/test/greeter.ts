import { Controller, Module, type DynamicModule } from '@nestjs/common';
import { contract } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { Db, OutboxRelay, OUTBOX_DDL, insertOutbox, outboxRow } from '@waymark/persistence';
import type { Logger } from '@waymark/telemetry';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { InjectLogger } from '../src/index.js';

export const greet = contract(
  'waymark.test.v1.greet',
  z.strictObject({ name: z.string(), delayMs: z.int().default(0) }),
  z.strictObject({ text: z.string(), seen: z.int() }),
  { access: 'internal', summary: 'greets' },
);

export class Greetings1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE greeting (id bigserial, name text)');
    await runner.query(OUTBOX_DDL);
  }
  async down(): Promise<void> {}
}

@Controller()
class Greeter {
  constructor(
    private readonly db: Db,
    private readonly relay: OutboxRelay,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  @Handle(greet)
  async greet({ name, delayMs }: z.output<typeof greet.request>) {
    this.logger.info({ name }, 'greeting');
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const seen = await this.db.transaction(async (tx) => {
      await tx.query('INSERT INTO greeting (name) VALUES ($1)', [name]);
      await insertOutbox(tx, [outboxRow({ subject: 'waymark.facts.v1.test.greeted', msgId: name, body: { name } })]);
      return (await tx.query('SELECT 1 FROM greeting')).length;
    });
    this.relay.kick();
    return { text: `hello ${name}`, seen };
  }
}

@Module({ controllers: [Greeter] })
class GreeterModule {}
export const greeter: DynamicModule = { module: GreeterModule };
