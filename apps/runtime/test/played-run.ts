/**
 * A run played in memory over the runtime's pure functions: real first fact, real bytes, real chain; no database and no
 * owner. `prepare` climbs down the same ladder as the shell does.
 */
import { createHash } from 'node:crypto';
import type { Policy, PolicyOverrides } from '@waymark/contracts/policy';
import {
  assemble,
  encodeAnswer,
  encodeFact,
  encodeText,
  genesisHash,
  linkHash,
  partsOf,
  rendererOf,
  renderSummarize,
  toHex,
  type ActionKind,
  type ActionSettled,
  type MainPurpose,
  type NoticesRecord,
  type Part,
  type RecordFact,
  type RenderedHead,
  type Renderer,
  type RequestIntended,
  type RequestPurpose,
  type RequestSettled,
  type RunAdmitted,
  type TextRef,
} from '@waymark/record';
import type { RuntimeConfig } from '../src/config.js';
import { contentBytes } from '../src/core/content.js';
import { decideCompaction, judgeSummary, type Interval } from '../src/core/decide-compaction.js';
import { contentLimit, floorBytes, nextRung, type Rung } from '../src/core/decide-fit.js';
import { decideRetirement, residencyTarget } from '../src/core/decide-retirement.js';
import { evolve } from '../src/core/evolve.js';
import { NO_NOTICES } from '../src/core/fit-notices.js';
import { newRunState, type RunState } from '../src/core/run-state.js';
import { prepareAdmission, type PreparedAdmission } from '../src/handlers/prepare-admission.js';

export const RUN = '01890000-0000-7000-8000-000000000001';
export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
export const utf8 = (text: string): number => Buffer.byteLength(text);

export const CONFIG = { MODEL_API: 'openai', MODEL_NAME: 'm' } as RuntimeConfig;

export interface PlayOptions {
  readonly question?: string;
  readonly policy?: string;
  readonly overrides?: PolicyOverrides;
  /** Changes numbers that no caller may override. */
  readonly mend?: (policy: Policy) => Policy;
  /** In place of the real tools, for both main purposes. */
  readonly tools?: string;
}

export interface Recorded {
  readonly seq: number;
  readonly epoch: number;
  readonly fact: RecordFact;
  readonly body: Uint8Array;
  readonly head: string;
}

export interface PlayedCall {
  readonly tool: string;
  readonly arguments?: string;
  readonly text: string;
  readonly kind?: ActionKind;
  readonly settled?: Partial<ActionSettled>;
}

/** What the summarizing model says; `finish` null: the stream ended without one. */
export type Summarizer = (
  interval: Interval,
  input: Uint8Array,
) => { readonly finish: string | null; readonly text: string } | 'refused';

const admitted = new Map<string, PreparedAdmission>();

/** Admission is pure, so runs that are admitted alike share it. */
export function admit(options: PlayOptions = {}): PreparedAdmission {
  const { question, policy, overrides } = options;
  const key = JSON.stringify([question, policy, overrides]);
  const known = admitted.get(key) ?? prepare(options);
  admitted.set(key, known);
  return known;
}

function prepare(options: PlayOptions): PreparedAdmission {
  return prepareAdmission(
    {
      key: 'k',
      question: options.question ?? 'Which fund is cheaper?',
      corpus: 'c',
      policy: options.policy ?? 'standard',
      overrides: options.overrides ?? {},
    },
    CONFIG,
  );
}

export class PlayedRun {
  readonly recorded: Recorded[] = [];
  readonly bodies = new Map<string, Uint8Array>();
  readonly state: RunState;
  readonly admitted: RunAdmitted;
  epoch = 1;
  #head = genesisHash(sha256, RUN);
  readonly #rendered = new Map<string, Uint8Array>();
  readonly #heads = new Map<RequestPurpose, RenderedHead>();

  constructor(options: PlayOptions = {}) {
    const prepared = admit(options);
    if (!prepared.ok) throw new Error(prepared.error.code);
    for (const { digest, body } of prepared.admission.bodies) this.bodies.set(toHex(digest), body);
    const { fact } = prepared.admission;
    const tools = options.tools === undefined ? null : this.put(options.tools);
    const { frames } = fact;
    this.admitted = {
      ...fact,
      policy: options.mend?.(fact.policy) ?? fact.policy,
      frames:
        tools === null
          ? frames
          : { ...frames, explore: { ...frames.explore, tools }, finish: { ...frames.finish, tools } },
    };
    this.state = newRunState(RUN, toHex(this.#head));
    this.add(this.admitted);
  }

  get policy(): Policy {
    return this.admitted.policy;
  }

  get facts(): RecordFact[] {
    return this.recorded.map((r) => r.fact);
  }

  add(fact: RecordFact): void {
    const body = encodeFact(fact);
    const seq = this.recorded.length + 1;
    this.#head = linkHash(sha256, this.#head, { seq, epoch: this.epoch, kind: fact.type, body });
    const head = toHex(this.#head);
    // What is folded is what a fresh process would read.
    const stored = JSON.parse(new TextDecoder().decode(body)) as RecordFact;
    this.recorded.push({ seq, epoch: this.epoch, fact: stored, body, head });
    evolve(this.state, stored, seq, head);
  }

  put(text: string): TextRef {
    const { bytes, escaped } = encodeText(text);
    return this.#keep(bytes, escaped);
  }

  #keep(bytes: Uint8Array, escaped = false): TextRef {
    const digest = toHex(sha256(bytes));
    this.bodies.set(digest, bytes);
    return { digest, bytes: bytes.length, ...(escaped ? { escaped: true as const } : {}) };
  }

  readonly lookup = (ref: TextRef): Uint8Array => {
    const bytes = this.bodies.get(ref.digest);
    if (!bytes) throw new Error(`no body ${ref.digest}`);
    return bytes;
  };

  readonly rendered = (part: Part): Uint8Array => {
    let bytes = this.#rendered.get(part.id);
    if (!bytes) {
      bytes = this.renderer.part(part, this.lookup);
      this.#rendered.set(part.id, bytes);
    }
    return bytes;
  };

  readonly sizeOf = (part: Part): number => this.rendered(part).length;

  get renderer(): Renderer {
    return rendererOf(this.admitted);
  }

  head(purpose: RequestPurpose): RenderedHead {
    let head = this.#heads.get(purpose);
    if (!head) {
      head = this.renderer.head(this.admitted.model, this.admitted.frames[purpose], this.lookup);
      this.#heads.set(purpose, head);
    }
    return head;
  }

  content(purpose: MainPurpose = 'explore'): number {
    return contentBytes(this.state.transcript, this.head(purpose).size, this.sizeOf);
  }

  /** The whole request as it would be sent now. */
  body(purpose: MainPurpose = 'explore', notices: string | null = null): Uint8Array {
    const parts = partsOf(this.state.transcript).map(this.rendered);
    const tail = notices === null ? null : this.renderer.notices(notices);
    return assemble(this.renderer, this.head(purpose).bytes, parts, tail);
  }

  text(purpose: MainPurpose = 'explore', notices: string | null = null): string {
    return new TextDecoder().decode(this.body(purpose, notices));
  }

  /** The same, each part rendered anew: what an owner without a cache would send. */
  fresh(purpose: MainPurpose = 'explore'): string {
    const parts = partsOf(this.state.transcript).map((part) => this.renderer.part(part, this.lookup));
    return new TextDecoder().decode(assemble(this.renderer, this.head(purpose).bytes, parts, null));
  }

  /** Names the whole request's bytes. */
  digest(): string {
    return toHex(sha256(this.body()));
  }

  intend(
    purpose: RequestPurpose = 'explore',
    notices: NoticesRecord = NO_NOTICES,
    interval?: RequestIntended['interval'],
  ): void {
    const { state } = this;
    const request = state.requests + 1;
    const body = purpose === 'summarize' ? new Uint8Array() : this.body(purpose, notices.text);
    this.add({
      type: 'RequestIntended',
      request,
      turn: purpose === 'summarize' ? state.turn : state.turn + 1,
      attempt: purpose === 'summarize' ? 1 : state.attempt + 1,
      purpose,
      reservation: `r${request}`,
      key: `run/${this.epoch}/${request}`,
      grant: { version: request, leftMs: 60_000, bound: 'active' },
      deadlines: { firstContentMs: 1, progressMs: 2, totalMs: 3 },
      digest: toHex(sha256(body)),
      bytes: body.length,
      parts: [],
      content: body.length,
      hard: state.hard,
      notices,
      ...(interval ? { interval } : {}),
      inbox: state.inbox,
    });
  }

  settle(how: Partial<RequestSettled> = {}): void {
    this.add({
      type: 'RequestSettled',
      request: this.state.requests,
      outcome: 'completed',
      content: true,
      code: null,
      status: 200,
      delivery: 'submitted',
      answer: null,
      empty: false,
      finish: 'stop',
      usage: null,
      actions: [],
      ms: { firstContent: 1, total: 2 },
      ...how,
    });
  }

  /** The open request completes with these calls; their receipts are not there yet. */
  answer(text: string, calls: readonly PlayedCall[] = [], how: Partial<RequestSettled> = {}): void {
    const turn = this.state.open?.turn ?? 0;
    const stored = calls.map((c, i) => ({ id: `c${turn}_${i}`, name: c.tool, arguments: c.arguments ?? '{}' }));
    this.settle({
      answer: this.#keep(encodeAnswer({ text, calls: stored })),
      finish: calls.length > 0 ? 'tool_calls' : 'stop',
      actions: calls.map((c, i) => ({ action: `${turn}.${i}`, tool: c.tool, kind: c.kind ?? 'read' })),
      ...how,
    });
  }

  receipt(action: string, text: string, settled: Partial<ActionSettled> = {}): void {
    this.add({
      type: 'ActionSettled',
      action,
      outcome: 'ok',
      code: null,
      result: this.put(text),
      title: `result ${action}`,
      ...settled,
    });
  }

  /** One completed turn with receipts for all its calls. */
  turn(
    calls: readonly PlayedCall[],
    text = 'I go on.',
    purpose: MainPurpose = 'explore',
    notices?: NoticesRecord,
  ): number {
    this.intend(purpose, notices);
    this.answer(text, calls);
    const { turn } = this.state;
    for (const [i, c] of calls.entries()) this.receipt(`${turn}.${i}`, c.text, c.settled);
    return turn;
  }

  /** A turn of one call whose result is `text`. */
  read(text: string, tool = 'read_range', settled: Partial<ActionSettled> = {}): string {
    return `${this.turn([{ tool, text, settled }])}.0`;
  }

  form(action: string): 'full' | 'head' | 'stub' | null {
    for (const entry of this.state.transcript.entries) {
      if (entry.kind !== 'turn') continue;
      const found = entry.results.find((r) => r.action === action);
      if (found) return found.form.form;
    }
    return null;
  }

  retire(purpose: MainPurpose = 'explore'): Extract<RecordFact, { type: 'ResultsRetired' }> | null {
    const floor = floorBytes(this.head(purpose).size, this.admitted.question.bytes, this.policy.context.mapBytes);
    const fact = decideRetirement(this.state, residencyTarget(this.policy, this.state.hard, floor), this.sizeOf);
    if (fact) this.add(fact);
    return fact;
  }

  /** Steps 2 of a turn as the shell takes them; the rungs that were taken, `fits` or `impossible` last. */
  prepare(purpose: MainPurpose, summarizer: Summarizer, map = 'Blocks published (0):'): Rung[] {
    this.retire(purpose);
    if (purpose === 'explore') {
      const interval = decideCompaction(this.state, this.content(purpose), this.sizeOf, false);
      if (interval) this.summarize(interval, summarizer);
    }
    const rungs: Rung[] = [];
    for (let tried = false; ;) {
      const rung = nextRung(this.state, this.head(purpose).size, this.sizeOf, tried);
      rungs.push(rung);
      if (rungs.length > 500) throw new Error('the ladder does not end');
      switch (rung.rung) {
        case 'fits':
        case 'impossible':
          return rungs;
        case 'page':
          for (const fact of rung.facts) this.add(fact);
          break;
        case 'retire':
          this.add(rung.fact);
          break;
        case 'summarize':
          tried = true;
          this.summarize(rung.interval, summarizer);
          break;
        case 'floor':
          this.add({ type: 'FloorBuilt', map: this.put(map) });
          break;
      }
    }
  }

  summarize(interval: Interval, summarizer: Summarizer): void {
    const turns = this.state.transcript.entries.filter(
      (e) => e.kind === 'turn' && e.turn >= interval.from && e.turn <= interval.to,
    ) as Parameters<typeof renderSummarize>[1];
    const input = renderSummarize(this.admitted, turns, interval.resultCap, this.lookup);
    const abandon = (code: string) =>
      this.add({
        type: 'SummaryAbandoned',
        from: interval.from,
        to: interval.to,
        basis: interval.basis,
        request: this.state.requests,
        code,
      });
    if (input.length > this.state.hard) return abandon('input_too_large');
    this.intend('summarize', NO_NOTICES, interval);
    const said = summarizer(interval, input);
    if (said === 'refused') {
      this.settle({
        outcome: 'failed',
        content: false,
        status: 429,
        delivery: 'rejected',
        code: 'rate_limited',
        finish: null,
      });
      return abandon('rate_limited');
    }
    this.settle({ answer: this.put(said.text), finish: said.finish });
    const before = this.content();
    const text = this.put(said.text);
    const ids = turns.flatMap((t) => t.results.map((r) => r.action)).join(' ');
    const part = this.renderer.part(
      { id: 'x', kind: 'summary', from: interval.from, to: interval.to, text, actions: ids },
      this.lookup,
    );
    const after = before - interval.bytes + part.length;
    const verdict = judgeSummary({
      finish: said.finish,
      textBytes: said.text.trim() === '' ? 0 : text.bytes,
      before,
      after,
      limit: contentLimit(this.state),
      policy: this.policy,
    });
    if (!verdict.adopt) return abandon(verdict.code);
    this.add({
      type: 'SummaryAdopted',
      summary: this.state.summaries + 1,
      from: interval.from,
      to: interval.to,
      request: this.state.requests,
      text,
      bytesBefore: before,
      bytesAfter: after,
    });
  }
}

/** The canonical bytes of a state: two folds are equal when these are (C15). */
export const canonical = (state: RunState): string =>
  new TextDecoder().decode(encodeFact({ type: 'state', state } as { readonly type: string }));
