/** The budget's own processes and its PostgreSQL die in the middle. */
import { budgetContracts } from '@waymark/contracts/budget';
import { startPostgres, startProcess, until, type PostgresServer, type RunningServer } from '@waymark/testing';
import { fold } from '../src/core/evolve.js';
import { decodeLedger } from '../src/adapters/postgres/ledger-codec.js';
import { completed } from './book.js';
import { startReplicas, type BudgetReplicas } from './budget-replicas.js';

const { reserve, snapshot } = budgetContracts;
let postgres: PostgresServer & RunningServer;
let budget: BudgetReplicas;
beforeAll(async () => {
  postgres = await startPostgres(); // durable: commits must outlive the kill
  budget = await startReplicas(1, { postgres });
}, 40_000);
afterAll(async () => {
  await budget.stop().catch(() => undefined);
  await postgres.stop();
});

let unanswered = 0;
beforeEach(() => (unanswered = 0));

/** Asks with the same key until it is answered, as the protocol wants. */
async function persistent(run: string, key: string) {
  const request = { run, holder: 'run', epoch: 1, purpose: 'explore', key: `run/1/${key}` } as const;
  return await until(
    async () => {
      const result = await budget.bus.call(reserve, request, { timeoutMs: 3_000 });
      if (!result.ok) unanswered += 1;
      return result.ok ? result.value : undefined;
    },
    { what: `an answer to ${key}`, timeoutMs: 25_000 },
  );
}

async function checked(run: string, callers: Awaited<ReturnType<typeof persistent>>[], limit: number): Promise<void> {
  const granted = callers.flatMap(({ grant }) => (grant ? [grant.reservation] : []));
  expect(granted).toHaveLength(limit);
  expect(new Set(granted).size).toBe(limit);
  const { snapshot: now, open } = await budget.ask(snapshot, { run });
  expect(now.explore).toMatchObject({ limit, used: 0, reserved: limit, unknown: 0, left: 0 });
  expect(open.map(({ reservation }) => reservation).sort()).toEqual(granted.sort());
  const [row] = await budget.sql<{ state: Buffer }>('SELECT state FROM ledger WHERE run_id = $1', [run]);
  expect(row && decodeLedger(row.state)).toEqual(fold(run, await budget.storedFacts(run)));
}

it('B2, B11: PostgreSQL is killed and restarted among a hundred callers: asked again by key, forty are granted', async () => {
  const run = await budget.openRun({ exploreRequests: 40 });
  const asking = Promise.all(Array.from({ length: 100 }, (_, index) => persistent(run, `c${index}`)));
  await until(async () => (await budget.storedFacts(run)).length > 2, { what: 'the first grant', everyMs: 1 });
  await postgres.restart();
  await checked(run, await asking, 40);
  expect(unanswered).toBeGreaterThan(0);
}, 40_000);

it('a database that is away is answered with a code, and with a grant once it is back', async () => {
  const run = await budget.openRun();
  postgres.kill('SIGKILL');
  const request = { run, holder: 'run', epoch: 1, purpose: 'explore', key: 'run/1/a' } as const;
  const failure = await until(
    async () => {
      const result = await budget.bus.call(reserve, request, { timeoutMs: 5_000 });
      return result.ok ? undefined : result; // a session may live for a moment longer than its server
    },
    { what: 'the database to be missed' },
  );
  expect(failure).toMatchObject({ kind: 'error', error: { code: 'unavailable' } });
  await postgres.restart();
  expect((await persistent(run, 'a')).outcome).toBe('granted');
}, 40_000);

it('B2, B11: a replica is killed among a hundred callers: asked again by key, forty are granted', async () => {
  const second = await startProcess({
    name: 'budget-2',
    entry: 'apps/budget/dist/main.js',
    env: { NATS_URL: budget.natsUrl, DATABASE_URL: budget.databaseUrl, LOG_LEVEL: 'warn' },
  });
  const run = await budget.openRun({ exploreRequests: 40 });
  const asking = Promise.all(Array.from({ length: 100 }, (_, index) => persistent(run, `c${index}`)));
  await until(async () => (await budget.storedFacts(run)).length > 2, { what: 'the first grant', everyMs: 1 });
  await second.stop('SIGKILL');
  await checked(run, await asking, 40);
  expect(unanswered).toBeGreaterThan(0);
}, 40_000);

it('a replica told to end finishes what it has and exits with 0', async () => {
  const second = await startProcess({
    name: 'budget-3',
    entry: 'apps/budget/dist/main.js',
    env: { NATS_URL: budget.natsUrl, DATABASE_URL: budget.databaseUrl, LOG_LEVEL: 'warn' },
  });
  const run = await budget.openRun({ exploreRequests: 40 });
  const keys = Array.from({ length: 40 }, (_, index) => `c${index}`);
  const asking = Promise.all(
    keys.map((key) =>
      budget.ask(reserve, {
        run,
        holder: 'run',
        epoch: 1,
        purpose: 'explore',
        key: `run/1/${key}`,
        settlements: [completed('zz')],
      }),
    ),
  );
  second.kill('SIGTERM');
  expect((await asking).filter(({ outcome }) => outcome === 'granted')).toHaveLength(40);
  expect(await second.exited).toMatchObject({ code: 0 });
}, 40_000);
