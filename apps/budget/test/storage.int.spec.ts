/** What a turn costs the budget in statements, round trips and stored bytes, by count. */
import { budgetContracts, type Usage } from '@waymark/contracts/budget';
import { startPostgres, withClient, type PostgresServer, type RunningServer } from '@waymark/testing';
import { completed, ran } from './book.js';
import { startReplicas, type BudgetReplicas } from './budget-replicas.js';

const TURNS = 400;
let postgres: PostgresServer & RunningServer;
let budget: BudgetReplicas;
beforeAll(async () => {
  postgres = await startPostgres({ fast: true, settings: { shared_preload_libraries: 'pg_stat_statements' } });
  budget = await startReplicas(1, { postgres });
}, 30_000);
afterAll(async () => {
  await budget.stop();
  await postgres.stop();
});

const usage: Usage = { inputTokens: 51_234, outputTokens: 812, cachedInputTokens: 48_000, costMicros: null };

it('B2: a turn is one statement, a round trip, once the ledger has been seen; facts and reservations store less than 550 bytes, indexes included', async () => {
  await pg('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  const limits = { exploreRequests: TURNS, physicalRequests: 2 * TURNS + 6 };
  const run = await budget.openRun(limits);
  await pg('SELECT pg_stat_statements_reset()');
  let last = '';
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const { grant } = await budget.ask(budgetContracts.reserve, {
      ...{ run, holder: 'run', epoch: 1, key: `run/1/turn-${turn}.1`, purpose: 'explore' },
      settlements: last === '' ? [] : [completed(last, { usage })],
      activities: last === '' ? [] : [ran(last, [0, 1], [1, 2], [3, 4])],
    });
    last = grant?.reservation ?? '';
  }
  const calls = await pg<{ query: string; calls: number }>(
    `SELECT query, calls FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE query LIKE '%ledger%' AND query NOT LIKE '%next_due <=%' AND datname LIKE 'budget%' ORDER BY calls DESC`,
  );
  const [commits, reads, ...others] = calls.map(({ calls: count }) => Number(count));
  expect(others).toEqual([]);
  expect(commits).toBe(TURNS);
  expect(reads).toBeLessThan(5);

  const again = await budget.ask(budgetContracts.reserve, {
    ...{ run, holder: 'run', epoch: 1, key: 'run/1/turn-1.1', purpose: 'explore', settlements: [completed(last)] },
    activities: [],
  });
  // The key was granted and settled long ago: a ledger that is remembered does not say so, the database does.
  expect(again).toMatchObject({ outcome: 'granted', grant: { key: 'run/1/turn-1.1', settled: 'completed' } });
  expect(again.snapshot.explore).toMatchObject({ used: TURNS, reserved: 0 });

  const [updates] = await budget.sql<{ hot: number; all: number }>(
    `SELECT pg_stat_get_tuples_hot_updated(oid)::int AS hot, pg_stat_get_tuples_updated(oid)::int AS all
     FROM pg_class WHERE relname = 'ledger'`,
  );
  expect(updates?.hot).toBe(updates?.all);

  await budget.sql('VACUUM');
  const sizes = await budget.sql<{ name: string; bytes: number }>(
    `SELECT relname AS name, pg_relation_size(oid)::int AS bytes FROM pg_class
     WHERE relname ~ '^(fact|reservation)'`,
  );
  const perTurn = sizes.reduce((sum, { bytes }) => sum + bytes, 0) / TURNS;
  const [state] = await budget.sql<{ bytes: number; fact: number }>(
    'SELECT length(state) AS bytes, (SELECT avg(length(body))::int FROM fact) AS fact FROM ledger',
  );
  if (process.env['SHOW_FIGURES'] !== undefined) console.log({ calls, updates, sizes, perTurn, state });
  expect(perTurn).toBeLessThan(550);
  expect(state?.bytes).toBeLessThan(1_600);
}, 60_000);

async function pg<T extends object>(text: string): Promise<T[]> {
  return await withClient(postgres.url, async (client) => (await client.query<T>(text)).rows);
}
