import { Injectable } from '@nestjs/common';
import { Db, OutboxRelay, type Tx } from '@waymark/persistence';
import { lockReport } from '../adapters/postgres/lock-report.js';
import { saveDecision } from '../adapters/postgres/save-decision.js';
import type { Decision } from '../core/decision.js';
import type { ReportState } from '../core/report-state.js';
import { known } from './unknown-run.js';

/** Carries commands out: one transaction each, the report locked from the look at it to the commit. */
@Injectable()
export class Commands {
  constructor(
    private readonly db: Db,
    private readonly relay: OutboxRelay,
  ) {}

  /** `look` finds out what was done before, `decide` decides on both. Refuses an unknown run. */
  async carryOut<Seen, Reply>(
    run: string,
    look: (tx: Tx) => Promise<Seen>,
    decide: (state: ReportState, seen: Seen) => Decision<Reply>,
  ): Promise<Reply> {
    const decision = await this.db.transaction(async (tx) => {
      const locked = known(await lockReport(tx, run), run);
      const made = decide(locked.state, await look(tx));
      await saveDecision(tx, locked, made);
      return made;
    });
    if (decision.facts.length > 0) this.relay.kick();
    return decision.reply;
  }
}
