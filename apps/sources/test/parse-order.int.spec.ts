import { Db, migrate } from '@waymark/persistence';
import { createDatabase, sharedServers, type Database } from '@waymark/testing';
import { Documents } from '../src/adapters/postgres/documents.js';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';
import { ParseJobs } from '../src/adapters/postgres/parse-jobs.js';

let database: Database;
let db: Db;
beforeAll(async () => {
  const { postgres } = await sharedServers();
  database = await createDatabase(postgres, 'parse_order', {
    migrate: async (url) => void (await migrate({ url, name: 'test', migrations: MIGRATIONS })),
  });
  db = await Db.open({ url: database.url, name: 'test', migrations: MIGRATIONS });
}, 120_000);
afterAll(async () => {
  await db?.close();
  await database?.drop();
});

/** A file of so many bytes, to be parsed. */
async function add(corpus: string, name: string, bytes: number): Promise<void> {
  const row = { corpus, name, locator: `doc:${name}`, digest: name, kind: 'txt' as const, title: name };
  await new Documents(db).addPending(row, Buffer.alloc(bytes, 'a'));
}

test('corpora are parsed in turn, and of one corpus the smaller file first', async () => {
  for (const [name, bytes] of [
    ['hostile-3', 3_000],
    ['hostile-1', 10],
    ['hostile-4', 40_000],
    ['hostile-2', 200],
  ] as const) {
    await add('crowd', name, bytes);
  }
  await add('alone', 'mine', 100_000);
  await add('late', 'theirs-2', 9);
  await add('late', 'theirs-1', 8);
  const jobs = new ParseJobs(db, 60_000);
  const order: string[] = [];
  for (let job = await jobs.claim(); job !== undefined; job = await jobs.claim()) order.push(job.name);
  expect(order).toEqual(['mine', 'hostile-1', 'theirs-1', 'hostile-2', 'theirs-2', 'hostile-3', 'hostile-4']);
});

test('a corpus whose turn was long ago goes before one that was just served', async () => {
  const jobs = new ParseJobs(db, 60_000);
  await add('crowd', 'hostile-5', 5);
  await add('alone', 'mine-2', 5);
  expect((await jobs.claim())?.name).toBe('mine-2');
  await add('alone', 'mine-3', 5);
  expect([(await jobs.claim())?.name, (await jobs.claim())?.name]).toEqual(['hostile-5', 'mine-3']);
});
