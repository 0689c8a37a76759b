import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Objm } from '@nats-io/obj';
import { BUCKETS } from '@waymark/contracts/streams';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { startNats, tcpProxy, until, workspaceRoot, type NatsServer, type RunningServer } from '@waymark/testing';
import { WaymarkClient } from '../src/index.js';
import { Connection } from '../src/connection.js';
import { Objects } from '../src/objects.js';
import { FactTables } from './fact-tables.js';

const ids = (events: readonly WaymarkEvent[]): string[] => events.map(({ owner, seq }) => `${owner}/${seq}`);

/** Collects what a feed gives, in the background. */
function collect(feed: AsyncIterable<WaymarkEvent>): { seen: WaymarkEvent[]; done: Promise<void> } {
  const seen: WaymarkEvent[] = [];
  const done = (async () => {
    for await (const event of feed) seen.push(event);
  })();
  done.catch(() => undefined);
  return { seen, done };
}

describe('L14: the feed of a run, as the deployed user `cli`', () => {
  let folder: string;
  let nats: NatsServer & RunningServer;
  let client: WaymarkClient;
  let tables: FactTables;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-feed-'));
    const users = readFileSync(join(workspaceRoot(), 'infra/nats/users.conf'), 'utf8');
    const usersFile = join(folder, 'users.conf');
    const denied = { deaf: '$JS.API.CONSUMER.>', mute: '$O.>", "$JS.API.STREAM.PURGE.>' };
    const others = Object.entries(denied).map(
      ([user, subjects]) =>
        `{ user: ${user}, password: $${user.toUpperCase()}_NATS_PASSWORD, permissions: { publish: { deny: ["${subjects}"] } } }`,
    );
    const added = ['users: [', '{ user: tables, password: $TABLES_NATS_PASSWORD }', ...others].join('\n');
    writeFileSync(
      usersFile,
      users.replace('users: [', () => added),
    );
    nats = await startNats({ auth: { usersFile } });
  });
  afterAll(async () => {
    await nats.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    tables = await FactTables.open(nats.access('tables'), randomUUID());
    client = await WaymarkClient.connect(nats.access('cli'));
  });
  afterEach(async () => {
    await client.close();
    await tables.nc.close();
  });

  it('gives what was and then what comes, each event once, in its owner’s order, to the end', async () => {
    for (let i = 0; i < 7; i++) await tables.add('runtime', 'RequestIntended');
    await tables.add('budget', 'ReservationGranted');
    const { seen, done } = collect(client.events(tables.run));
    await until(() => seen.length === 8, { what: 'the replay' });
    await tables.add('publication', 'BlockPublished');
    await tables.add('runtime', 'RequestSettled', 'twice');
    await tables.add('reviewer', 'VerdictGiven');
    await tables.add('publication', 'ReportClosed', 'lost');
    await tables.add('runtime', 'RunEnded');
    await done;
    expect(new Set(ids(seen)).size).toBe(seen.length);
    expect(ids(seen).filter((id) => id.startsWith('runtime'))).toEqual(
      Array.from({ length: 9 }, (_, i) => `runtime/${i + 1}`),
    );
    expect(ids(seen)).toEqual(expect.arrayContaining(['publication/1', 'publication/2', 'reviewer/1', 'budget/1']));
  });

  it('F-T6: a viewer that left goes on from the last sequence it saw, and nobody notices', async () => {
    for (let i = 0; i < 5; i++) await tables.add('runtime', 'RequestIntended');
    const before: WaymarkEvent[] = [];
    for await (const event of client.events(tables.run)) {
      before.push(event);
      if (before.length === 3) break;
    }
    await tables.add('runtime', 'RunEnded');
    const after: WaymarkEvent[] = [];
    for await (const event of client.events(tables.run, { cursors: { runtime: 3 } })) after.push(event);
    expect(ids(before)).toEqual(['runtime/1', 'runtime/2', 'runtime/3']);
    expect(ids(after)).toEqual(['runtime/4', 'runtime/5', 'runtime/6']);
    const nothing: WaymarkEvent[] = [];
    for await (const event of client.events(tables.run, { cursors: { runtime: 6 } })) nothing.push(event);
    expect(nothing).toEqual([]);
  });

  it('an event that the stream lost is found by its gap, and one at the end of all by the silence', async () => {
    await tables.add('runtime', 'RunAdmitted');
    const { seen, done } = collect(client.events(tables.run));
    await until(() => seen.length === 1, { what: 'the replay' });
    await tables.add('runtime', 'RequestIntended', 'lost');
    const goesOn = async (): Promise<boolean> => {
      await tables.add('runtime', 'RequestSettled'); // while facts keep coming there is no silence: only the gap is a reason
      return seen.length >= 3;
    };
    await until(goesOn, { what: 'the gap to be filled', everyMs: 100 });
    await tables.add('runtime', 'RunEnded', 'lost');
    await done;
    expect(ids(seen)).toEqual(seen.map((_, i) => `runtime/${i + 1}`));
    expect(seen.at(-1)?.type).toBe('waymark.runtime.fact.v1.RunEnded');
  });

  it('F-T6: lives through a connection that is cut in the middle: nothing missing, nothing twice', async () => {
    const { servers, ...user } = nats.access('cli');
    const proxy = await tcpProxy({ port: Number(new URL(servers).port) });
    const far = await WaymarkClient.connect({ servers: proxy.through(servers), ...user });
    try {
      await tables.add('runtime', 'RunAdmitted');
      const waits: string[] = [];
      const { seen, done } = collect(far.events(tables.run, { onWait: (reason) => waits.push(reason) }));
      await until(() => seen.length === 1, { what: 'the replay' });
      proxy.refuse();
      for (let i = 0; i < 9; i++) await tables.add(i % 3 === 0 ? 'budget' : 'runtime', 'RequestSettled');
      await until(() => waits.length > 0, { what: 'the loss to be told', timeoutMs: 20_000 });
      proxy.heal();
      await until(() => seen.length === 10, { what: 'what was missed', timeoutMs: 20_000 });
      await tables.add('runtime', 'RunEnded');
      await done;
      expect(ids(seen).filter((id) => id.startsWith('runtime'))).toEqual(
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `runtime/${n}`),
      );
      expect(ids(seen).filter((id) => id.startsWith('budget'))).toEqual([1, 2, 3].map((n) => `budget/${n}`));
    } finally {
      await far.close();
      await proxy.stop();
    }
  });

  it('an owner that stays away past the end is reported with the last sequence that came', async () => {
    await tables.add('runtime', 'RunAdmitted');
    await tables.add('budget', 'BudgetOpened');
    const missing: [owner: string, after: number][] = [];
    const { seen, done } = collect(
      client.events(tables.run, { onMissing: (owner, after) => missing.push([owner, after]) }),
    );
    await until(() => seen.length === 2, { what: 'the replay' });
    tables.leave('budget');
    await tables.add('budget', 'BudgetClosed', 'lost');
    await tables.add('runtime', 'RunEnded');
    await done;
    expect(seen.at(-1)?.type).toBe('waymark.runtime.fact.v1.RunEnded');
    expect(missing).toEqual([['budget', 1]]);
  });

  it('lives through a restart of NATS', async () => {
    await tables.add('runtime', 'RunAdmitted');
    const { seen, done } = collect(client.events(tables.run));
    await until(() => seen.length === 1, { what: 'the replay' });
    await nats.restart();
    await until(async () => await tables.add('runtime', 'RequestIntended'), { what: 'the stream to be back' });
    await until(() => seen.length >= 2, { what: 'events after the restart' });
    await tables.add('runtime', 'RunEnded');
    await done;
    expect(ids(seen)).toEqual(seen.map((_, i) => `runtime/${i + 1}`));
    expect(seen.at(-1)?.type).toBe('waymark.runtime.fact.v1.RunEnded');
  });

  it('a user that may not listen is told so once, and reads everything from the tables', async () => {
    const deaf = await WaymarkClient.connect(nats.access('deaf'));
    const waits: string[] = [];
    await tables.add('runtime', 'RunAdmitted');
    const { seen, done } = collect(deaf.events(tables.run, { onWait: (reason) => waits.push(reason) }));
    await until(() => waits.length > 0, { what: 'the denial to be told' });
    await tables.add('runtime', 'RequestIntended');
    await until(() => seen.length === 2, { what: 'the next look at the tables' }); // by then it has tried again
    await tables.add('runtime', 'RunEnded');
    await done;
    expect(ids(seen)).toEqual(['runtime/1', 'runtime/2', 'runtime/3']);
    expect(waits).toEqual([expect.stringMatching(/not heard .*\$JS\.API\.CONSUMER\.CREATE\.WAYMARK_FACTS/)]);
    await deaf.close();
  });

  it('an upload that NATS denies says so, not that what was left of it could not be cleared away', async () => {
    await new Objm(tables.nc).create(BUCKETS.uploads.name);
    const mute = await WaymarkClient.connect(nats.access('mute'));
    const refused = await mute.uploadDocument('c', 'a.md', Buffer.from('# A')).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'nats_failed', message: expect.stringContaining('$O.waymark-uploads.C.') });
    await mute.close();
  });

  it('a user that may not ask is told so at once, not after the patience for a service that is away', async () => {
    const other = await WaymarkClient.connect(nats.access('sources'));
    const asked = await other.get(tables.run).catch((error: unknown) => error);
    expect(asked).toMatchObject({ code: 'not_permitted', remedy: expect.stringContaining('NATS') as string });
    await other.close();
  });

  it('an unknown run is refused with a code and a remedy; leaving on a signal is quiet', async () => {
    await expect(collect(client.events(randomUUID())).done).rejects.toMatchObject({
      code: 'unknown_run',
      remedy: 'list the runs',
    });
    await tables.add('runtime', 'RunAdmitted');
    const leaving = new AbortController();
    const { seen, done } = collect(client.events(tables.run, { signal: leaving.signal }));
    await until(() => seen.length === 1, { what: 'the replay' });
    for (let n = 2; n <= 5; n++) {
      await tables.add('runtime', 'RequestIntended');
      await until(() => seen.length === n, { what: `event ${n}` });
    }
    expect(getEventListeners(leaving.signal, 'abort').length).toBeLessThanOrEqual(1); // no wait leaves one behind
    leaving.abort();
    await done;
    const orphan = collect(client.events(tables.run));
    await until(() => orphan.seen.length === seen.length, { what: 'the replay' });
    await client.close();
    await expect(orphan.done).rejects.toMatchObject({ code: 'client_closed' });
  });
});

describe('a client that is closed', () => {
  it('closes at once though it is told so twice, and says of every later call that it is closed', async () => {
    const nats = await startNats();
    const client = await WaymarkClient.connect(nats.access());
    let first = false;
    void client.close().then(() => (first = true));
    await client.close();
    expect(first).toBe(true); // else the first waits for a drain that nobody ends any more
    await client.close();
    const closed = { code: 'client_closed' };
    await expect(client.get(randomUUID())).rejects.toMatchObject(closed);
    await expect(client.uploadDocument('c', 'a.txt', Buffer.from('x'))).rejects.toMatchObject(closed);
    await expect(collect(client.events(randomUUID())).done).rejects.toMatchObject(closed);
    await nats.stop();
  });
});

describe('failures of the client', () => {
  it('what a caller without types hands over by mistake is refused by the argument’s name', async () => {
    const nats = await startNats();
    const client = await WaymarkClient.connect({ servers: nats.url });
    const run = randomUUID();
    const ofBytes = async (bytes: unknown) => await client.uploadDocument('c', 'a.md', bytes as Uint8Array);
    const ofFeed = async (options: object) => await collect(client.events(run, options)).done;
    try {
      for (const bytes of ['# A', undefined, null, {}, 42, new ArrayBuffer(2)])
        await expect(ofBytes(bytes)).rejects.toMatchObject({
          name: 'WaymarkError',
          code: 'invalid_field',
          field: 'bytes',
        });
      await expect(ofBytes('# A')).rejects.toThrow('bytes is a string, no Uint8Array');
      for (const owners of [['nobody'], [undefined], 'runtime', ['runtime', 'sources']])
        await expect(ofFeed({ owners })).rejects.toMatchObject({ code: 'invalid_field', field: 'owners' });
      for (const cursors of [{ nobody: 1 }, { runtime: -1 }, { runtime: '3' }, { budget: 0.5 }])
        await expect(ofFeed({ cursors })).rejects.toMatchObject({ code: 'invalid_field', field: 'cursors' });
      const folder = client.uploadFolder('c', undefined as unknown as string);
      await expect(folder).rejects.toMatchObject({ code: 'invalid_field', field: 'folder' });
      const odd = { key: 1n } as unknown as Parameters<WaymarkClient['start']>[0];
      await expect(client.start(odd)).rejects.toMatchObject({ name: 'WaymarkError', code: 'invalid_field' });
    } finally {
      await client.close();
      await nats.stop();
    }
  });

  it('a document of which something is lost with the connection is stored anew', async () => {
    const nats = await startNats();
    const proxy = await tcpProxy({ port: Number(new URL(nats.url).port) });
    const connection = await Connection.open({ servers: proxy.through(nats.url) }, 5_000);
    try {
      await new Objm(connection.nc).create(BUCKETS.uploads.name);
      const objects = new Objects(connection, BUCKETS.uploads);
      await objects.put('upload', Buffer.from('the bucket is open now'));
      const bytes = Buffer.alloc(300_000, 'A document. ');
      const sent = proxy.bytes('up');
      proxy.freeze('up');
      const stored = objects.put('upload', bytes);
      stored.catch(() => undefined);
      await until(() => proxy.bytes('up') > sent, { what: 'something on its way' });
      proxy.reset();
      proxy.heal();
      expect(Buffer.from(await objects.get(await stored)).equals(bytes)).toBe(true);
    } finally {
      await connection.close();
      await proxy.stop();
      await nats.stop();
    }
  });

  it('a NATS server that is not there, and nobody behind a subject, are said with code and remedy', async () => {
    await expect(WaymarkClient.connect({ servers: 'nats://127.0.0.1:1', connectMs: 300 })).rejects.toMatchObject({
      code: 'nats_unavailable',
      message: expect.stringContaining('127.0.0.1:1'),
      remedy: expect.stringContaining('start'),
    });
    await expect(WaymarkClient.connect({ servers: 'nats://me:secret@127.0.0.1:1' })).rejects.toMatchObject({
      code: 'nats_unavailable',
      message: expect.not.stringContaining('secret'),
    });
    const nats = await startNats();
    const client = await WaymarkClient.connect({ servers: nats.url });
    try {
      await expect(client.get(randomUUID())).rejects.toMatchObject({ code: 'unavailable' });
    } finally {
      await client.close();
      await nats.stop();
    }
  });
});
