import { Controller } from '@nestjs/common';
import { shown } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { fitPage, Handle } from '@waymark/messaging';
import { Db } from '@waymark/persistence';
import { hasReport, readShown } from '../adapters/postgres/read-pages.js';
import { unknownRun } from './unknown-run.js';

@Controller()
export class ListShown {
  constructor(private readonly db: Db) {}

  @Handle(shown)
  async handle({ run, after, limit }: ParsedRequestOf<typeof shown>): Promise<ReplyOf<typeof shown>> {
    if (!(await hasReport(this.db, run))) throw unknownRun(run);
    const { items, next } = fitPage(await readShown(this.db, run, after, limit + 1), limit, ({ seq }) => seq);
    return { shown: items.map(({ viewer, version, at }) => ({ viewer, version, at })), next };
  }
}
