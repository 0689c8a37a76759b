/** The crash table's system: one runtime that survives, replicas that die at named steps, and what a case asks of both. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract, ReplyOf, RequestOf } from '@waymark/contracts';
import { getReport, type Report } from '@waymark/contracts/publication';
import { get, readRecord, start, type RunView } from '@waymark/contracts/runtime';
import { addDocument, describeCorpus } from '@waymark/contracts/sources';
import { BUCKETS } from '@waymark/contracts/streams';
import { Bus, ObjectStore } from '@waymark/messaging';
import { until, withClient, type ServiceProcess } from '@waymark/testing';
import { generateCorpus, type Corpus } from '@waymark/testing/corpus';
import { checkInvariants, startStack, type Stack } from '@waymark/testing/stack';

const SEED = 11;
const CALL = { timeoutMs: 700 };
/** A start that a frozen replica got: asked again soon, before the first lease of its group can run out. */
const START = { timeoutMs: 300 };
const TRIES = 20;
const RUN_MS = 60_000;
const CLAIM_MS = 30_000;
const LEASE_MS = '2000';
const FAST = { LEASE_MS, HEARTBEAT_MS: '400', SWEEP_MS: '300' };
/**
 * One run each, so that nobody dies with another's run. The lease is longer than the survivor's: the last of a group must
 * have claimed its own run before the first dead one's is due again.
 */
const DOOMED = { LEASE_MS: '3000', MAX_RUNS: '1' };

export interface StoredFact {
  readonly type: string;
  readonly request?: number;
  readonly turn?: number;
  readonly outcome?: string;
  readonly review?: string;
}

type Run = string;
type Overrides = RequestOf<typeof start>['overrides'];

export class CrashSystem {
  #runs = 0;
  #replicas = 0;

  private constructor(
    readonly stack: Stack,
    readonly bus: Bus,
    readonly corpus: Corpus,
    private readonly survivor: ServiceProcess,
    private readonly folder: string,
    readonly log: string,
  ) {}

  static async start(): Promise<CrashSystem> {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-crash-'));
    const log = join(folder, 'provider.log');
    const stack = await startStack({
      fast: true, // services die here, never a server
      logFile: log,
      replicas: { runtime: 0 },
      env: { runtime: { ...FAST, NODE_ENV: 'test' }, budget: { SWEEP_MS: '500', LEASE_MS }, reviewer: FAST },
    });
    try {
      const bus = await Bus.connect({ ...stack.nats.access(), name: 'crash-table' });
      const corpus = await generateCorpus(SEED, { documents: 4 });
      const survivor = await stack.start('runtime', 'survivor');
      const system = new CrashSystem(stack, bus, corpus, survivor, folder, log);
      await system.#upload();
      return system;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.stack.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #upload(): Promise<void> {
    const objects = await ObjectStore.open(this.bus.nc, BUCKETS.uploads);
    for (const file of this.corpus.files) {
      const object = await objects.put(`upload/${file.name}`, file.bytes);
      await this.ask(addDocument, { corpus: 'c', name: file.name, object });
    }
    await until(async () => (await this.ask(describeCorpus, { corpus: 'c' })).pending === 0, {
      what: 'the corpus to be parsed',
      timeoutMs: 60_000,
    });
  }

  /** A frozen replica still stands in the queue group: what it does not answer is asked again, by the same key. */
  async ask<C extends Contract>(contract: C, request: RequestOf<C>, call = CALL): Promise<ReplyOf<C>> {
    for (let tries = 1; ; tries += 1) {
      const reply = await this.bus.call(contract, request, call);
      if (reply.ok) return reply.value;
      if (reply.kind === 'error' || tries > TRIES)
        throw new Error(`${contract.subject}: ${reply.error.code} ${reply.error.message}`);
    }
  }

  async view(run: string): Promise<RunView> {
    return (await this.ask(get, { run })).run;
  }

  /** A replica may die of the run before it answers for it: then the table tells. */
  async startRun(overrides: Overrides = {}): Promise<string> {
    this.#runs += 1;
    const key = `crash-${this.#runs}`;
    const order = { key, question: this.corpus.question, corpus: 'c', policy: 'teaching', overrides };
    for (let tries = 1; ; tries += 1) {
      const reply = await this.bus.call(start, order, START);
      if (reply.ok) return reply.value.run;
      const [known] = await this.#sql<{ id: string }>('select id::text from run where start_key = $1', [key]);
      if (known) return known.id;
      if (reply.kind === 'error' || tries > TRIES) throw new Error(`${key}: ${reply.error.code}`);
    }
  }

  async #sql<T extends object>(text: string, params: unknown[]): Promise<T[]> {
    return await withClient(this.stack.databases.runtime, async (db) => (await db.query<T>(text, params)).rows);
  }

  /** A run that the replica is at work on, at its n-th request; each answer of the model takes `answerMs`. */
  async runAt(requests: number, answerMs: number): Promise<string> {
    await this.latency(answerMs);
    const run = await this.startRun();
    await until(async () => (await this.view(run)).requests >= requests, {
      what: `request ${requests} of run ${run}`,
      timeoutMs: RUN_MS,
      everyMs: 2,
    });
    return run;
  }

  async ended(run: string): Promise<RunView> {
    const what = `run ${run} to end`;
    await until(async () => (await this.view(run)).state === 'ended', { what, timeoutMs: RUN_MS, everyMs: 50 });
    return await this.view(run);
  }

  /** Ms before every answer of the model, so that a run can be met at work. */
  async latency(ms: number): Promise<void> {
    await this.#control('latency', { ms });
  }

  async faults(rules: readonly object[]): Promise<void> {
    await this.#control('faults', { rules });
  }

  async #control(what: string, body: object): Promise<void> {
    const reply = await fetch(`${this.stack.practiceUrl ?? ''}/control/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${what}: ${reply.status}`);
  }

  freeze(): void {
    this.survivor.kill('SIGSTOP');
  }

  wake(): void {
    this.survivor.kill('SIGCONT');
  }

  /** One more replica beside the survivor; `env` over what all replicas here have. */
  async replica(env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    this.#replicas += 1;
    const name = `replica-${this.#replicas}`;
    const replica = await this.stack.start('runtime', name, env);
    void replica.exited.then(() => this.stack.processes.delete(name));
    return replica;
  }

  async doomed(point: string): Promise<ServiceProcess> {
    return await this.replica({ ...DOOMED, FAILPOINT: point });
  }

  /**
   * For each point a run that a replica of its own owns until it dies there; by point, once all runs have ended. The
   * survivor is frozen until all are claimed, then it is alive too and takes over: the leases run out side by side.
   */
  async killAt(points: readonly string[], overrides: Overrides = {}): Promise<Map<string, PromiseSettledResult<Run>>> {
    this.freeze();
    const doomed: ServiceProcess[] = [];
    try {
      await Promise.all(points.map(async (point, i) => (doomed[i] = await this.doomed(point))));
      const runs = await Promise.all(points.map(async () => await this.startRun(overrides)));
      const owned = await this.#firstRuns(doomed, runs);
      this.wake();
      const deaths = doomed.map(async (one, i) => await this.#death(points[i] ?? '', one, owned.get(one) ?? ''));
      const settled = await Promise.allSettled(deaths);
      return new Map(points.map((point, i) => [point, settled[i] as PromiseSettledResult<Run>]));
    } finally {
      this.wake();
      // One that lives on would claim what later cases start.
      await Promise.all(doomed.map(async (one) => await one.stop('SIGKILL')));
    }
  }

  /**
   * The run that each replica claimed first. From the table: asking may meet a replica that has just died. A run that was
   * given up before we looked is the last one's.
   */
  async #firstRuns(doomed: readonly ServiceProcess[], runs: readonly Run[]): Promise<Map<ServiceProcess, Run>> {
    const owned = new Map<ServiceProcess, Run>();
    const claimed = async () => {
      const rows = await this.#sql<{ id: string; pid: number | null }>(
        `select id::text, split_part(owner, '/', 2)::int as pid from run where id::text = any($1) and epoch = 1`,
        [runs],
      );
      for (const one of doomed) {
        const row = rows.find(({ pid }) => pid === one.pid);
        if (row) owned.set(one, row.id);
      }
      return rows.length === runs.length;
    };
    const what = `${runs.length} runs to be claimed, one by each replica`;
    await until(claimed, { what, timeoutMs: CLAIM_MS, everyMs: 5 });
    const alone = doomed.filter((one) => !owned.has(one));
    const free = runs.filter((run) => ![...owned.values()].includes(run));
    if (alone.length > 1 || alone.length !== free.length) throw new Error(`not ${what}: ${free.join(', ')}`);
    for (const [i, one] of alone.entries()) owned.set(one, free[i] ?? '');
    return owned;
  }

  async #death(point: string, doomed: ServiceProcess, run: Run): Promise<Run> {
    try {
      await until(async () => !doomed.alive() || (await this.view(run)).state === 'ended', {
        what: `the death ${point}`,
        timeoutMs: RUN_MS,
        everyMs: 50,
      });
      if (doomed.alive()) throw new Error(`run ${run} ended and its owner was not killed ${point}`);
      expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' });
    } finally {
      await doomed.stop('SIGKILL');
    }
    await this.ended(run);
    return run;
  }

  async recordOf(run: string): Promise<{ readonly seq: number; readonly epoch: number; readonly body: string }[]> {
    const rows: { seq: number; epoch: number; body: string }[] = [];
    for (let after = 0; ;) {
      const page = await this.ask(readRecord, { run, after, limit: 200 });
      rows.push(...page.rows);
      if (page.next === null) return rows;
      after = page.next;
    }
  }

  async factsOf(run: string): Promise<StoredFact[]> {
    const rows = await this.recordOf(run);
    return rows.map((r) => JSON.parse(Buffer.from(r.body, 'base64').toString('utf8')) as StoredFact);
  }

  async rightReport(run: string): Promise<Report> {
    const { report, rendered } = await this.ask(getReport, { run, format: 'markdown' });
    if (!report) throw new Error('the report is not there');
    const missing = this.corpus.answers.figures.filter((f) => !(rendered ?? '').includes(String(f.value)));
    expect(missing).toEqual([]);
    return report;
  }

  /** Everything that the invariants say of this run, or of all. */
  async invariantsHold(run?: string): Promise<void> {
    let last: Awaited<ReturnType<typeof checkInvariants>> | undefined;
    await until(
      async () => {
        last = await checkInvariants(this.stack.databases, this.log, run === undefined ? null : [run]);
        return last.violations.every((v) => v.invariant !== 'outbox drains');
      },
      { what: 'the outboxes to drain', timeoutMs: 15_000, everyMs: 200 },
    );
    expect(last?.violations).toEqual([]);
  }
}

/**
 * Deaths at these points, `atOnce` in one system side by side. A group starts when the first of its cases asks; each case
 * gets its own run, or the reason why there is none.
 */
export function deathsOf(points: readonly string[], atOnce: number, system: () => CrashSystem, overrides?: Overrides) {
  const groups = new Map<number, ReturnType<CrashSystem['killAt']>>();
  return async (point: string): Promise<Run> => {
    const at = Math.floor(points.indexOf(point) / atOnce);
    const group = groups.get(at) ?? system().killAt(points.slice(at * atOnce, (at + 1) * atOnce), overrides);
    groups.set(at, group);
    const death = (await group).get(point);
    if (death?.status !== 'fulfilled') throw death?.reason ?? new Error(`nobody was to be killed ${point}`);
    return death.value;
  };
}
