import { Controller } from '@nestjs/common';
import { blockHistory } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { fitPage, Handle, WireError } from '@waymark/messaging';
import { Db } from '@waymark/persistence';
import { readState } from '../adapters/postgres/lock-report.js';
import { readVersions } from '../adapters/postgres/read-pages.js';
import { unknownBlock } from '../core/refusals.js';
import { findBlock } from '../core/report-state.js';
import { known } from './unknown-run.js';

@Controller()
export class BlockHistory {
  constructor(private readonly db: Db) {}

  @Handle(blockHistory)
  async handle(request: ParsedRequestOf<typeof blockHistory>): Promise<ReplyOf<typeof blockHistory>> {
    const { run, block, after, limit } = request;
    const state = known(await readState(this.db, run), run);
    if (!findBlock(state, block)) throw new WireError({ ...unknownBlock(block), field: 'block' });
    const found = await readVersions(this.db, run, block, after, limit + 1);
    const { items, next } = fitPage(found, limit, ({ version }) => version);
    return { versions: items, next };
  }
}
