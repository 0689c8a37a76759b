/** Builds records in memory as a runtime would, with the requests that went out, for the tests of this library. */
import { createHash } from 'node:crypto';
import { POLICIES } from '@waymark/contracts/policy';
import {
  assemble,
  decodeFact,
  encodeAnswer,
  encodeFact,
  encodeText,
  evolveTranscript,
  genesisHash,
  linkHash,
  newTranscript,
  partsOf,
  rendererOf,
  RENDERERS,
  renderSummarize,
  toHex,
  type Dialect,
  type RecordFact,
  type RequestIntended,
  type StoredAnswer,
  type StoredRow,
  type TextRef,
} from '../src/index.js';
import type { ProviderCall } from '../src/verify.js';

export const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

const NO_NOTICES = { source: 'none', included: [], omitted: [], combined: [], rearmed: [], text: null } as const;

export class RecordBuilder {
  readonly rows: StoredRow[] = [];
  readonly bodies = new Map<string, Uint8Array>();
  readonly log: ProviderCall[] = [];
  readonly transcript = newTranscript();
  #head: Uint8Array;
  #requests = 0;
  #turn = 0;

  constructor(
    readonly run = '01890000-0000-7000-8000-000000000001',
    dialect: Dialect = 'openai',
  ) {
    this.#head = genesisHash(sha256, run);
    const frame = (name: string, tools: string | null) => ({
      instructions: this.put(name),
      tools: tools === null ? null : this.put(tools),
    });
    this.add({
      type: 'RunAdmitted',
      format: 1,
      renderer: RENDERERS[dialect].version,
      question: this.put('Which fund is cheaper? 哪只基金更便宜?'),
      language: 'en',
      corpus: 'c1',
      policy: POLICIES.standard,
      model: { name: 'm', dialect, outputCap: dialect === 'openai' ? null : 512 },
      frames: {
        explore: frame('Purpose: explore', '[]'),
        finish: frame('Purpose: finish', '[]'),
        summarize: frame('Purpose: summarize', null),
      },
    });
  }

  readonly lookup = (ref: TextRef): Uint8Array => {
    const bytes = this.bodies.get(ref.digest);
    if (!bytes) throw new Error(`no body ${ref.digest}`);
    return bytes;
  };

  put(text: string): TextRef {
    const { bytes, escaped } = encodeText(text);
    return this.putBytes(bytes, escaped);
  }

  putBytes(bytes: Uint8Array, escaped = false): TextRef {
    const digest = toHex(sha256(bytes));
    this.bodies.set(digest, bytes);
    return { digest, bytes: bytes.length, ...(escaped ? { escaped: true as const } : {}) };
  }

  add(fact: RecordFact, epoch = 1): void {
    const body = encodeFact(fact);
    const link = { seq: this.rows.length + 1, epoch, kind: fact.type, body };
    const hash = linkHash(sha256, this.#head, link);
    this.rows.push({ ...link, hash });
    this.#head = hash;
    evolveTranscript(this.transcript, fact);
  }

  /** One main request as sent, with its notice lines. */
  send(notices: string | null = null, purpose: 'explore' | 'finish' = 'explore'): Uint8Array {
    const admitted = decodeFact<Extract<RecordFact, { type: 'RunAdmitted' }>>(this.rows[0]?.body ?? new Uint8Array());
    const renderer = rendererOf(admitted);
    const head = renderer.head(admitted.model, admitted.frames[purpose], this.lookup);
    const parts = partsOf(this.transcript).map((p) => renderer.part(p, this.lookup));
    const body = assemble(renderer, head.bytes, parts, notices === null ? null : renderer.notices(notices));
    this.intend(body, purpose, notices);
    return body;
  }

  summarize(from: number, to: number): Uint8Array {
    const admitted = decodeFact<Extract<RecordFact, { type: 'RunAdmitted' }>>(this.rows[0]?.body ?? new Uint8Array());
    const turns = this.transcript.entries.filter((e) => e.kind === 'turn' && e.turn >= from && e.turn <= to);
    const body = renderSummarize(admitted, turns as Parameters<typeof renderSummarize>[1], 1000, this.lookup);
    this.intend(body, 'summarize', null, { from, to, resultCap: 1000 });
    return body;
  }

  private intend(
    body: Uint8Array,
    purpose: RequestIntended['purpose'],
    notices: string | null,
    interval?: RequestIntended['interval'],
  ): void {
    this.#requests += 1;
    this.add({
      type: 'RequestIntended',
      request: this.#requests,
      turn: purpose === 'summarize' ? this.#turn : this.#turn + 1,
      attempt: 1,
      purpose,
      reservation: `r${this.#requests}`,
      key: `run/1/${this.#requests}`,
      grant: { version: 1, leftMs: 1000, bound: 'active' },
      deadlines: { firstContentMs: 1, progressMs: 1, totalMs: 1 },
      digest: toHex(sha256(body)),
      bytes: body.length,
      parts: [],
      content: body.length,
      hard: 400 * 1024,
      notices:
        notices === null
          ? NO_NOTICES
          : {
              ...NO_NOTICES,
              source: 'reminder',
              text: notices,
              included: notices.split('\n').map(() => ({
                type: 'explore-requests',
                kind: 'state' as const,
                subject: 'run',
                stage: 50,
                policyVersion: 1,
              })),
            },
      ...(interval ? { interval } : {}),
      inbox: 0,
    });
    this.log.push({ id: `${this.run}/${this.#requests}`, body });
  }

  /** The answer of the open request, and the results of its calls. */
  answer(text: string, results: readonly string[] = [], main = true, calls: StoredAnswer['calls'] = []): void {
    const answer: StoredAnswer = {
      text,
      calls: results.map((_, i) => calls[i] ?? { id: `c${this.#requests}_${i}`, name: 'read_range', arguments: '{}' }),
    };
    if (main) this.#turn += 1;
    const actions = results.map((_, i) => ({
      action: `${this.#turn}.${i}`,
      tool: 'read_range',
      kind: 'read' as const,
    }));
    this.add({
      type: 'RequestSettled',
      request: this.#requests,
      outcome: 'completed',
      content: true,
      code: null,
      status: 200,
      delivery: 'submitted',
      answer: this.putBytes(encodeAnswer(answer)),
      empty: false,
      finish: 'stop',
      usage: null,
      actions: main ? actions : [],
      ms: { firstContent: 1, total: 2 },
    });
    if (!main) return;
    for (const [i, result] of results.entries()) {
      this.add({
        type: 'ActionSettled',
        action: `${this.#turn}.${i}`,
        outcome: 'ok',
        code: null,
        result: this.put(result),
        title: `result ${i}`,
      });
    }
  }

  fail(outcome: 'failed' | 'unknown' | 'not_sent', status: number | null): void {
    this.add({
      type: 'RequestSettled',
      request: this.#requests,
      outcome,
      content: false,
      code: 'x',
      status,
      delivery: outcome === 'unknown' ? 'uncertain' : 'rejected',
      answer: null,
      empty: false,
      finish: null,
      usage: null,
      actions: [],
      ms: { firstContent: null, total: 1 },
    });
  }

  /** A small run with everything in it: notices, results, a retirement, a summary, a failure, an ending. */
  sample(): this {
    this.send();
    this.answer('I read.', ['{"a":1}\nfirst result', '第二个结果 \u0000 \\u0000']);
    this.send('Explore requests: 20 of 40 used.\nActive time: 30 of 60 min used.');
    this.answer('More.', ['third \ud800 lone']);
    this.add({ type: 'ResultsRetired', reason: 'residency', items: [{ action: '1.0', had: [[0, 20]] }] });
    this.send('Explore requests: 21 of 40 used.');
    this.fail('failed', 429);
    this.send('Explore requests: 21 of 40 used.');
    this.answer('Third turn.', ['x'.repeat(3000)]);
    this.summarize(1, 2);
    const text = 'Notes: the first fund costs 0.35 %.';
    this.answer(text, [], false);
    this.add({
      type: 'SummaryAdopted',
      summary: 1,
      from: 1,
      to: 2,
      request: 5,
      text: this.put(text),
      bytesBefore: 2000,
      bytesAfter: 1000,
    });
    this.send();
    this.answer('The answer.');
    this.add({ type: 'RunEnding', outcome: 'completed', code: 'finished', reason: 'done', closing: null, gaps: [] });
    this.add({ type: 'RunEnded', outcome: 'completed', code: 'finished' });
    return this;
  }
}
