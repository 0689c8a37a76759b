import { Controller } from '@nestjs/common';
import { open } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { Db, OutboxRelay } from '@waymark/persistence';
import { lockOpening, lockReport } from '../adapters/postgres/lock-report.js';
import { saveOpening } from '../adapters/postgres/save-decision.js';
import { decideOpen } from '../core/decide-open.js';

@Controller()
export class OpenReport {
  constructor(
    private readonly db: Db,
    private readonly relay: OutboxRelay,
  ) {}

  @Handle(open)
  async handle(request: ParsedRequestOf<typeof open>): Promise<ReplyOf<typeof open>> {
    const decision = await this.db.transaction(async (tx) => {
      const at = await lockOpening(tx, request.run);
      const found = await lockReport(tx, request.run);
      const made = decideOpen(found?.state ?? null, request);
      await saveOpening(tx, found, at, made);
      return made;
    });
    this.relay.kick();
    return decision.reply;
  }
}
