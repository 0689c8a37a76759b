import { join } from 'node:path';
import { sourcesContracts as contracts } from '@waymark/contracts/sources';
import { Db } from '@waymark/persistence';
import { createLogger } from '@waymark/telemetry';
import { until, withClient, workspaceRoot } from '@waymark/testing';
import { ParseQueue } from '../src/adapters/parse-process/parse-queue.js';
import { MIGRATIONS } from '../src/adapters/postgres/migrations/index.js';
import { ParseJobs } from '../src/adapters/postgres/parse-jobs.js';
import { startSources, type SourcesService } from './sources-service.js';

let sources: SourcesService;
let db: Db;
beforeAll(async () => {
  sources = await startSources({ PARSE_LANES: '0' });
  db = await Db.open({ url: sources.database.url, name: 'test', migrations: MIGRATIONS });
}, 120_000);
afterAll(async () => {
  await db?.close();
  await sources?.stop();
});

const MIB = 1024 * 1024;
const limits = { cpuMs: 30_000, wallMs: 60_000, memoryBytes: 512 * MIB, maxTextBytes: 32 * MIB };

function queueOf(entry: string, lines: string[] = []): ParseQueue {
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger('sources', { destination });
  const jobs = new ParseJobs(db, 30_000);
  return new ParseQueue({ jobs, lanes: 1, entry: join(workspaceRoot(), 'apps/sources', entry), limits, log });
}

async function jobOf(corpus: string): Promise<{ attempts: number; waits: boolean } | undefined> {
  return await withClient(sources.database.url, async (client) => {
    const sql = 'SELECT attempts, free_at > now() AS waits FROM parse_job WHERE corpus = $1';
    return (await client.query<{ attempts: number; waits: boolean }>(sql, [corpus])).rows[0];
  });
}

test('a parse process that ends before it has read anything leaves the file pending, says why, and tries again', async () => {
  const view = await sources.add('early', 'a.txt', 'a good file');
  const lines: string[] = [];
  const broken = queueOf('test/broken-worker.mjs', lines);
  broken.start();
  try {
    await until(() => lines.length > 0, { what: 'the first try' });
    await until(async () => (await jobOf('early'))?.attempts === 0, { what: 'the file to be given back' });
  } finally {
    await broken.stop();
  }
  expect(JSON.parse(lines[0]!)).toMatchObject({
    level: 'warn',
    code: 'parser_not_started',
    why: 'It ended with 9.',
    corpus: 'early',
    document: 'a.txt',
  });
  expect(await jobOf('early')).toEqual({ attempts: 0, waits: true });
  expect((await sources.ask(contracts.describeCorpus, { corpus: 'early' })).pending).toBe(1);

  const sound = queueOf('dist/parse-worker.js');
  sound.start();
  try {
    const documents = await sources.settled('early');
    expect(documents.get('a.txt')).toMatchObject({ locator: view.locator, status: 'ready' });
  } finally {
    await sound.stop();
  }
}, 120_000);

test('the same bytes once more let an unreadable file be parsed again, and a readable one stay as it is', async () => {
  const text = 'dredging '.repeat(200_000);
  const first = await sources.add('again', 'a.txt', text);
  const small = await sources.replica({ PARSE_LANES: '1', PARSE_TEXT_MIB: '1' });
  const refused = (await sources.settled('again')).get('a.txt');
  await small.stop();
  expect(refused).toMatchObject({ status: 'unreadable', reason: { code: 'too_large' } });

  const again = await sources.add('again', 'a.txt', text);
  expect(again).toMatchObject({ locator: first.locator, status: 'pending', reason: null });
  const large = await sources.replica({ PARSE_LANES: '1' });
  try {
    expect((await sources.settled('again')).get('a.txt')).toMatchObject({ status: 'ready', reason: null });
    expect((await sources.add('again', 'a.txt', text)).status).toBe('ready');
    expect((await sources.ask(contracts.describeCorpus, { corpus: 'again' })).documents).toBe(1);
  } finally {
    await large.stop();
  }
}, 120_000);

test('a CSV of two million rows is a table like any other, in half of the usual memory', async () => {
  await sources.add('rows', 'long.csv', 'Name,Count\n' + 'r,1\n'.repeat(2_000_000));
  const replica = await sources.replica({
    PARSE_LANES: '1',
    PARSE_MEMORY_MIB: '384',
    PARSE_CPU_MS: '120000',
    PARSE_WALL_MS: '400000',
  });
  try {
    const documents = await sources.settled('rows', 300_000);
    expect(documents.get('long.csv')).toMatchObject({ status: 'ready', bytes: 2_000_000 * 10 + 31 });
  } finally {
    await replica.stop();
  }
}, 400_000);
