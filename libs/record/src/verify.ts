/**
 * Proof from the stored record and the provider's log alone (E3, R8, C11).
 *
 * 1. The chain is hashed again over the stored bytes; a flipped byte, a gap or a duplicate fails by sequence.
 * 2. Every intended request is rebuilt byte for byte from the facts before it and compared with its digest.
 * 3. Every request in the provider's log is one intended request, and every request that was sent is in the log.
 * 4. Every submitted reminder, and every adopted summary, is found in the bytes that arrived.
 * 5. What the record says twice agrees: sizes, deliveries, reminders by name and by line; nothing is intended, asked for or
 *    ended twice, and nothing that was never sent arrived.
 * 6. Without a log, what could not be checked is said, never passed over.
 */
import { checkAgreement, checkNotices, noticeLines, type ReadFact } from './agreement.js';
import { likeliestArrival, wasAnswered } from './arrivals.js';
import { decodeFact } from './canonical.js';
import { genesisHash, linkHash, toHex, type DigestFunction } from './chain.js';
import type { RecordFact, RequestIntended, RequestSettled, RunAdmitted, TextRef } from './facts.js';
import { textOf, type BodyLookup } from './part-text.js';
import { assemble, rendererOf } from './render.js';
import type { RenderedHead } from './renderer.js';
import { renderSummarize } from './summarize.js';
import { evolveTranscript, newTranscript, partsOf, type Part, type Transcript } from './transcript.js';

export interface StoredRow {
  readonly seq: number;
  readonly epoch: number;
  readonly kind: string;
  readonly body: Uint8Array;
  readonly hash: Uint8Array;
}
/** One request as the provider got it. */
export interface ProviderCall {
  /** `<run>/<request>` as sent in the header; null when the log has none. */
  readonly id: string | null;
  readonly body: Uint8Array;
}
export interface Finding {
  readonly check:
    | 'chain'
    | 'body'
    | 'rebuild'
    | 'missing_request'
    | 'extra_request'
    | 'changed_request'
    | 'reminder'
    | 'summary'
    | 'order';
  readonly where: string;
  readonly what: string;
}
export interface Verification {
  readonly rows: number;
  readonly requests: number;
  readonly rebuilt: number;
  readonly arrived: number | null;
  readonly reminders: number;
  readonly findings: readonly Finding[];
  readonly unchecked: readonly string[];
}

/** Checks one run. `bodies` resolves stored bodies; it returns undefined for an erased one. */
export function verifyRecord(
  run: string,
  rows: readonly StoredRow[],
  bodies: (digest: string) => Uint8Array | undefined,
  log: readonly ProviderCall[] | null,
  sha256: DigestFunction,
): Verification {
  const findings: Finding[] = [];
  const facts = checkChain(run, rows, sha256, findings);
  findings.push(...checkAgreement(facts));
  const checked = new Set<string>();
  const lookup: BodyLookup = (ref: TextRef | undefined) => {
    if (typeof ref?.digest !== 'string') throw new MissingBody('the fact does not name its stored body');
    const bytes = bodies(ref.digest);
    if (!bytes) throw new MissingBody(`stored body ${ref.digest} is missing`);
    if (!checked.has(ref.digest)) {
      if (toHex(sha256(bytes)) !== ref.digest) throw new MissingBody(`stored body ${ref.digest} has other bytes`);
      checked.add(ref.digest);
    }
    if (bytes.length !== ref.bytes)
      throw new MissingBody(`stored body ${ref.digest} has ${bytes.length} bytes, the fact says ${ref.bytes}`);
    return bytes;
  };
  const intents = new Map<
    number,
    { readonly seq: number; readonly intent: RequestIntended; readonly bytes: Uint8Array | null }
  >();
  const settled = new Map<number, RequestSettled>();
  const summaries: { readonly seq: number; readonly text: string }[] = [];
  const floors: number[] = [];
  let rebuilt = 0;
  const t = newTranscript();
  let admitted: RunAdmitted | null = null;
  const heads = new Map<string, RenderedHead>();
  const rendered = new Map<string, Uint8Array>();
  for (const { seq, fact } of facts) {
    if (fact.type === 'RunAdmitted') admitted = fact;
    if (fact.type === 'RequestIntended' && admitted) {
      let bytes: Uint8Array | null = null;
      try {
        bytes = rebuild(admitted, t, fact, lookup, heads, rendered);
        rebuilt += 1;
        const got = toHex(sha256(bytes));
        const find = (what: string): void =>
          void findings.push({ check: 'rebuild', where: `request ${fact.request} (seq ${seq})`, what });
        if (got !== fact.digest) find(`rebuilt bytes have digest ${got}, the intent says ${fact.digest}`);
        if (bytes.length !== fact.bytes) find(`it has ${bytes.length} bytes, the intent says ${fact.bytes}`);
      } catch (error) {
        findings.push({
          check: error instanceof MissingBody ? 'body' : 'rebuild',
          where: `request ${fact.request} (seq ${seq})`,
          what: `it cannot be rebuilt: ${error instanceof Error ? error.message : String(error)}`,
        });
      }
      findings.push(...checkNotices(fact));
      intents.set(fact.request, { seq, intent: fact, bytes });
    }
    if (fact.type === 'RequestSettled') settled.set(fact.request, fact);
    if (fact.type === 'FloorBuilt') floors.push(seq);
    for (const ref of refsIn(fact)) {
      try {
        lookup(ref);
      } catch (error) {
        findings.push({
          check: 'body',
          where: `seq ${seq}`,
          what: error instanceof Error ? error.message : String(error),
        });
      }
    }
    try {
      if (fact.type === 'SummaryAdopted' && findings.every((f) => f.where !== `seq ${seq}`)) {
        summaries.push({ seq, text: JSON.stringify(textOf(fact.text, lookup)).slice(1, -1) });
      }
      evolveTranscript(t, fact);
    } catch (error) {
      findings.push({ check: 'rebuild', where: `seq ${seq}`, what: `the fact cannot be folded: ${String(error)}` });
    }
  }
  const unchecked: string[] = [];
  let reminders = 0;
  if (log === null) {
    unchecked.push('which requests arrived', 'whether the submitted reminders stood in the bytes that arrived');
  } else {
    reminders = checkLog(run, log, intents, settled, summaries, floors, sha256, findings);
  }
  return {
    rows: rows.length,
    requests: intents.size,
    rebuilt,
    arrived: log === null ? null : log.length,
    reminders,
    findings,
    unchecked,
  };
}

class MissingBody extends Error {}

/** Every stored body that a fact names. */
function refsIn(value: unknown): TextRef[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('digest' in value && 'bytes' in value && !('request' in value)) return [value as TextRef];
  return Object.values(value).flatMap(refsIn);
}

function checkChain(run: string, rows: readonly StoredRow[], sha256: DigestFunction, findings: Finding[]): ReadFact[] {
  const facts: ReadFact[] = [];
  let previous = genesisHash(sha256, run);
  let expected = 1;
  for (const row of rows) {
    if (row.seq !== expected) {
      findings.push({
        check: 'order',
        where: `seq ${row.seq}`,
        what: `expected seq ${expected}: a gap or a duplicate`,
      });
    }
    const hash = linkHash(sha256, previous, row);
    if (toHex(hash) !== toHex(row.hash)) {
      findings.push({ check: 'chain', where: `seq ${row.seq}`, what: `the stored bytes do not give the stored hash` });
    }
    previous = row.hash;
    expected = row.seq + 1;
    try {
      facts.push({ seq: row.seq, kind: row.kind, fact: decodeFact<RecordFact>(row.body) });
    } catch (error) {
      findings.push({ check: 'chain', where: `seq ${row.seq}`, what: `the body cannot be read: ${String(error)}` });
    }
  }
  return facts;
}

/** The request's bytes from the facts before its intent. */
export function rebuild(
  admitted: RunAdmitted,
  t: Transcript,
  intent: RequestIntended,
  lookup: BodyLookup,
  heads: Map<string, RenderedHead> = new Map(),
  rendered: Map<string, Uint8Array> = new Map(),
): Uint8Array {
  if (intent.purpose === 'summarize') {
    const interval = intent.interval;
    if (!interval) throw new Error(`request ${intent.request} has no interval`);
    const turns = t.entries.filter((e) => e.kind === 'turn' && e.turn >= interval.from && e.turn <= interval.to);
    return renderSummarize(admitted, turns as Parameters<typeof renderSummarize>[1], interval.resultCap, lookup);
  }
  const renderer = rendererOf(admitted);
  let head = heads.get(intent.purpose);
  if (!head) {
    head = renderer.head(admitted.model, admitted.frames[intent.purpose], lookup);
    heads.set(intent.purpose, head);
  }
  const live = new Set<string>();
  const parts = partsOf(t).map((part: Part) => {
    live.add(part.id);
    let bytes = rendered.get(part.id);
    if (!bytes) {
      bytes = renderer.part(part, lookup);
      rendered.set(part.id, bytes);
    }
    return bytes;
  });
  for (const id of rendered.keys()) if (!live.has(id)) rendered.delete(id);
  const { text } = intent.notices;
  return assemble(renderer, head.bytes, parts, text === null ? null : renderer.notices(text));
}

/** An id that means this run, also one that only looks like it: what was sent bears `<run>/<n>` to the letter. */
const saysThisRun = (id: string | null, run: string): id is string =>
  id !== null && id.trim().toLowerCase().startsWith(run.toLowerCase());

function checkLog(
  run: string,
  log: readonly ProviderCall[],
  intents: ReadonlyMap<number, { readonly seq: number; readonly intent: RequestIntended }>,
  settled: ReadonlyMap<number, RequestSettled>,
  summaries: readonly { readonly seq: number; readonly text: string }[],
  floors: readonly number[],
  sha256: DigestFunction,
  findings: Finding[],
): number {
  let reminders = 0;
  const arrived = new Map<number, Uint8Array>();
  const byId = new Map<string, number>();
  for (const request of intents.keys()) byId.set(`${run}/${request}`, request);
  const byDigest = (digest: string): number | undefined =>
    likeliestArrival(
      [...intents].filter(([, { intent }]) => intent.digest === digest).map(([request]) => request),
      (request) => arrived.has(request),
      (request) => settled.get(request),
    );
  const byName = ({ id }: ProviderCall): number => (saysThisRun(id, run) ? 0 : 1);
  for (const [index, call] of [...log.entries()].sort(([, a], [, b]) => byName(a) - byName(b))) {
    const got = toHex(sha256(call.body));
    const named = saysThisRun(call.id, run) ? byId.get(call.id) : byDigest(got);
    const entry = named === undefined ? undefined : intents.get(named);
    if (named === undefined || !entry) {
      findings.push({
        check: 'extra_request',
        where: `log entry ${index + 1}`,
        what: `no intended request has ${call.id ?? `digest ${got}`}`,
      });
    } else if (arrived.has(named)) {
      findings.push({
        check: 'extra_request',
        where: `log entry ${index + 1}`,
        what: `request ${named} arrived twice`,
      });
    } else {
      arrived.set(named, call.body);
      if (got !== entry.intent.digest) {
        findings.push({
          check: 'changed_request',
          where: `request ${named}`,
          what: `arrived with digest ${got}, the intent says ${entry.intent.digest}`,
        });
      }
    }
  }
  for (const [request, { seq, intent }] of intents) {
    const outcome = settled.get(request);
    const body = arrived.get(request);
    if (!body) {
      if (outcome && wasAnswered(outcome)) {
        findings.push({
          check: 'missing_request',
          where: `request ${request} (seq ${seq})`,
          what: 'it was answered, and the log does not have it',
        });
      }
      continue;
    }
    if (outcome?.outcome === 'not_sent') {
      findings.push({
        check: 'extra_request',
        where: `request ${request} (seq ${seq})`,
        what: 'it arrived, and the record says that none of it was sent',
      });
    }
    if (outcome?.delivery !== 'submitted') continue;
    const text = new TextDecoder().decode(body);
    for (const line of noticeLines(intent)) {
      reminders += 1;
      if (!text.includes(JSON.stringify(line).slice(1, -1))) {
        findings.push({
          check: 'reminder',
          where: `request ${request}`,
          what: `submitted but not in the bytes: ${line}`,
        });
      }
    }
  }
  for (const summary of summaries) {
    // The next floor takes the place of all that stood before it (C17).
    const floor = floors.find((seq) => seq > summary.seq) ?? Infinity;
    for (const [request, { seq, intent }] of intents) {
      const body = arrived.get(request);
      if (!body || seq < summary.seq || seq > floor || intent.purpose === 'summarize') continue;
      if (!new TextDecoder().decode(body).includes(summary.text)) {
        findings.push({
          check: 'summary',
          where: `request ${request}`,
          what: `the summary adopted at seq ${summary.seq} does not stand in it`,
        });
      }
    }
  }
  return reminders;
}
