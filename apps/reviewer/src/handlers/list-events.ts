import { Controller } from '@nestjs/common';
import { listEvents } from '@waymark/contracts/reviewer';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { fitPage, Handle } from '@waymark/messaging';
import { Db, readFacts } from '@waymark/persistence';
import { OWNER } from '../adapters/postgres/run-events.js';

/** A run without reviews has no events here: the reviewer does not know which runs there are. */
@Controller()
export class ListEvents {
  constructor(private readonly db: Db) {}

  @Handle(listEvents)
  async handle({ run, after, limit }: ParsedRequestOf<typeof listEvents>): Promise<ReplyOf<typeof listEvents>> {
    const { items, next } = fitPage(await readFacts(this.db, OWNER, run, after, limit + 1), limit, ({ seq }) => seq);
    return { events: items, next };
  }
}
