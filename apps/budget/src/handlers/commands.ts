import { Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { LedgerStore, type Loaded, type Wanted } from '../adapters/postgres/ledger-store.js';
import { draftOf, type Decision, type Draft } from '../core/draft.js';
import type { Ledger } from '../core/ledger.js';
import { eventRows } from './event-rows.js';
import { unavailable, unknownRun } from './refusals.js';
import { RunLanes } from './run-lanes.js';
import { InjectTiming, type Timing } from './timing.js';

/** Lost races in a row before a caller is sent away. Only replicas compete, so a few are rare already. */
const ATTEMPTS = 30;
/** Mean pause after a lost race, in ms: about one commit. */
const BACKOFF_MS = 2;
const NOTHING: Wanted = { reservations: [], key: null };

/** Carries commands out: load, decide, commit by compare-and-set; again when somebody else was faster (B11). */
@Injectable()
export class Commands {
  private readonly lanes = new RunLanes();

  constructor(
    private readonly store: LedgerStore,
    @InjectTiming() private readonly timing: Timing,
  ) {}

  /** Refuses an unknown run. `decide` may be asked several times: it must be pure. */
  async carryOut<Reply>(
    run: string,
    decide: (draft: Draft, now: number) => Decision<Reply>,
    wanted: Wanted = NOTHING,
  ): Promise<Reply> {
    return await this.carryOutOn(run, wanted, ({ ledger, known, now }) => {
      if (!ledger) throw unknownRun(run);
      return decide(draftOf(ledger, known), now);
    });
  }

  /** As {@link carryOut}, for a run that may have no ledger yet. */
  async open<Reply>(run: string, decide: (ledger: Ledger | null, now: number) => Decision<Reply>): Promise<Reply> {
    return await this.carryOutOn(run, NOTHING, ({ ledger, now }) => decide(ledger, now));
  }

  /** The ledger now, without changing it. */
  async look<Reply>(run: string, read: (ledger: Ledger, now: number) => Reply): Promise<Reply> {
    const { ledger, now } = await this.store.load(run, NOTHING);
    if (!ledger) throw unknownRun(run);
    return read(ledger, now);
  }

  private async carryOutOn<Reply>(
    run: string,
    wanted: Wanted,
    decide: (loaded: Loaded) => Decision<Reply>,
  ): Promise<Reply> {
    return await this.lanes.take(run, async () => {
      const remembered = this.store.remember(run, wanted);
      if (remembered !== null) {
        const { draft, reply } = decide(remembered);
        // Without facts there is no commit that would check the guess.
        if (draft.facts.length > 0 && (await this.commit(run, remembered, draft, wanted))) return reply;
      }
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const loaded = await this.store.load(run, wanted);
        const { draft, reply } = decide(loaded);
        if (draft.facts.length === 0 || (await this.commit(run, loaded, draft, wanted))) return reply;
        await pause(Math.random() * BACKOFF_MS * attempt);
      }
      throw unavailable(`run ${run}: ${ATTEMPTS} times somebody else was faster`);
    });
  }

  private async commit(run: string, loaded: Loaded, draft: Draft, { key }: Wanted): Promise<boolean> {
    const first = (loaded.ledger?.version ?? 0) + 1;
    const told = eventRows(run, { at: loaded.now, first, facts: draft.facts });
    return await this.store.commit(loaded, draft, key, this.timing.leaseMs, told);
  }
}
