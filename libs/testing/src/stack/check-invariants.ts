/**
 * The invariants, from the databases and the provider's log alone; nothing of the services is asked or reused.
 *
 * 1. Counts: used + reserved + unknown never exceed a limit. 2. Every provider call was covered by an earlier reservation.
 * 3. One settlement a reservation, none left open. 4. Record without gap or duplicate, chained; every request rebuilt; what
 * is recorded as submitted stands in the bytes that the provider got. 5. One version a publication key, versions without
 * gap. 6. Every run is ended, ending, leased, parked with a durable wake-up, or runnable. 7. Outboxes drain.
 * 8. Exactly one end a run, and a closed report beside it that says the same. 9. Reviews are held to 2, 3 and 4 as well.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { verifyRecord, type ProviderCall } from '@waymark/record';
import type pg from 'pg';
import { withClient } from '../postgres.js';
import { checkReport } from './check-report.js';
import { checkReviews } from './check-reviews.js';
import { factIn } from './stored-fact.js';
import type { Stack, StackService } from './start-stack.js';
import type { RunRow, Violation } from './violation.js';

export interface InvariantReport {
  readonly runs: number;
  readonly requests: number;
  readonly arrived: number;
  /** Requests of runs that are settled as `unknown`. */
  readonly unknown: number;
  readonly violations: readonly Violation[];
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** Services whose databases hold what is checked. */
const CHECKED = ['budget', 'publication', 'runtime', 'reviewer'] as const satisfies readonly StackService[];
type Clients = Readonly<Record<(typeof CHECKED)[number], pg.Client>>;

/** Of all runs, or of `only` these; the outboxes are everybody's. */
export async function checkInvariants(
  databases: Stack['databases'],
  logFile: string,
  only: readonly string[] | null = null,
): Promise<InvariantReport> {
  return await connected(databases, async (db) => {
    const violations: Violation[] = [];
    const runs = await checkRuns(db.runtime, only, violations);
    for (const run of only ?? [])
      if (!runs.some(({ id }) => id === run)) violations.push({ invariant: 'known run', run, what: 'it has no row' });
    const log = readProviderLog(logFile);
    const known = new Set(runs.map(({ id }) => id));
    if (only === null) checkOwners(log, known, violations);
    const ledgers = new Map<string, Ledger>();
    let requests = 0;
    let arrived = 0;
    let unknown = 0;
    for (const run of runs) {
      const calls = log.filter((call) => call.id?.startsWith(`${run.id}/`) === true);
      arrived += calls.length;
      // A run that goes on writes record and log while we read: its calls are compared when it has ended.
      const record = await checkRecord(db.runtime, run, run.state === 'ended' ? calls : null, violations);
      requests += record.intents.length;
      unknown += record.unknown;
      const ledger = await readLedger(db.budget, run.id);
      ledgers.set(run.id, ledger);
      checkLedger(run, ledger, record.intents, violations);
      await checkReport(db.publication, run, violations);
    }
    const reserved = (run: string, reservation: string) =>
      ledgers.get(run)?.grants.get(reservation)?.purpose === 'review';
    await checkReviews(db.reviewer, [...known], log, reserved, violations);
    for (const service of CHECKED) {
      const left = await outboxRows(db[service]);
      if (left > 0) violations.push({ invariant: 'outbox drains', run: service, what: `${left} rows left` });
    }
    return { runs: runs.length, requests, arrived, unknown, violations };
  });
}

/** One connection a database for all runs: connecting anew for each took longer than the checks. */
async function connected<T>(databases: Stack['databases'], work: (db: Clients) => Promise<T>): Promise<T> {
  const open = async (left: readonly (keyof Clients)[], db: Partial<Clients>): Promise<T> => {
    const [service, ...rest] = left;
    if (service === undefined) return await work(db as Clients);
    return await withClient(databases[service], async (client) => await open(rest, { ...db, [service]: client }));
  };
  return await open(CHECKED, {});
}

async function outboxRows(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ there: string | null }>(`select to_regclass('outbox')::text as there`);
  if (rows[0]?.there === null) return 0;
  return Number((await db.query<{ n: string }>('select count(*) as n from outbox')).rows[0]?.n ?? 0);
}

/** Requests as the provider's log has them; reviews have ids of their own kind and belong to no runtime record. */
export function readProviderLog(logFile: string): ProviderCall[] {
  return readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { kind?: string; id?: string | null; bytesBase64?: string })
    .filter((entry) => entry.kind === 'arrived' && entry.bytesBase64 !== undefined)
    .map((entry) => ({ id: entry.id ?? null, body: Buffer.from(entry.bytesBase64 ?? '', 'base64') }));
}

/** Of the provider's whole log: every request is a known run's, or one of its reviews'. */
function checkOwners(log: readonly ProviderCall[], known: ReadonlySet<string>, violations: Violation[]): void {
  for (const { id } of log) {
    const run = id?.split(/[./]/)[0] ?? '';
    if (!known.has(run))
      violations.push({
        invariant: 'every call was reserved',
        run,
        what: `${id ?? 'a request without id'} is of no run`,
      });
  }
}

async function checkRuns(db: pg.Client, only: readonly string[] | null, violations: Violation[]): Promise<RunRow[]> {
  const { rows } = await db.query<RunRow & { leased: boolean; wake: boolean; age: number }>(
    `select r.id::text, r.state, view->>'outcome' as outcome, view->>'code' as code, lease_until > clock_timestamp() as leased, wake_at is not null as wake,
      (select count(*)::int from execution_record e where e.id = r.id and e.kind = 'RunEnded') as ends from run r
     where $1::text[] is null or r.id::text = any($1) order by r.id`,
    [only],
  );
  for (const run of rows) {
    if (run.state === 'parked' && !run.wake)
      violations.push({ invariant: 'parked with a wake-up', run: run.id, what: 'no wake_at' });
    if (run.ends !== (run.state === 'ended' ? 1 : 0)) {
      violations.push({ invariant: 'exactly one end', run: run.id, what: `${run.state} with ${run.ends} ends` });
    }
  }
  return rows;
}

interface Intent {
  readonly request: number;
  readonly reservation: string;
}

async function checkRecord(
  db: pg.Client,
  { id: run, ...row }: RunRow,
  calls: readonly ProviderCall[] | null,
  violations: Violation[],
): Promise<{ readonly intents: Intent[]; readonly unknown: number }> {
  const { rows } = await db.query<{ seq: number; epoch: number; kind: string; body: Buffer; hash: Buffer }>(
    'select seq, epoch, kind, body, hash from execution_record where id = $1 order by seq',
    [run],
  );
  const bodies = new Map<string, Buffer>();
  const stored = await db.query<{ digest: Buffer; body: Buffer }>(
    'select digest, body from result_body where id = $1',
    [run],
  );
  for (const row of stored.rows) bodies.set(row.digest.toString('hex'), row.body);
  const proof = verifyRecord(run, rows, (digest) => bodies.get(digest), calls, sha256);
  for (const f of proof.findings)
    violations.push({ invariant: `record: ${f.check}`, run, what: `${f.where}: ${f.what}` });
  let epoch = 0;
  const seen = new Set<string>();
  const intents: Intent[] = [];
  const ends: string[] = [];
  let unknown = 0;
  for (const { seq, epoch: now, body } of rows) {
    if (now < epoch)
      violations.push({ invariant: 'epochs grow', run, what: `seq ${seq} has epoch ${now} after ${epoch}` });
    epoch = now;
    const fact = factIn(body);
    const key =
      fact.type === 'ActionSettled'
        ? `action ${fact.action ?? ''}`
        : fact.type === 'RequestSettled'
          ? `request ${fact.request ?? 0}`
          : null;
    if (key !== null) {
      if (seen.has(key)) violations.push({ invariant: 'settled once', run, what: `${key} twice` });
      seen.add(key);
    }
    if (fact.type === 'RequestIntended')
      intents.push({ request: fact.request ?? 0, reservation: fact.reservation ?? '' });
    if (fact.type === 'RequestSettled' && fact.outcome === 'unknown') unknown += 1;
    if (fact.type === 'RunEnding' || fact.type === 'RunEnded')
      ends.push(`${fact.type} ${fact.outcome ?? 'none'}: ${fact.code ?? 'none'}`);
  }
  const own = `${row.outcome ?? 'none'}: ${row.code ?? 'none'}`;
  const due = row.state === 'ended' ? ['RunEnding', 'RunEnded'] : row.state === 'ending' ? ['RunEnding'] : [];
  if (ends.join(', ') !== due.map((type) => `${type} ${own}`).join(', '))
    violations.push({
      invariant: 'exactly one end',
      run,
      what: `${row.state} as ${own} with ${ends.join(', ') || 'no end'}`,
    });
  return { intents, unknown };
}

interface Ledger {
  readonly limits: {
    readonly exploreRequests: number;
    readonly finishRequests: number;
    readonly physicalRequests: number;
  } | null;
  readonly grants: Map<string, { readonly purpose: string }>;
  readonly settled: Map<string, { readonly outcome: string; readonly content: boolean }>;
  readonly twice: readonly string[];
  /** Places where its facts do not follow each other. */
  readonly gaps: readonly string[];
  readonly closed: boolean;
}

/** The stored facts of budget, one row a command: [format, at, ...facts]; see that service's fact codec. */
async function readLedger(db: pg.Client, run: string): Promise<Ledger> {
  const { rows } = await db.query<{ seq: number; body: Buffer }>(
    'select seq, body from fact where run_id = $1 order by seq',
    [run],
  );
  let limits: Ledger['limits'] = null;
  const grants: Ledger['grants'] = new Map();
  const settled: Ledger['settled'] = new Map();
  const twice: string[] = [];
  const gaps: string[] = [];
  let last = 0;
  let closed = false;
  for (const row of rows) {
    const [, , ...facts] = JSON.parse(row.body.toString('utf8')) as [number, number, ...unknown[][]];
    if (row.seq - facts.length !== last) gaps.push(`${facts.length} facts up to ${row.seq} after ${last}`);
    last = row.seq;
    for (const [i, fact] of facts.entries()) {
      const seq = row.seq - facts.length + 1 + i;
      if (fact[0] === 'o') limits = fact[1] as Ledger['limits'];
      if (fact[0] === 'g') grants.set(seq.toString(36), { purpose: String(fact[2]) });
      if (fact[0] === 's') {
        const reservation = String(fact[1]);
        if (settled.has(reservation)) twice.push(reservation);
        settled.set(reservation, { outcome: String(fact[2]), content: fact[3] === 1 });
      }
      if (fact[0] === 'c') closed = true;
    }
  }
  return { limits, grants, settled, twice, gaps, closed };
}

function checkLedger(run: RunRow, ledger: Ledger, intents: readonly Intent[], violations: Violation[]): void {
  const bad = (invariant: string, what: string) => violations.push({ invariant, run: run.id, what });
  for (const gap of ledger.gaps) bad('facts without gap', `budget: ${gap}`);
  for (const reservation of ledger.twice) bad('one settlement a reservation', `${reservation} settled twice`);
  for (const { request, reservation } of intents) {
    if (!ledger.grants.has(reservation))
      bad('every call was reserved', `request ${request} names reservation ${reservation}, which budget never granted`);
  }
  const byReservation = new Set(intents.map((i) => i.reservation));
  if (byReservation.size !== intents.length) bad('every call was reserved', 'two requests share a reservation');
  const { limits } = ledger;
  if (limits) {
    let physical = 0;
    let explore = 0;
    let finish = 0;
    for (const [reservation, { purpose }] of ledger.grants) {
      const end = ledger.settled.get(reservation);
      if (end?.outcome === 'not_sent') continue;
      physical += 1;
      const givenBack = end?.outcome === 'failed' && !end.content;
      if (purpose === 'explore' && !givenBack) explore += 1;
      if (purpose === 'finish' && !givenBack) finish += 1;
    }
    if (physical > limits.physicalRequests)
      bad('no count over its limit', `physical ${physical} of ${limits.physicalRequests}`);
    if (explore > limits.exploreRequests)
      bad('no count over its limit', `explore ${explore} of ${limits.exploreRequests}`);
    if (finish > limits.finishRequests) bad('no count over its limit', `finish ${finish} of ${limits.finishRequests}`);
  }
  if (run.state !== 'ended') return;
  if (!ledger.closed) bad('closed at the end', 'the budget of an ended run is open');
  for (const [reservation, { purpose }] of ledger.grants) {
    if (purpose !== 'review' && !ledger.settled.has(reservation))
      bad('settled at the end', `${reservation} (${purpose}) is open`);
  }
}
