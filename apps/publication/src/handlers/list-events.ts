import { Controller } from '@nestjs/common';
import { listEvents } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { fitPage, Handle } from '@waymark/messaging';
import { Db, readFacts } from '@waymark/persistence';
import { hasReport } from '../adapters/postgres/read-pages.js';
import { OWNER } from '../adapters/postgres/save-decision.js';
import { unknownRun } from './unknown-run.js';

@Controller()
export class ListEvents {
  constructor(private readonly db: Db) {}

  @Handle(listEvents)
  async handle({ run, after, limit }: ParsedRequestOf<typeof listEvents>): Promise<ReplyOf<typeof listEvents>> {
    if (!(await hasReport(this.db, run))) throw unknownRun(run);
    const { items, next } = fitPage(await readFacts(this.db, OWNER, run, after, limit + 1), limit, ({ seq }) => seq);
    return { events: items, next };
  }
}
