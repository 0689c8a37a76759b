/**
 * The reviewer's own records, held to what holds for a run's: chained without gap or duplicate, every request that the
 * provider got was intended with these bytes and reserved before, answered once; an ended review gave one verdict.
 */
import { createHash } from 'node:crypto';
import { genesisHash, linkHash, toHex, type ProviderCall } from '@waymark/record';
import type pg from 'pg';
import type { Violation } from './violation.js';
import { factIn } from './stored-fact.js';

interface ReviewRow {
  readonly id: string;
  readonly run_id: string;
  readonly review: string;
  readonly state: string;
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

/** `reserved`: whether budget granted this reservation of a run to a review. Of `calls` only those of reviews are looked at. */
export async function checkReviews(
  db: pg.Client,
  runs: readonly string[],
  calls: readonly ProviderCall[],
  reserved: (run: string, reservation: string) => boolean,
  violations: Violation[],
): Promise<void> {
  const { rows: reviews } = await db.query<ReviewRow>(
    'select id, run_id::text, review, state from review where run_id::text = any($1) order by id',
    [runs],
  );
  const intended = new Map<string, string>();
  for (const review of reviews) {
    const requests = await checkRecord(db, review, reserved, violations);
    for (const [id, digest] of requests) intended.set(id, digest);
  }
  const known = new Set(runs);
  const arrived = new Set<string>();
  for (const { id, body } of calls) {
    const run = id?.split('.')[0] ?? '';
    if (id === null || run === id || !known.has(run)) continue;
    const bad = (what: string) => violations.push({ invariant: 'every call was reserved', run, what: `${id} ${what}` });
    const digest = intended.get(id);
    if (digest === undefined) bad('was never intended');
    else if (digest !== toHex(sha256(body))) bad('arrived with other bytes than intended');
    if (arrived.has(id)) bad('arrived twice');
    arrived.add(id);
  }
}

/** The review's requests: id as sent → digest of the bytes. */
async function checkRecord(
  db: pg.Client,
  { id, run_id: run, review, state }: ReviewRow,
  reserved: (run: string, reservation: string) => boolean,
  violations: Violation[],
): Promise<Map<string, string>> {
  const bad = (invariant: string, what: string) =>
    violations.push({ invariant, run, what: `review ${review}: ${what}` });
  const { rows } = await db.query<{ seq: number; epoch: number; kind: string; body: Buffer; hash: Buffer }>(
    'select seq, epoch, kind, body, hash from review_record where id = $1 order by seq',
    [id],
  );
  const requests = new Map<string, string>();
  const answered = new Map<number, number>();
  let verdicts = 0;
  let head = genesisHash(sha256, id);
  let epoch = 0;
  for (const [i, row] of rows.entries()) {
    if (row.seq !== i + 1) bad('record: chain', `row ${i + 1} has sequence ${row.seq}`);
    head = linkHash(sha256, head, row);
    if (toHex(head) !== toHex(row.hash)) bad('record: chain', `sequence ${row.seq} does not follow`);
    if (row.epoch < epoch) bad('epochs grow', `sequence ${row.seq} has epoch ${row.epoch} after ${epoch}`);
    epoch = row.epoch;
    const fact = factIn(row.body);
    if (fact.type === 'ReviewRequested') {
      requests.set(`${review}/${row.epoch}/${fact.request ?? 0}`, fact.body?.digest ?? '');
      if (!reserved(run, fact.reservation ?? ''))
        bad('every call was reserved', `reservation ${fact.reservation ?? 'none'} was never granted to a review`);
    }
    if (fact.type === 'ReviewAnswered') {
      const request = fact.request ?? 0;
      answered.set(request, (answered.get(request) ?? 0) + 1);
      if (answered.get(request) === 2) bad('settled once', `request ${request} answered twice`);
    }
    if (fact.type === 'VerdictGiven') verdicts += 1;
  }
  if (verdicts > 1 || (state === 'ended' && verdicts === 0))
    bad('one verdict a review', `${state} with ${verdicts} verdicts`);
  return requests;
}
