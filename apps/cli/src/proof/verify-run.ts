/**
 * Proof of one run from its stored record and the provider's log alone (E3). `@waymark/record` proves the record and the
 * run's own requests; here stand the end of the record, the log's own lines and the requests of reviews.
 */
import type { WaymarkEvent } from '@waymark/contracts/wire';
import {
  likeliestArrival,
  verifyRecord,
  wasAnswered,
  type RequestIntended,
  type RequestSettled,
  type StoredRow,
} from '@waymark/record';
import type { ProofFinding } from './finding.js';
import type { LogEntry, ProviderLog } from './provider-log.js';
import { ownRequest, reviewRequest } from './request-ids.js';
import { readableFacts, sha256, type StoredRun } from './stored-run.js';

export interface Proof {
  readonly run: string;
  /** Facts in the record, requests that it intends, those rebuilt byte for byte, those that arrived. */
  readonly facts: number;
  readonly requests: number;
  readonly rebuilt: number;
  readonly arrived: number | null;
  /** Requests of reviews that were compared by digest. */
  readonly reviewRequests: number | null;
  /** Submitted reminders that were looked for in the bytes that arrived. */
  readonly reminders: number;
  readonly findings: readonly ProofFinding[];
  /** What nothing is known to be wrong with, and could not be checked. */
  readonly unchecked: readonly string[];
}

export function verifyRun(stored: StoredRun, log: ProviderLog | null): Proof {
  const findings: ProofFinding[] = [...(log?.findings ?? []), ...checkHead(stored)];
  const unchecked: string[] = [];
  if (stored.state !== 'ended') unchecked.push(`what comes after fact ${stored.head}: the run is ${stored.state}`);
  const intents = intentsOf(stored.rows);
  const reviews = stored.reviews === null ? null : requestsOfReviews(stored.reviews);
  const own = log ? ownEntries(stored, log, intents) : null;
  if (log) {
    noteForeign(log, intents, reviews, unchecked);
    findings.push(...misspelled(stored.run, log));
  }
  if (own && log) findings.push(...checkOwnLines(own, log, stored.state));
  const bodies = own?.every(({ body }) => body !== null) ?? false;
  if (own && !bodies) {
    unchecked.push('whether the bytes that arrived hold the submitted reminders: the log keeps digests only');
    findings.push(...compareDigests(own, stored, intents));
  }
  const calls = own && bodies ? own.map(({ id, body }) => ({ id, body: body ?? new Uint8Array() })) : null;
  const result = verifyRecord(stored.run, stored.rows, (digest) => stored.bodies.get(digest), calls, sha256);
  findings.push(...result.findings);
  if (!own) unchecked.push(...result.unchecked);
  const reviewRequests = log ? checkReviews(stored, log, reviews, findings, unchecked) : null;
  if (!log && readableFacts(stored.rows).some(({ fact }) => fact.type === 'ReviewDispatched')) {
    unchecked.push('which requests of reviews arrived');
  }
  return {
    run: stored.run,
    facts: result.rows,
    requests: result.requests,
    rebuilt: result.rebuilt,
    arrived: own?.length ?? null,
    reviewRequests,
    reminders: result.reminders,
    findings,
    unchecked,
  };
}

/** 0: all checked and right; 1: something is wrong; 3: nothing is wrong, but not everything could be checked. */
export const exitCodeOf = ({ findings, unchecked }: Proof): 0 | 1 | 3 =>
  findings.length > 0 ? 1 : unchecked.length > 0 ? 3 : 0;

/** A log says of all requests the same: their bytes or their digests, and of an ended run's how each was answered. */
function checkOwnLines(own: readonly LogEntry[], { answered }: ProviderLog, state: string): ProofFinding[] {
  const withBytes = own.some(({ body }) => body !== null);
  return own.flatMap(({ where, body, n }): ProofFinding[] => [
    ...(withBytes && body === null
      ? [{ check: 'log', where, what: 'it keeps no bytes, and other lines do' } as const]
      : []),
    ...(state === 'ended' && answered !== null && n !== null && !answered.has(n)
      ? [{ check: 'log', where, what: 'the log does not say how it was answered' } as const]
      : []),
  ]);
}

/** A chain proves what stands in it, not where it should end. */
function checkHead({ rows, head, state }: StoredRun): ProofFinding[] {
  const last = rows.at(-1)?.seq ?? 0;
  if (last < head)
    return [{ check: 'order', where: `seq ${last}`, what: `the record ends here, and the run's head is ${head}` }];
  const end = readableFacts(rows.slice(-1))[0]?.fact.type;
  if (state === 'ended' && end !== 'RunEnded')
    return [{ check: 'order', where: `seq ${last}`, what: 'the run has ended, and the record does not' }];
  return [];
}

function intentsOf(rows: readonly StoredRow[]): Map<number, RequestIntended> {
  const intents = new Map<number, RequestIntended>();
  for (const { fact } of readableFacts(rows)) if (fact.type === 'RequestIntended') intents.set(fact.request, fact);
  return intents;
}

/** Entries of the run itself: by id, or by digest where the log has no id. */
function ownEntries(
  { run, state }: StoredRun,
  log: ProviderLog,
  intents: ReadonlyMap<number, RequestIntended>,
): LogEntry[] {
  const digests = new Set([...intents.values()].map(({ digest }) => digest));
  const last = Math.max(0, ...intents.keys());
  return log.entries.filter(({ id, sha256: digest }) => {
    if (id === null) return digests.has(digest);
    const request = ownRequest(run, id);
    // While a run goes on, its log is younger than the record that we have.
    return request !== null && (state === 'ended' || request <= last);
  });
}

/** An id that names the run and is none that we send: nobody intended that request. */
function misspelled(run: string, log: ProviderLog): ProofFinding[] {
  return log.entries.flatMap(({ id, where }) => {
    if (id === null || ownRequest(run, id) !== null || reviewRequest(run, id) !== null) return [];
    const what = `no request of this run is sent under the id ${JSON.stringify(id)}`;
    return [{ check: 'extra_request', where, what } as const];
  });
}

/** A request without an id and with nobody's digest may be another run's, or one of this run's that was changed. */
function noteForeign(
  log: ProviderLog,
  intents: ReadonlyMap<number, RequestIntended>,
  reviews: ReviewRequests | null,
  unchecked: string[],
): void {
  const known = new Set([...intents.values(), ...(reviews?.values() ?? [])].map(({ digest }) => digest));
  const foreign = log.entries.filter(({ id, sha256: digest }) => id === null && !known.has(digest)).length;
  if (foreign > 0) {
    unchecked.push(`whose ${foreign} requests in the log are that bear no id and have no digest of this run`);
  }
}

/** With digests alone the same questions have answers, but for what stands in the bytes. */
function compareDigests(
  own: readonly LogEntry[],
  stored: StoredRun,
  intents: ReadonlyMap<number, RequestIntended>,
): ProofFinding[] {
  const findings: ProofFinding[] = [];
  const arrived = new Set<number>();
  const settled = new Map<number, RequestSettled>();
  for (const { fact } of readableFacts(stored.rows))
    if (fact.type === 'RequestSettled') settled.set(fact.request, fact);
  const byDigest = (digest: string): number | undefined =>
    likeliestArrival(
      [...intents.values()].filter((intent) => intent.digest === digest).map(({ request }) => request),
      (request) => arrived.has(request),
      (request) => settled.get(request),
    );
  for (const { id, sha256: digest, where } of namedFirst(own)) {
    const request = id === null ? byDigest(digest) : ownRequest(stored.run, id);
    const intent = intents.get(request ?? 0);
    if (!intent) findings.push({ check: 'extra_request', where, what: `no intended request has ${id ?? digest}` });
    else if (arrived.has(intent.request)) {
      findings.push({ check: 'extra_request', where, what: `request ${intent.request} arrived twice` });
    } else if (intent.digest !== digest) {
      const what = `arrived with digest ${digest}, the intent says ${intent.digest}`;
      findings.push({ check: 'changed_request', where: `request ${intent.request}`, what });
    }
    if (intent) arrived.add(intent.request);
  }
  for (const fact of settled.values()) {
    if (arrived.has(fact.request)) {
      const what = 'it arrived, and the record says that none of it was sent';
      if (fact.outcome === 'not_sent')
        findings.push({ check: 'extra_request', where: `request ${fact.request}`, what });
      continue;
    }
    if (!wasAnswered(fact)) continue;
    const what = 'it was answered, and the log does not have it';
    findings.push({ check: 'missing_request', where: `request ${fact.request}`, what });
  }
  return findings;
}

/** What bears an id is told apart by it; what bears none is one of those that are left. */
const namedFirst = (entries: readonly LogEntry[]): LogEntry[] => [
  ...entries.filter(({ id }) => id !== null),
  ...entries.filter(({ id }) => id === null),
];

interface ReviewRequest {
  readonly where: string;
  readonly digest: string;
  settled: Pick<RequestSettled, 'outcome' | 'content' | 'status'> | undefined;
  arrived: boolean;
}
/** By `<review>/<request>`. */
type ReviewRequests = ReadonlyMap<string, ReviewRequest>;

/** Requests of reviews: the reviewer's events name each by digest; the log must hold those and no others. */
function checkReviews(
  { run, state }: StoredRun,
  log: ProviderLog,
  wanted: ReviewRequests | null,
  findings: ProofFinding[],
  unchecked: string[],
): number | null {
  const named = log.entries.filter(({ id }) => id !== null && reviewRequest(run, id) !== null);
  if (wanted === null) {
    if (named.length > 0) unchecked.push(`${named.length} requests of reviews: the reviewer could not be asked`);
    return null;
  }
  const digests = new Set([...wanted.values()].map(({ digest }) => digest));
  const byDigest = (digest: string): string | undefined =>
    likeliestArrival(
      [...wanted].filter(([, one]) => one.digest === digest).map(([key]) => key),
      (key) => wanted.get(key)?.arrived === true,
      (key) => wanted.get(key)?.settled,
    );
  const nameless = log.entries.filter(({ id, sha256: digest }) => id === null && digests.has(digest));
  for (const { id, sha256: digest, where } of [...named, ...nameless]) {
    const found = wanted.get((id === null ? byDigest(digest) : reviewRequest(run, id)) ?? '');
    if (!found || found.arrived) {
      if (state !== 'ended') continue; // the log is younger than the events that we have
      findings.push({ check: 'extra_request', where, what: `no intended review request has ${id ?? digest}` });
      continue;
    }
    found.arrived = true;
    if (found.digest === digest) continue;
    const what = `arrived with digest ${digest}, the reviewer says ${found.digest}`;
    findings.push({ check: 'changed_request', where: found.where, what });
  }
  for (const { where, settled, arrived } of wanted.values()) {
    const what = 'it was answered, and the log does not have it';
    if (settled && wasAnswered(settled) && !arrived) findings.push({ check: 'missing_request', where, what });
  }
  return named.length + nameless.length;
}

function requestsOfReviews(events: readonly WaymarkEvent[]): ReviewRequests {
  const wanted = new Map<string, ReviewRequest>();
  for (const { type, data } of events) {
    const key = `${String(data['review'])}/${String(data['request'])}`;
    if (type.endsWith('.ReviewRequested')) {
      const where = `review request ${key}`;
      wanted.set(key, { where, digest: String(data['digest']), settled: undefined, arrived: false });
    }
    const known = wanted.get(key);
    if (!known || !type.endsWith('.ReviewAnswered')) continue;
    const { outcome, content, status } = data as unknown as Pick<RequestSettled, 'outcome' | 'content' | 'status'>;
    known.settled = { outcome, content: content === true, status };
  }
  return wanted;
}
