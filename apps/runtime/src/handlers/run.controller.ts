import { setTimeout as pause } from 'node:timers/promises';
import { Controller, Inject } from '@nestjs/common';
import { close as closeBudget } from '@waymark/contracts/budget';
import { cancel, get, list, start } from '@waymark/contracts/runtime';
import { describeCorpus } from '@waymark/contracts/sources';
import type { ParsedRequestOf, ReplyOf } from '@waymark/contracts';
import { WORK } from '@waymark/contracts/streams';
import { Bus, fitPage, Handle, toAsked, WireError } from '@waymark/messaging';
import type { Policy } from '@waymark/contracts/policy';
import { Db, OutboxRelay } from '@waymark/persistence';
import { RecordStore } from '@waymark/persistence/holder';
import { decodeFact, type RecordFact } from '@waymark/record';
import { RunRows } from '../adapters/postgres/run-rows.js';
import { storableText } from '../adapters/postgres/storable-text.js';
import type { RuntimeConfig } from '../config.js';
import { NUDGE } from '../run/replica.js';
import { CONFIG } from '../tokens.js';
import { admitRun } from './admit-run.js';
import { askedDigest, isKey, prepareAdmission, type Admission } from './prepare-admission.js';

const CLOSE_MS = 3_000;
const CLOSE_AGAIN_MS = 50;
const SOURCES_MS = 2_000;

@Controller()
export class RunController {
  constructor(
    private readonly db: Db,
    private readonly bus: Bus,
    private readonly rows: RunRows,
    private readonly records: RecordStore,
    private readonly relay: OutboxRelay,
    @Inject(CONFIG) private readonly config: RuntimeConfig,
  ) {}

  @Handle(start)
  async start(request: ParsedRequestOf<typeof start>): Promise<ReplyOf<typeof start>> {
    const before = await this.startedBefore(request);
    if (before) return before;
    const prepared = prepareAdmission(request, this.config);
    if (!prepared.ok) throw new WireError(prepared.error);
    await this.checkCorpus(prepared.admission);
    const { created, view } = await admitRun(this.db, this.rows, prepared.admission);
    this.relay.kickNow();
    const policy = created ? prepared.admission.policy : await this.policyOf(view.run);
    return { run: view.run, created, state: view.state, policy };
  }

  @Handle(get)
  async get({ run }: ParsedRequestOf<typeof get>): Promise<ReplyOf<typeof get>> {
    return { run: await this.known(run) };
  }

  @Handle(list)
  async list(request: ParsedRequestOf<typeof list>): Promise<ReplyOf<typeof list>> {
    const found = await this.rows.list(request.cursor ?? null, request.limit + 1, request.state ?? null);
    const shown = found.map((r) => ({ ...r, question: headOf(r.question) }));
    const { items, next } = fitPage(shown, request.limit, ({ run }) => run);
    return { runs: items, next };
  }

  /**
   * Once acknowledged nothing is granted: the stop is on the row, and the budget is closed for all holders (L6). A run
   * whose end is decided has nothing left to stop, and says how it ends.
   */
  @Handle(cancel)
  async cancel({ run, reason }: ParsedRequestOf<typeof cancel>): Promise<ReplyOf<typeof cancel>> {
    const marked = await this.rows.cancel(run, reason === undefined ? null : storableText(reason));
    const view = await this.known(run);
    if (!marked) {
      const stopping = view.state === 'ending' && view.outcome === 'cancelled';
      return { outcome: stopping ? 'cancelling' : 'already_ended', run: view };
    }
    const closed = await this.closeBudget(run, marked.epoch, reason);
    await this.bus.nc.flush();
    this.bus.nc.publish(NUDGE, run);
    this.bus.nc.publish(WORK.run, JSON.stringify({ run }));
    if (!closed.ok) {
      throw new WireError({
        code: 'unavailable',
        message: `the stop of run ${run} is recorded, and budget did not confirm it: ${closed.error.message}`,
        remedy: 'ask again; the run stops at its next step in any case',
      });
    }
    return { outcome: 'cancelling', run: view };
  }

  /**
   * A run that nobody had claimed when the stop was marked has no ledger and needs none: its owner will know. One that
   * was claimed before may be opening its ledger just now, and would be granted a request: it is waited for.
   */
  private async closeBudget(run: string, epoch: number, reason: string | undefined) {
    const end = performance.now() + CLOSE_MS;
    const request = {
      run,
      epoch: Math.max(1, epoch),
      reason: reason === undefined ? 'cancelled' : `cancelled: ${reason}`.slice(0, 200).toWellFormed(),
    };
    for (;;) {
      const closed = await this.bus.call(closeBudget, request, { timeoutMs: CLOSE_MS });
      const unopened = !closed.ok && closed.error.code === 'unknown_run';
      if (!unopened) return closed;
      if (epoch === 0) return { ok: true as const };
      if (performance.now() + CLOSE_AGAIN_MS > end) return closed;
      await pause(CLOSE_AGAIN_MS);
    }
  }

  /** A repeated start reads what was admitted, whatever this release or its configuration would admit now (B7, L2). */
  private async startedBefore(request: ParsedRequestOf<typeof start>): Promise<ReplyOf<typeof start> | null> {
    const stored = isKey(request.key) ? await this.rows.byKey(request.key) : null;
    if (!stored?.digest.equals(askedDigest(request))) return null;
    const { run, state } = stored.view;
    return { run, created: false, state, policy: await this.policyOf(run) };
  }

  private async policyOf(run: string): Promise<Policy> {
    const [row] = await this.records.rows(run, 0, 1);
    const admitted = row && decodeFact<RecordFact>(row.body);
    if (admitted?.type !== 'RunAdmitted') throw new Error(`run ${run} has no admission in its record`);
    return admitted.policy;
  }

  /**
   * A run on a corpus that sources does not know would find nothing and end as if all were well. Sources that do not
   * answer keep nobody from starting.
   */
  private async checkCorpus({ key, corpus }: Admission): Promise<void> {
    if (await this.rows.byKey(key)) return; // another request under its key: that is the answer
    const asked = toAsked(await this.bus.call(describeCorpus, { corpus }, { timeoutMs: SOURCES_MS }));
    if (asked.kind !== 'refused' || asked.error.code !== 'unknown_corpus') return;
    throw new WireError({
      code: 'unknown_corpus',
      message: `sources has no corpus "${corpus}"`,
      remedy: 'upload its documents first, or name a corpus that has some',
      field: 'corpus',
    });
  }

  private async known(run: string) {
    const view = await this.rows.get(run);
    if (view) return view;
    throw new WireError({
      code: 'unknown_run',
      message: `there is no run ${run}`,
      remedy: 'list the runs, or start one',
      field: 'run',
    });
  }
}

/** Characters of a question that a list shows. */
const headOf = (question: string): string =>
  question.length > 500 ? `${question.slice(0, 500).toWellFormed()}…` : question;
