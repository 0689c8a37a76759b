/**
 * The invariants' checker itself: one sound run with a review, every service gone, and then one wrong row or line at a
 * time. What finds nothing wrong here could not be trusted after a bad day.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { withClient } from '@waymark/testing';
import { checkInvariants, type StackService, type Violation } from '@waymark/testing/stack';
import { verdictsAreKnown } from './verdict-gate.js';
import { WholeSystem } from './whole-system.js';

let whole: WholeSystem;
let run: string;

beforeAll(async () => {
  whole = await WholeSystem.start();
  const database = new pg.Pool({ connectionString: whole.stack.databases.runtime, max: 2 });
  whole.gateway.ready = async (id) => await verdictsAreKnown(database, id.split('/')[0] ?? '', 60_000);
  run = await whole.begin({ review: true, reviewEveryExploreRequests: 3 });
  await whole.ended(run, 60_000);
  await database.end();
  expect(await whole.violations()).toEqual([]);
  // Nobody mends, relays or reads what is planted.
  for (const name of [...whole.stack.processes.keys()]) await whole.kill(name);
}, 240_000);

afterAll(async () => {
  await whole?.stop();
}, 30_000);

const named = (violations: readonly Violation[]) => [...new Set(violations.map(({ invariant }) => invariant))];
const check = async (log = whole.log) => named((await checkInvariants(whole.stack.databases, log)).violations);

/** What is found with the table changed by `sql` (parameter 1 is the run), which is as before afterwards. */
async function planted(service: StackService, table: string, sql: string): Promise<string[]> {
  const url = whole.stack.databases[service];
  await withClient(url, async (db) => await db.query(`create table kept as select * from ${table}`));
  try {
    const changed = await withClient(url, async (db) => await db.query(sql, [run]));
    expect(changed.rowCount).toBeGreaterThan(0);
    return await check();
  } finally {
    await withClient(url, async (db) => {
      await db.query(`truncate ${table}`);
      await db.query(`insert into ${table} select * from kept`);
      await db.query('drop table kept');
    });
  }
}

const RECORD = 'insert into execution_record (id, seq, epoch, kind, body, hash)';
/** Facts of budget as it stores them, after all others. */
const budgetFacts = (...facts: unknown[][]) =>
  `insert into fact (run_id, seq, body) select run_id, max(seq) + ${facts.length},
     convert_to('${JSON.stringify([1, 0, ...facts])}', 'UTF8') from fact where run_id = $1 group by run_id`;
const inBudget = (from: string, to: string) =>
  `update fact set body = convert_to(replace(convert_from(body, 'UTF8'), '${from}', '${to}'), 'UTF8')
   where run_id = $1 and convert_from(body, 'UTF8') like '%${from}%'`;

describe('a run and its record', () => {
  it.each([
    ['L3: a gap', 'execution_record', 'delete from execution_record where id = $1 and seq = 3', 'record: chain'],
    [
      'L3: a flipped byte',
      'execution_record',
      'update execution_record set body = set_byte(body, 9, get_byte(body, 9) # 1) where id = $1 and seq = 2',
      'record: chain',
    ],
    [
      'E3: a body with other bytes',
      'result_body',
      `update result_body set body = body || 'x'::bytea where id = $1`,
      'record: body',
    ],
    [
      'L2: an older owner after a newer one',
      'execution_record',
      'update execution_record set epoch = 9 where id = $1 and seq = 2',
      'epochs grow',
    ],
    [
      'L5: an action settled twice',
      'execution_record',
      `${RECORD} select id, 100000 + seq, epoch, kind, body, hash from execution_record
       where id = $1 and kind = 'ActionSettled'`,
      'settled once',
    ],
    [
      'L1: two ends',
      'execution_record',
      `${RECORD} select id, seq + 1, epoch, kind, body, hash from execution_record where id = $1 and kind = 'RunEnded'`,
      'exactly one end',
    ],
    [
      'L10: an end that never began',
      'execution_record',
      `delete from execution_record where id = $1 and kind = 'RunEnding'`,
      'exactly one end',
    ],
    [
      'L10: another outcome than was decided',
      'run',
      `update run set view = view || '{"outcome":"failed"}' where id = $1`,
      'exactly one end',
    ],
    [
      'L1: parked for ever',
      'run',
      `update run set state = 'parked', wake_at = null where id = $1`,
      'parked with a wake-up',
    ],
  ])('%s is named', async (_what, table, sql, invariant) => {
    expect(await planted('runtime', table, sql)).toContain(invariant);
  });

  it('a run that is asked for and not there is named', async () => {
    const other = '01890000-0000-7000-8000-000000000000';
    expect(named((await checkInvariants(whole.stack.databases, whole.log, [other])).violations)).toEqual(['known run']);
  });
});

describe('a budget', () => {
  it.each([
    ['B2: a request that nobody was granted', inBudget('["g","run/1/', '["x","run/1/'), 'every call was reserved'],
    ['B2: a review that nobody was granted', inBudget('"review",', '"explore",'), 'every call was reserved'],
    [
      'B3: a reservation settled twice',
      budgetFacts(['s', 'zz', 'completed', 1], ['s', 'zz', 'failed', 1]),
      'one settlement a reservation',
    ],
    [
      'B11: a count over its limit',
      inBudget('"exploreRequests":', '"exploreRequests":0,"was":'),
      'no count over its limit',
    ],
    ['B12: a fact that is missing', 'delete from fact where run_id = $1 and seq > 3 and seq < 9', 'facts without gap'],
    ['B15: never closed', inBudget('["c",', '["x",'), 'closed at the end'],
    ['B15: a reservation left open', budgetFacts(['g', 'run/1/z', 'explore', 1, 'wall']), 'settled at the end'],
  ])('%s is named', async (_what, sql, invariant) => {
    expect(await planted('budget', 'fact', sql)).toContain(invariant);
  });
});

describe('a report', () => {
  it.each([
    ['P7: left open', 'report', 'update report set closed = false where run_id = $1', 'a report at the end'],
    ['P7: missing', 'report', 'delete from report where run_id = $1', 'a report at the end'],
    [
      'L10: with another outcome',
      'report',
      `update report set outcome = 'failed' where run_id = $1`,
      'report and run agree',
    ],
    [
      'P2: a version that is missing',
      'block_version',
      'update block_version set version = version + 100 where run_id = $1',
      'versions without gap',
    ],
    [
      'P3: more revisions than were allowed',
      'block_version',
      `insert into block_version select b.run_id, b.block, b.version + n, b.seq, b.at, b.content
       from block_version b, generate_series(1, 50) n where b.run_id = $1 and b.version = 1
       on conflict do nothing`,
      'revisions within their quota',
    ],
    [
      'P5: a version that no key made',
      'keyed_write',
      `delete from keyed_write where run_id = $1 and version is not null`,
      'one version a key',
    ],
    ['L14: a fact that is missing', 'fact', 'delete from fact where run_id = $1 and seq = 2', 'facts without gap'],
  ])('%s is named', async (_what, table, sql, invariant) => {
    expect(await planted('publication', table, sql)).toContain(invariant);
  });
});

describe('a review', () => {
  const OF_RUN = `id like $1 || '/%'`;
  it.each([
    ['L3: a gap in its record', `delete from review_record where ${OF_RUN} and seq = 2`, 'record: chain'],
    [
      'V2: an end without a verdict',
      `delete from review_record where ${OF_RUN} and kind = 'VerdictGiven'`,
      'one verdict a review',
    ],
    [
      'L5: a request answered twice',
      `insert into review_record (id, seq, epoch, kind, body, hash) select id, 1000 + seq, epoch, kind, body, hash
       from review_record where ${OF_RUN} and kind = 'ReviewAnswered'`,
      'settled once',
    ],
    [
      'L4: a request that was never intended',
      `delete from review_record where ${OF_RUN} and kind = 'ReviewRequested'`,
      'every call was reserved',
    ],
    [
      'L2: an older owner after a newer one',
      `update review_record set epoch = 9 where ${OF_RUN} and seq = 1`,
      'epochs grow',
    ],
  ])('%s is named', async (_what, sql, invariant) => {
    expect(await planted('reviewer', 'review_record', sql)).toContain(invariant);
  });
});

describe('the provider’s log', () => {
  const lines = () => readFileSync(whole.log, 'utf8').trimEnd().split('\n');
  const isArrival = (line: string, start: string) =>
    line.includes('"kind":"arrived"') && line.includes(`"id":"${start}`);
  const checkLog = async (changed: readonly string[]) => {
    const path = join(whole.folder, 'planted.log');
    writeFileSync(path, `${changed.join('\n')}\n`);
    return await check(path);
  };

  it('L4: a request that arrived and was never intended is named, and one that arrived twice', async () => {
    const first = lines().find((line) => isArrival(line, `${run}/1"`)) ?? '';
    expect(await checkLog([...lines(), first.replace(`${run}/1"`, `${run}/999"`)])).toEqual(['record: extra_request']);
    expect(await checkLog([...lines(), first])).toEqual(['record: extra_request']);
  });

  it('E3: one that was answered and never arrived, and one that arrived with other bytes, are named', async () => {
    const first = lines().find((line) => isArrival(line, `${run}/1"`)) ?? '';
    expect(await checkLog(lines().filter((line) => line !== first))).toContain('record: missing_request');
    const other = first.replace(/"bytesBase64":"[^"]*"/, '"bytesBase64":"e30="');
    expect(await checkLog(lines().map((line) => (line === first ? other : line)))).toContain('record: changed_request');
  });

  it('B2: a request of nobody is named, and a review’s that was never intended, twice or with other bytes', async () => {
    const review = lines().find((line) => isArrival(line, `${run}.1/`)) ?? '';
    const covered = ['every call was reserved'];
    expect(await checkLog([...lines(), review.replace(`"id":"${run}.1`, '"id":"someone.1')])).toEqual(covered);
    expect(await checkLog([...lines(), review.replace(`"id":"${run}.1/`, `"id":"${run}.1/7`)])).toEqual(covered);
    expect(await checkLog([...lines(), review])).toEqual(covered);
    const other = review.replace(/"bytesBase64":"[^"]*"/, '"bytesBase64":"e30="');
    expect(await checkLog(lines().map((line) => (line === review ? other : line)))).toEqual(covered);
  });
});

it('an outbox that does not drain is named', async () => {
  const sql = `insert into outbox (subject, msg_id, body) values ('x', $1, 'x'::bytea)`;
  expect(await planted('publication', 'outbox', sql)).toEqual(['outbox drains']);
});

it('and with all of it as it was nothing is found', async () => {
  expect(await check()).toEqual([]);
});
