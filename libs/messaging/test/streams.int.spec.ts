import { jetstreamManager } from '@nats-io/jetstream';
import { BUCKETS, factSubject, FACTS_STREAM, WORK, WORK_CONSUMERS, WORK_STREAM } from '@waymark/contracts/streams';
import { z } from 'zod';
import { startNats, tcpProxy, until, type NatsServer, type RunningServer } from '@waymark/testing';
import {
  Bus,
  consumeFacts,
  consumeWork,
  ensureStreams,
  keepStreams,
  ObjectStore,
  streamPublisher,
  WireError,
} from '../src/index.js';

const numbered = z.object({ n: z.int() });

let nats: NatsServer & RunningServer;
let bus: Bus;
beforeAll(async () => {
  nats = await startNats();
  bus = await Bus.connect({ ...nats.access(), name: 'streams' });
}, 30_000);
afterAll(async () => {
  await bus.close();
  await nats.stop();
});

const run = '01923456-789a-7bcd-8ef0-123456789abc';
const fact = (seq: number) => ({
  owner: 'budget',
  run,
  seq,
  at: '2026-01-01T00:00:00.000Z',
  type: 'waymark.budget.fact.v1.ReservationGranted',
  data: { seq },
});
let messageId = 0;
async function publish(subject: string, body: unknown, msgId = `m${(messageId += 1)}`): Promise<void> {
  await streamPublisher(bus.nc)({ subject, msgId, body: new TextEncoder().encode(JSON.stringify(body)) });
}
async function waiting(): Promise<number> {
  const jsm = await jetstreamManager(bus.nc);
  return (await jsm.streams.info(WORK_STREAM.name)).state.messages;
}

describe('streams', () => {
  it('are made by any number of processes at once, and brought to their settings again', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ensureStreams(bus.nc)));
    const jsm = await jetstreamManager(bus.nc);
    await jsm.streams.update(FACTS_STREAM.name, { max_age: 60e9 * 60 });
    await ensureStreams(bus.nc);
    expect((await jsm.streams.info(FACTS_STREAM.name)).config.max_age).toBe(FACTS_STREAM.maxAgeNs);
    expect((await jsm.streams.info(WORK_STREAM.name)).config.retention).toBe('workqueue');
  });

  it('drop a message id that they know', async () => {
    const before = await waiting();
    await publish(WORK.review, { n: 1 }, 'same');
    await publish(WORK.review, { n: 1 }, 'same');
    expect(await waiting()).toBe(before + 1);
  });
});

describe('the stream publisher', () => {
  const body = new TextEncoder().encode('{}');

  it('says which subject no stream takes, and of which one nobody acknowledged; the others are stored in order', async () => {
    const subscription = bus.nc.subscribe('waymark.deaf.v1.x', { callback: () => undefined });
    const publishOne = streamPublisher(bus.nc, 200);
    const from = (await (await jetstreamManager(bus.nc)).streams.info(FACTS_STREAM.name)).state.last_seq;
    const outcomes = await Promise.allSettled([
      publishOne({ subject: 'waymark.facts.v1.publication.p.First', msgId: 'p1', body }),
      publishOne({ subject: 'waymark.nowhere.v1.x', msgId: 'p2', body }),
      publishOne({ subject: 'waymark.deaf.v1.x', msgId: 'p3', body }),
      publishOne({ subject: 'waymark.facts.v1.publication.p.Second', msgId: 'p4', body }),
    ]);
    subscription.unsubscribe();
    expect(outcomes.map((o) => (o.status === 'fulfilled' ? 'stored' : (o.reason as Error).message))).toEqual([
      'stored',
      'waymark.nowhere.v1.x: no stream takes this subject',
      'waymark.deaf.v1.x: the broker did not acknowledge within 200 ms',
      'stored',
    ]);
    const jsm = await jetstreamManager(bus.nc);
    const stored = [1, 2].map(
      async (n) => (await jsm.streams.getMessage(FACTS_STREAM.name, { seq: from + n }))?.subject,
    );
    expect(await Promise.all(stored)).toEqual([
      'waymark.facts.v1.publication.p.First',
      'waymark.facts.v1.publication.p.Second',
    ]);
  });
});

describe('work', () => {
  it('is fetched only while there is room, and the rest waits for others', async () => {
    const taken: number[] = [];
    const gate = Promise.withResolvers<void>();
    const loop = consumeWork(bus.nc, WORK_CONSUMERS.run, {
      schema: numbered,
      room: () => 2,
      ackWaitMs: 30_000,
      onError: (error) => {
        throw error;
      },
      handle: async ({ n }) => {
        taken.push(n);
        await gate.promise;
        return 'ack';
      },
    });
    await Promise.all([1, 2, 3, 4, 5].map((n) => publish(WORK.run, { n })));
    await until(() => taken.length === 2, { what: 'two pieces of work' });
    const other: number[] = [];
    const second = consumeWork(bus.nc, WORK_CONSUMERS.run, {
      schema: numbered,
      room: () => 10,
      ackWaitMs: 30_000,
      onError: () => undefined,
      handle: ({ n }) => {
        other.push(n);
        return Promise.resolve('ack');
      },
    });
    await until(() => other.length === 3, { what: 'the rest at the other replica' });
    expect(taken).toHaveLength(2);
    expect([...taken, ...other].sort()).toEqual([1, 2, 3, 4, 5]);
    gate.resolve();
    await Promise.all([loop.stop(), second.stop()]);
  });

  it('comes again after a nak or a failure, never after a term; what is no JSON or of no known shape is put away, once', async () => {
    const tries = new Map<string, number>();
    const errors: unknown[] = [];
    const loop = consumeWork(bus.nc, WORK_CONSUMERS.inbox, {
      schema: z.object({ what: z.enum(['nak', 'throw', 'term']) }),
      room: () => 10,
      ackWaitMs: 30_000,
      onError: (error) => errors.push(error),
      handle: ({ what }) => {
        const n = (tries.get(what) ?? 0) + 1;
        tries.set(what, n);
        if (what === 'term') return Promise.resolve('term');
        if (n > 1) return Promise.resolve('ack');
        return what === 'nak' ? Promise.resolve('nak') : Promise.reject(new Error('defect'));
      },
    });
    const before = await waiting();
    for (const what of ['nak', 'throw', 'term']) await publish(WORK.inbox.limit, { what });
    await streamPublisher(bus.nc)({ subject: WORK.inbox.limit, msgId: 'bad', body: new TextEncoder().encode('{') });
    await publish(WORK.inbox.limit, null);
    await publish(WORK.inbox.limit, { what: 'secret\u0000' });
    await until(async () => (await waiting()) === before, { what: 'all work to be settled' });
    await loop.stop();
    expect(Object.fromEntries(tries)).toEqual({ nak: 2, throw: 2, term: 1 });
    const said = errors.map(String);
    expect(said).toHaveLength(4);
    const words = ['Error: defect', 'it is not JSON', 'the body (invalid_type)', 'what (invalid_value)'];
    expect(said).toEqual(expect.arrayContaining(words.map((w) => expect.stringContaining(w) as unknown)));
    expect(said.join()).not.toContain('secret');
  });

  it('that nobody acknowledged comes to another replica after its wait', async () => {
    const errors: unknown[] = [];
    const options = {
      schema: z.object({}),
      ackWaitMs: 500,
      room: () => 1,
      onError: (error: unknown) => errors.push(error),
    };
    const consumer = { durable: 'test-stalled', subject: 'waymark.work.v1.test' };
    const dead = await Bus.connect({ ...nats.access(), name: 'dead' });
    const first = Promise.withResolvers<void>();
    const stuck = consumeWork(dead.nc, consumer, {
      ...options,
      handle: async () => {
        first.resolve();
        return await new Promise<'ack'>(() => undefined);
      },
    });
    await publish(consumer.subject, {});
    await first.promise;
    const again = Promise.withResolvers<void>();
    const alive = consumeWork(bus.nc, consumer, {
      ...options,
      handle: () => {
        again.resolve();
        return Promise.resolve('ack');
      },
    });
    await again.promise;
    await alive.stop();
    void stuck.stop(); // it never ends: its handler never does
    await dead.close();
  });

  it('goes on after the server was away', async () => {
    const own = await startNats();
    const client = await Bus.connect({ ...own.access(), name: 'restarted' });
    const seen: number[] = [];
    try {
      await ensureStreams(client.nc);
      const loop = consumeWork(client.nc, WORK_CONSUMERS.run, {
        schema: numbered,
        room: () => 5,
        ackWaitMs: 5_000,
        onError: () => undefined,
        handle: ({ n }) => {
          seen.push(n);
          return Promise.resolve('ack');
        },
      });
      const put = (n: number) =>
        streamPublisher(client.nc)({ subject: WORK.run, msgId: `r${n}`, body: new TextEncoder().encode(`{"n":${n}}`) });
      await put(1);
      await until(() => seen.includes(1), { what: 'work before the restart' });
      await own.restart();
      await until(() => client.state() === true, { what: 'the reconnection', timeoutMs: 15_000 });
      await until(async () => (await put(2).then(() => true)) && seen.includes(2), {
        what: 'work after the restart',
        timeoutMs: 20_000,
      });
      await loop.stop();
    } finally {
      await client.close();
      await own.stop();
    }
  }, 60_000);
});

describe('facts', () => {
  it('reach a durable consumer in order from the first on; a batch that fails comes again before the next', async () => {
    const seen: number[] = [];
    const errors: unknown[] = [];
    let failed = false;
    for (let seq = 1; seq <= 5; seq += 1) await publish(factSubject('budget', run, 'ReservationGranted'), fact(seq));
    await publish(factSubject('budget', run, 'ReservationGranted'), { no: 'fact' });
    await publish(factSubject('budget', run, 'ReservationGranted'), { ...fact(9), owner: 'publication' });
    await publish(factSubject('budget', run, 'ReservationGranted'), fact(6));
    const options = {
      durable: 'test-facts',
      subject: 'waymark.facts.v1.budget.>',
      onError: (e: unknown) => errors.push(e),
    };
    const loop = consumeFacts(bus.nc, {
      ...options,
      handle: (facts) => {
        if (!failed) {
          failed = true;
          return Promise.reject(new Error('database away'));
        }
        seen.push(...facts.map(({ seq }) => seq));
        return Promise.resolve();
      },
    });
    await until(() => seen.length === 6, { what: 'six facts' });
    expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    expect(errors).toHaveLength(3); // the failed batch, no fact, and one that bears another owner’s name
    await loop.stop();

    await publish(factSubject('budget', run, 'ReservationGranted'), fact(7));
    const next = consumeFacts(bus.nc, {
      ...options,
      handle: (facts) => {
        seen.push(...facts.map(({ seq }) => seq));
        return Promise.resolve();
      },
    });
    await until(() => seen.length === 7, { what: 'the seventh fact, and only it' });
    expect(seen.at(-1)).toBe(7);
    await next.stop();
  });
});

describe('the object store', () => {
  it('are waited for by the owner of the bucket while the broker is away, until its connection is closed', async () => {
    const proxy = await tcpProxy({ port: nats.port });
    const client = await Bus.connect({ servers: `nats://127.0.0.1:${proxy.port}`, name: 'owner' });
    const owned = async () => {
      const told = proxy.bytes('up');
      const owning = ObjectStore.own(client.nc, BUCKETS.reports);
      owning.catch(() => undefined);
      await until(() => proxy.bytes('up') > told, { what: 'the request for the bucket' });
      return { owning };
    };
    try {
      proxy.freeze('down');
      const { owning } = await owned();
      proxy.reset();
      proxy.heal();
      await expect(owning).resolves.toBeInstanceOf(ObjectStore);
      proxy.freeze('down');
      const again = await owned();
      await client.close();
      await expect(again.owning).rejects.toThrow();
    } finally {
      await client.close();
      await proxy.stop();
    }
  }, 30_000);

  it('returns the bytes that a reference names, and says what is wrong with one that lies', async () => {
    const store = await ObjectStore.own(bus.nc, BUCKETS.uploads);
    const bytes = Buffer.alloc(700_000, 'é\0');
    const ref = await store.put('docs/a b/ü.pdf', bytes);
    expect(ref).toMatchObject({ name: 'docs/a b/ü.pdf', size: 700_000 });
    expect(Buffer.from(await store.get(ref)).equals(bytes)).toBe(true);
    const empty = await store.put('empty', new Uint8Array());
    expect(await store.get(empty)).toHaveLength(0);
    const code = async (work: Promise<unknown>): Promise<string> => {
      const error: unknown = await work.catch((e: unknown) => e);
      if (error instanceof WireError) return error.code;
      throw new Error('was accepted');
    };
    expect(await code(store.get({ ...ref, size: 1 }))).toBe('object_mismatch');
    expect(await code(store.get({ ...ref, digest: '0'.repeat(64) }))).toBe('object_mismatch');
    expect(await code(store.get({ ...ref, name: 'nothing' }))).toBe('unknown_object');
    await store.delete(ref.name);
    await store.delete('nothing');
    expect(await code(store.get(ref))).toBe('unknown_object');
  });
});

it('streams that the broker lost are made again by their owner, at once for everybody, and it says which', async () => {
  const server = await startNats();
  const owner = await Bus.connect({ ...server.access(), name: 'owner' });
  const made: string[] = [];
  const errors: unknown[] = [];
  await ensureStreams(owner.nc);
  const stop = keepStreams(owner.nc, {
    everyMs: 50,
    onMade: (names) => void made.push(...names),
    onError: (error) => void errors.push(error),
  });
  try {
    const { streams } = await jetstreamManager(owner.nc);
    await streams.delete(FACTS_STREAM.name);
    await until(() => made.length > 0, { what: 'the stream to be made again' });
    expect(made).toEqual([FACTS_STREAM.name]);
    expect((await streams.info(FACTS_STREAM.name)).config).toMatchObject({
      deny_purge: true,
      subjects: FACTS_STREAM.subjects,
    });
  } finally {
    stop();
    await owner.close();
    await server.stop();
  }
});
