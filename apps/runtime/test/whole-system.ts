/** The whole system as real processes on private servers, and what a test asks of it: runs, faults of the model, records. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract, ReplyOf, RequestOf } from '@waymark/contracts';
import { snapshot as budgetSnapshot, type BudgetSnapshot } from '@waymark/contracts/budget';
import { getReport, type Report } from '@waymark/contracts/publication';
import {
  explain,
  get,
  readRecord,
  start,
  type ExplainedRequest,
  type RunState,
  type RunView,
} from '@waymark/contracts/runtime';
import { addDocument, describeCorpus } from '@waymark/contracts/sources';
import { BUCKETS } from '@waymark/contracts/streams';
import { Bus, ObjectStore } from '@waymark/messaging';
import type { RecordFact, RecordFactType } from '@waymark/record';
import { until } from '@waymark/testing';
import { generateCorpus, type Corpus } from '@waymark/testing/corpus';
import { checkInvariants, startStack, type Stack, type StackOptions } from '@waymark/testing/stack';
import { ModelGateway } from './model-gateway.js';

/** Leases and sweeps that let a test see a recovery in seconds. */
export const FAST = { LEASE_MS: '3000', HEARTBEAT_MS: '300', SWEEP_MS: '250' } as const;
const FAST_BUDGET = { SWEEP_MS: '200', LEASE_MS: '3000' } as const;
const FAST_REVIEWER = { LEASE_MS: '3000', HEARTBEAT_MS: '300', SWEEP_MS: '250' } as const;
/** Waits between attempts that a test need not sit out. */
export const QUICK = { backoffMs: [20, 40], parkMs: [1000] } as const;

export type StartRequest = RequestOf<typeof start>;
export type FactOf<T extends RecordFactType> = Extract<RecordFact, { type: T }>;

/** One request as it arrived at the practice model, and how it was answered. */
export interface ModelCall {
  readonly n: number;
  readonly id: string;
  readonly purpose: string | null;
  readonly body: string;
  readonly answeredWith: string | null;
  readonly at: number;
}

const CALL_MS = 3_000;
const SEED = 11;

export class WholeSystem {
  #runs = 0;

  private constructor(
    readonly stack: Stack,
    readonly bus: Bus,
    readonly corpus: Corpus,
    readonly folder: string,
    readonly log: string,
    /** Between the runtime and the practice model; reviewers do not pass it. */
    readonly gateway: ModelGateway,
  ) {}

  static async start(options: StackOptions = {}, gateway?: ModelGateway): Promise<WholeSystem> {
    gateway ??= await ModelGateway.start();
    const folder = mkdtempSync(join(tmpdir(), 'waymark-whole-'));
    const log = join(folder, 'provider.log');
    const { env = {}, ...rest } = options;
    const stack = await startStack({
      fast: true,
      logFile: log,
      ...rest,
      env: {
        ...env,
        runtime: { ...FAST, MODEL_URL: gateway.url, ...env.runtime },
        budget: { ...FAST_BUDGET, ...env.budget },
        reviewer: { ...FAST_REVIEWER, ...env.reviewer },
      },
    });
    gateway.target = new URL(stack.modelUrl).origin;
    try {
      const bus = await Bus.connect({ ...stack.nats.access(), name: 'whole-system' });
      const corpus = await generateCorpus(SEED, { documents: 8 });
      const whole = new WholeSystem(stack, bus, corpus, folder, log, gateway);
      await whole.#upload();
      return whole;
    } catch (error) {
      await stack.stop();
      await gateway.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.stack.stop();
    await this.gateway.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Two corpora: `c` with the question's documents, `bench` with one long text. */
  async #upload(): Promise<void> {
    await this.upload('c', this.corpus.files);
    await this.upload('bench', [{ name: 'long.txt', bytes: Buffer.from(longText(200 * 1024)) }]);
  }

  /** Puts files into a corpus and waits until each is read or found unreadable. */
  async upload(corpus: string, files: readonly { readonly name: string; readonly bytes: Uint8Array }[]): Promise<void> {
    const objects = await ObjectStore.open(this.bus.nc, BUCKETS.uploads);
    for (const { name, bytes } of files) {
      const object = await objects.put(`upload/${corpus}/${name}`, bytes);
      await this.ask(addDocument, { corpus, name, object });
    }
    await until(async () => (await this.ask(describeCorpus, { corpus })).pending === 0, {
      what: `corpus ${corpus} to be parsed`,
      timeoutMs: 180_000,
    });
  }

  /** The reply; an error or nobody there fails the test. */
  async ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    const reply = await this.bus.call(contract, request, { timeoutMs: CALL_MS });
    if (reply.ok) return reply.value;
    throw new Error(`${contract.subject}: ${reply.error.code} ${reply.error.message}`);
  }

  async begin(overrides: StartRequest['overrides'] = {}, more: Partial<StartRequest> = {}): Promise<string> {
    this.#runs += 1;
    const { run } = await this.ask(start, {
      key: `run-${this.#runs}`,
      question: this.corpus.question,
      corpus: 'c',
      policy: 'teaching',
      overrides: { ...QUICK, backoffMs: [...QUICK.backoffMs], parkMs: [...QUICK.parkMs], ...overrides },
      ...more,
    });
    return run;
  }

  /** A run whose n-th request has gone out and waits before the model until the gateway releases it. */
  async heldRun(n: number, overrides: StartRequest['overrides'] = {}): Promise<string> {
    this.gateway.holdFrom(n);
    const run = await this.begin(overrides);
    await until(() => this.gateway.holds(`${run}/${n}`), { what: `request ${n} of ${run} to wait`, timeoutMs: 60_000 });
    return run;
  }

  /** The measured workload: `turns` turns of two range reads, then a closing text. */
  async beginBench(turns: number, overrides: StartRequest['overrides'] = {}): Promise<string> {
    const question = `Read on and report. turns=${turns};`;
    return await this.begin(overrides, { question, corpus: 'bench', policy: 'bench', model: 'practice-bench' });
  }

  async view(run: string): Promise<RunView> {
    return (await this.ask(get, { run })).run;
  }

  async inState(run: string, state: RunState, timeoutMs = 30_000): Promise<RunView> {
    let seen: RunView | undefined;
    await until(
      async () => {
        seen = await this.view(run);
        return seen.state === state || (seen.state === 'ended' && state !== 'ended');
      },
      { what: `run ${run} to be ${state}`, timeoutMs, everyMs: 15 },
    );
    if (seen?.state !== state) throw new Error(`run ${run} ended before it was ${state}: ${seen?.code}`);
    return seen;
  }

  async ended(run: string, timeoutMs = 60_000): Promise<RunView> {
    return await this.inState(run, 'ended', timeoutMs);
  }

  /** Starts under these faults of the model, and waits for the end. */
  async runUnder(
    rules: readonly object[],
    overrides: StartRequest['overrides'] = {},
    more: Partial<StartRequest> = {},
  ): Promise<RunView> {
    await this.faults(rules);
    const run = await this.begin(overrides, more);
    return await this.ended(run);
  }

  async facts(run: string): Promise<RecordFact[]> {
    const facts: RecordFact[] = [];
    for (let after = 0; ;) {
      const page = await this.ask(readRecord, { run, after, limit: 200 });
      for (const row of page.rows)
        facts.push(JSON.parse(Buffer.from(row.body, 'base64').toString('utf8')) as RecordFact);
      if (page.next === null) return facts;
      after = page.next;
    }
  }

  async factsOf<T extends RecordFactType>(run: string, type: T): Promise<FactOf<T>[]> {
    return (await this.facts(run)).filter((f): f is FactOf<T> => f.type === type);
  }

  async fact<T extends RecordFactType>(run: string, type: T, timeoutMs = 20_000): Promise<FactOf<T>> {
    return await until(async () => (await this.factsOf(run, type))[0], {
      what: `${type} in the record of ${run}`,
      timeoutMs,
    });
  }

  async requests(run: string): Promise<ExplainedRequest[]> {
    const requests: ExplainedRequest[] = [];
    for (let after = 0; ;) {
      const page = await this.ask(explain, { run, after, limit: 50 });
      requests.push(...page.requests);
      if (page.next === null) return requests;
      after = page.next;
    }
  }

  async budget(run: string): Promise<BudgetSnapshot> {
    return (await this.ask(budgetSnapshot, { run })).snapshot;
  }

  async report(run: string): Promise<{ readonly report: Report; readonly markdown: string }> {
    const { report, rendered } = await this.ask(getReport, { run, format: 'markdown' });
    if (!report || rendered === null) throw new Error(`run ${run} has no report inline`);
    return { report, markdown: rendered };
  }

  /** What the model was asked for this run, reviews included, in the order of arrival. */
  calls(run: string): ModelCall[] {
    const answers = new Map<number, string>();
    const calls: (Omit<ModelCall, 'answeredWith'> & { answeredWith: string | null })[] = [];
    for (const line of readFileSync(this.log, 'utf8').split('\n')) {
      if (line === '') continue;
      const entry = JSON.parse(line) as LogLine;
      if (entry.kind === 'answered') answers.set(entry.n, entry.answeredWith ?? '');
      else if (entry.id?.startsWith(run) === true) {
        const { n, id, purpose = null, at, bytesBase64 = '' } = entry;
        const body = Buffer.from(bytesBase64, 'base64').toString('utf8');
        calls.push({ n, id, purpose, body, at: Date.parse(at), answeredWith: null });
      }
    }
    return calls.map((call) => ({ ...call, answeredWith: answers.get(call.n) ?? null }));
  }

  /** Replaces the model's faults; none heals it. */
  async faults(rules: readonly object[]): Promise<void> {
    await this.#control('faults', { rules });
  }

  /** Before the first byte of every answer. */
  async latency(ms: number): Promise<void> {
    await this.#control('latency', { ms });
  }

  async #control(what: string, body: object): Promise<void> {
    const response = await fetch(`${this.stack.practiceUrl}/control/${what}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`practice model: ${await response.text()}`);
    await response.arrayBuffer();
  }

  /** Kills a service's process, so that nobody answers for it. */
  async kill(name: string): Promise<void> {
    await this.stack.processes.get(name)?.stop('SIGKILL');
    this.stack.processes.delete(name);
  }

  /** What the invariants find wrong, once the outboxes have drained; a sound system gives []. */
  async violations(): Promise<readonly object[]> {
    let last: Awaited<ReturnType<typeof checkInvariants>> | undefined;
    await until(
      async () => {
        last = await checkInvariants(this.stack.databases, this.log);
        return last.violations.every((v) => v.invariant !== 'outbox drains');
      },
      { what: 'the outboxes to drain', timeoutMs: 15_000, everyMs: 200 },
    );
    return last?.violations ?? [];
  }
}

interface LogLine {
  readonly kind: string;
  readonly n: number;
  readonly id?: string | null;
  readonly purpose?: string | null;
  readonly at: string;
  readonly bytesBase64?: string;
  readonly answeredWith?: string;
}

/** A text that reads nowhere the same: every line is numbered. */
function longText(bytes: number): string {
  let out = '';
  for (let line = 1; out.length < bytes; line += 1) out += `Line ${line} of the long text says ${line * 7919}.\n`;
  return out;
}

/** Text of each message of a request's body, in order. */
export function messagesIn(body: string): { readonly role: string; readonly content: string }[] {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: string | null }[] };
  return messages.map(({ role, content }) => ({ role, content: content ?? '' }));
}

export const toolsIn = (body: string): string[] =>
  ((JSON.parse(body) as { tools?: { function: { name: string } }[] }).tools ?? []).map((t) => t.function.name);
