import { Controller } from '@nestjs/common';
import { snapshot } from '@waymark/contracts/publication';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts/wire';
import { Handle } from '@waymark/messaging';
import { Db } from '@waymark/persistence';
import { readState } from '../adapters/postgres/lock-report.js';
import { snapshotOf } from '../core/snapshot-of.js';
import { known } from './unknown-run.js';

@Controller()
export class Snapshot {
  constructor(private readonly db: Db) {}

  @Handle(snapshot)
  async handle({ run }: ParsedRequestOf<typeof snapshot>): Promise<ReplyOf<typeof snapshot>> {
    return { snapshot: snapshotOf(known(await readState(this.db, run), run)) };
  }
}
