import { jetstream } from '@nats-io/jetstream';
import { FACTS_STREAM } from '@waymark/contracts/streams';
import { Bus, ensureStreams } from '@waymark/messaging';
import { createDatabase, sharedServers, tcpProxy, until, type Database } from '@waymark/testing';
import { randomUUID } from 'node:crypto';
import { Db, factRow, insertOutbox, migrate, OutboxRelay, outboxRow, type OutboxRelayOptions } from '../src/index.js';
import { memoryLog } from './memory-log.js';
import { first } from './migrations.js';

let database: Database;
let bus: Bus;
let dbs: Db[];

beforeAll(async () => {
  const { postgres, nats } = await sharedServers();
  bus = await Bus.connect({ ...nats.access(), name: 'relay-test' });
  await ensureStreams(bus.nc);
  database = await createDatabase(postgres, 'relayed', {
    migrate: async (url) => void (await migrate({ url, name: 'relayed', migrations: first })),
  });
  const open = () => Db.open({ url: database.url, name: 'relayed', migrations: first, poolSize: 4 });
  dbs = [await open(), await open()];
}, 60_000);
afterAll(async () => {
  await Promise.all((dbs ?? []).map((db) => db.close()));
  await bus?.close();
  await database?.drop();
});

let relays: OutboxRelay[] = [];
function relay(replica: 0 | 1, options: Partial<OutboxRelayOptions> = {}): OutboxRelay {
  const made = new OutboxRelay({ db: dbs[replica] as Db, bus, pollMs: 50, ...options });
  relays.push(made);
  made.start();
  return made;
}
afterEach(async () => {
  await Promise.all(relays.map((made) => made.stop()));
  relays = [];
});

async function write(run: string, from: number, to: number): Promise<void> {
  const rows = Array.from({ length: to - from + 1 }, (_, i) =>
    factRow({ owner: 'relayed', run, seq: from + i, at: new Date(), name: 'Happened', data: {} }),
  );
  await dbs[0]?.transaction((tx) => insertOutbox(tx, rows));
}
async function left(): Promise<number> {
  return (await dbs[0]?.query<{ n: number }>('SELECT count(*) AS n FROM outbox'))?.[0]?.n ?? -1;
}
/** What stands in the stream. */
async function stored(run: string): Promise<number[]> {
  const consumer = await jetstream(bus.nc).consumers.get(FACTS_STREAM.name, {
    filter_subjects: `waymark.facts.v1.relayed.${run}.>`,
  });
  const { num_pending: pending } = await consumer.info();
  const seqs: number[] = [];
  if (pending === 0) return seqs;
  for await (const msg of await consumer.fetch({ max_messages: pending, expires: 2_000 })) {
    seqs.push(msg.json<{ seq: number }>().seq);
    if (seqs.length === pending) break;
  }
  return seqs;
}
/** What was published, with repetitions that the stream drops. */
function heard(run: string): number[] {
  const seqs: number[] = [];
  bus.nc.subscribe(`waymark.facts.v1.relayed.${run}.>`, {
    callback: (_, msg) => void seqs.push(msg.json<{ seq: number }>().seq),
  });
  return seqs;
}
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
async function holders(): Promise<number[]> {
  const rows = await dbs[0]?.query<{ pid: number }>(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return (rows ?? []).map(({ pid }) => pid);
}

describe('the outbox relay', () => {
  it('publishes each row once and in order, though two replicas run and kick', async () => {
    const run = randomUUID();
    const seen = heard(run);
    const both = [relay(0, { batch: 7 }), relay(1, { batch: 7 })];
    for (let i = 0; i < 20; i += 1) {
      await write(run, i * 10 + 1, i * 10 + 10);
      both[i % 2]?.kick();
    }
    await until(async () => (await left()) === 0, { what: 'an empty outbox' });
    expect(seen).toEqual(upTo(200));
    expect(await stored(run)).toEqual(upTo(200));
    expect(await holders()).toHaveLength(1);
  });

  it('looks at once when kicked, also when another replica is the one that relays', async () => {
    relay(0, { pollMs: 60_000 });
    await until(async () => (await holders()).length === 1, { what: 'the first replica to hold the lock' });
    const standby = relay(1, { pollMs: 60_000 });
    const run = randomUUID();
    await write(run, 1, 3);
    standby.kick();
    await until(async () => (await left()) === 0, { what: 'an empty outbox, long before the next poll' });
    expect(await stored(run)).toEqual([1, 2, 3]);
  });

  it('takes one look for any number of kicks', async () => {
    let looks = 0;
    const counted = relay(0, { pollMs: 60_000, lingerMs: 50, afterPublish: () => Promise.resolve(void (looks += 1)) });
    await until(async () => (await holders()).length === 1, { what: 'the lock' });
    const run = randomUUID();
    for (let seq = 1; seq <= 50; seq += 1) {
      await write(run, seq, seq);
      counted.kick();
    }
    await until(async () => (await left()) === 0, { what: 'an empty outbox' });
    expect(await stored(run)).toEqual(upTo(50));
    expect(looks).toBeLessThan(25);
  });

  it('that dies between publishing and deleting is followed by one that publishes again; the stream holds each once', async () => {
    const run = randomUUID();
    const seen = heard(run);
    const published = Promise.withResolvers<void>();
    const never = new Promise<void>(() => undefined);
    const doomed = new OutboxRelay({
      db: dbs[0] as Db,
      bus,
      afterPublish: () => {
        published.resolve();
        return never; // it never comes to deleting
      },
    });
    doomed.start();
    await write(run, 1, 5);
    doomed.kick();
    await published.promise;
    const [pid] = await holders();
    await dbs[1]?.query('SELECT pg_terminate_backend($1)', [pid]); // what the server sees of a killed process
    relay(1);
    await until(async () => (await left()) === 0, { what: 'an empty outbox' });
    await bus.nc.flush();
    expect(seen).toEqual([...upTo(5), ...upTo(5)]);
    expect(await stored(run)).toEqual(upTo(5));
  });

  it('that is frozen with the lock is put aside by another replica', async () => {
    const run = randomUUID();
    const log = memoryLog();
    const frozen = Promise.withResolvers<void>();
    const first = relay(0, { afterPublish: () => frozen.promise });
    await until(async () => (await holders()).length === 1, { what: 'the lock' });
    await write(run, 1, 5);
    first.kick();
    relay(1, { log });
    await until(async () => (await left()) === 0, { what: 'the other replica to take over', timeoutMs: 20_000 });
    expect(log.messages).toContain('the outbox does not move under its relay: taking over');
    frozen.resolve(); // it wakes, finds its connection gone and stands by
    await write(run, 6, 8);
    await until(async () => (await left()) === 0, { what: 'an empty outbox' });
    expect(await stored(run)).toEqual(upTo(8));
    expect(await holders()).toHaveLength(1);
  }, 40_000);

  it('waits while NATS is away and goes on in order when it is back', async () => {
    const { nats } = await sharedServers();
    const proxy = await tcpProxy({ port: nats.port });
    const cut = await Bus.connect({ servers: `nats://127.0.0.1:${proxy.port}`, name: 'cut' });
    const run = randomUUID();
    const seen = heard(run);
    try {
      const waiting = relay(0, { bus: cut });
      await write(run, 1, 10);
      await until(async () => (await left()) === 0, { what: 'the first rows' });
      proxy.refuse();
      await until(() => cut.state() !== true, { what: 'the loss to be noticed' });
      await write(run, 11, 30);
      waiting.kick();
      expect(await left()).toBe(20);
      proxy.heal();
      await until(async () => (await left()) === 0, { what: 'the rest', timeoutMs: 15_000 });
      expect(seen).toEqual(upTo(30));
      await waiting.stop();
    } finally {
      await cut.close();
      await proxy.stop();
    }
  }, 40_000);

  it('keeps a row that the broker does not take, says so once, and lets the others pass', async () => {
    const run = randomUUID();
    const log = memoryLog();
    const lost = outboxRow({ subject: 'waymark.nowhere.v1.x', msgId: run, body: {} });
    await dbs[0]?.transaction((tx) => insertOutbox(tx, [lost]));
    await write(run, 1, 3);
    const polling = relay(0, { log });
    await until(async () => (await left()) === 1, { what: 'the others to pass' });
    await write(run, 4, 4);
    polling.kick();
    await until(async () => (await stored(run)).length === 4, { what: 'the next one to pass' });
    await until(async () => (await left()) === 1, { what: 'only the first to be left' });
    expect(log.messages).toEqual(['the outbox waits']);
    await polling.stop();
    await dbs[0]?.query('DELETE FROM outbox');
  });

  it('goes on after its database connection broke', async () => {
    const run = randomUUID();
    relay(0);
    await until(async () => (await holders()).length === 1, { what: 'the lock' });
    const [pid] = await holders();
    await dbs[1]?.query('SELECT pg_terminate_backend($1)', [pid]);
    await write(run, 1, 3);
    await until(async () => (await left()) === 0, { what: 'an empty outbox' });
    expect(await stored(run)).toEqual([1, 2, 3]);
  });

  it('publishes what is there before it stops', async () => {
    const run = randomUUID();
    const stopping = relay(0, { pollMs: 60_000 });
    await until(async () => (await holders()).length === 1, { what: 'the lock' });
    await write(run, 1, 3);
    await stopping.stop();
    expect(await left()).toBe(0);
    expect(await holders()).toHaveLength(0);
  });
});
