import { Bus, ensureStreams } from '@waymark/messaging';
import { migrate } from '@waymark/persistence';
import { createLogger } from '@waymark/telemetry';
import {
  createDatabase,
  freePort,
  sharedServers,
  tcpProxy,
  until,
  type Database,
  type TcpProxy,
} from '@waymark/testing';
import { bootService, type BootOptions, type Service } from '../src/index.js';
import { greet, greeter, Greetings1764500000000 } from './greeter.js';

const migrations = [Greetings1764500000000];
let database: Database;
let postgres: TcpProxy;
let nats: TcpProxy;
let caller: Bus;

beforeAll(async () => {
  const servers = await sharedServers();
  postgres = await tcpProxy({ port: servers.postgres.port });
  nats = await tcpProxy({ port: servers.nats.port });
  caller = await Bus.connect({ ...servers.nats.access(), name: 'caller' });
  await ensureStreams(caller.nc);
}, 60_000);
afterAll(async () => {
  await caller?.close();
  await postgres?.stop();
  await nats?.stop();
});
beforeEach(async () => {
  const servers = await sharedServers();
  postgres.heal();
  nats.heal();
  database = await createDatabase(servers.postgres, 'greeter', { migrate: () => Promise.resolve() });
});

let running: Service | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await database.drop();
});

async function options(more: Partial<BootOptions> = {}): Promise<BootOptions & { healthPort: number }> {
  const healthPort = await freePort();
  return {
    name: 'greeter',
    module: greeter,
    migrations,
    logger: createLogger('greeter', { level: 'silent' }),
    handleSignals: false,
    config: {
      natsUrl: `nats://127.0.0.1:${nats.port}`,
      databaseUrl: postgres.through(database.url),
      dbPool: 4,
      healthPort,
      drainMs: 5_000,
    },
    healthPort,
    ...more,
  };
}
interface Report {
  code: number;
  status?: string;
  checks?: Record<string, string>;
}
async function health(port: number, probe: 'live' | 'ready' | 'startup' | 'other', method = 'GET'): Promise<Report> {
  const response = await fetch(`http://127.0.0.1:${port}/health/${probe}`, { method });
  return { code: response.status, ...((await response.json()) as object) };
}
const migrated = (): Promise<unknown> => migrate({ url: database.url, name: 'job', migrations });

describe('a service that boots', () => {
  it('answers health from the first moment, says what it waits for, and is ready when it comes', async () => {
    postgres.refuse();
    nats.refuse();
    const booted = await options();
    const booting = bootService(booted);
    const both = await until(
      async () => {
        const report = await health(booted.healthPort, 'ready');
        const { postgres: db, nats: broker } = report.checks ?? {};
        return /^waiting for PostgreSQL/.test(db ?? '') && /^waiting for NATS/.test(broker ?? '') ? report : undefined;
      },
      { what: 'both reasons' },
    );
    expect(both).toMatchObject({ code: 503, status: 'waiting' });
    expect(await health(booted.healthPort, 'live')).toEqual({ code: 200, status: 'live' });
    expect(await health(booted.healthPort, 'startup')).toMatchObject({ code: 503, status: 'waiting' });
    expect(JSON.stringify(both)).not.toContain(new URL(database.url).password);

    nats.heal();
    await until(async () => (await health(booted.healthPort, 'ready')).checks?.['nats'] === 'ok', { what: 'NATS' });
    postgres.heal();
    const waiting = 'waiting for the database: migration Greetings1764500000000 is not applied; run the migrate job';
    await until(async () => (await health(booted.healthPort, 'ready')).checks?.['postgres'] === waiting, {
      what: 'the wait for the migration',
    });
    expect(await caller.call(greet, { name: 'early' }, { timeoutMs: 1_000 })).toMatchObject({ kind: 'no_responders' });
    await migrated();
    running = await booting;
    expect(await health(booted.healthPort, 'ready')).toEqual({
      code: 200,
      status: 'ready',
      checks: { postgres: 'ok', nats: 'ok' },
    });
    expect(await health(booted.healthPort, 'startup')).toEqual({ code: 200, status: 'started' });
    expect(await health(booted.healthPort, 'other')).toMatchObject({ code: 404 });
    expect(await health(booted.healthPort, 'live', 'POST')).toMatchObject({ code: 405 });
  });

  it('fails with a reason when its health port is taken', async () => {
    await migrated();
    const first = await options();
    running = await bootService(first);
    await expect(bootService(first)).rejects.toThrow(`HEALTH_PORT ${first.healthPort} cannot be used`);
  });
});

describe('a service that runs', () => {
  it('serves with its database, relays its outbox, and runs the hooks and checks of its module', async () => {
    await migrated();
    let answer: true | string = 'the model is away';
    const order: string[] = [];
    const booted = await options({
      checks: { model: () => Promise.resolve(answer) },
      onReady: () => void order.push('ready'),
    });
    const facts: string[] = [];
    caller.nc.subscribe('waymark.facts.v1.test.greeted', { callback: (_, msg) => void facts.push(msg.string()) });
    await caller.nc.flush();
    running = await bootService(booted);
    expect(order).toEqual(['ready']);
    expect(await caller.call(greet, { name: 'a' }, { timeoutMs: 2_000 })).toEqual({
      ok: true,
      value: { text: 'hello a', seen: 1 },
    });
    await until(() => facts.length === 1, { what: 'the fact' });
    expect(await health(booted.healthPort, 'ready')).toMatchObject({
      code: 503,
      status: 'unready',
      checks: { model: 'the model is away', postgres: 'ok' },
    });
    answer = true;
    expect(await health(booted.healthPort, 'ready')).toMatchObject({ code: 200 });
  });

  it('says which dependency is gone, stays alive, and is ready again by itself', async () => {
    await migrated();
    const booted = await options();
    running = await bootService(booted);
    postgres.refuse();
    nats.refuse();
    const gone = await until(
      async () => {
        const report = await health(booted.healthPort, 'ready');
        return report.checks?.['postgres'] !== 'ok' && report.checks?.['nats'] !== 'ok' ? report : undefined;
      },
      { what: 'both to be missed' },
    );
    expect(gone).toMatchObject({
      code: 503,
      status: 'unready',
      checks: { nats: 'disconnected from NATS, reconnecting' },
    });
    expect((await health(booted.healthPort, 'live')).code).toBe(200);
    postgres.heal();
    nats.heal();
    await until(async () => (await health(booted.healthPort, 'ready')).code === 200, { what: 'readiness' });
    expect(await caller.call(greet, { name: 'back' }, { timeoutMs: 2_000 })).toMatchObject({ ok: true });
  });

  it('drains: not ready, no more work, requests in flight answered, their facts told, then closed', async () => {
    await migrated();
    const order: string[] = [];
    const drain = Promise.withResolvers<void>();
    const booted = await options({
      onDrain: async () => {
        order.push('drain');
        await drain.promise;
      },
    });
    const facts: string[] = [];
    caller.nc.subscribe('waymark.facts.v1.test.greeted', { callback: (_, msg) => void facts.push(msg.string()) });
    const service = await bootService(booted);
    const inFlight = caller.call(greet, { name: 'in flight', delayMs: 300 }, { timeoutMs: 5_000 });
    await caller.nc.flush();
    const stopping = service?.stop();
    expect(await health(booted.healthPort, 'ready')).toMatchObject({ code: 503, status: 'draining' });
    drain.resolve();
    await stopping;
    expect(order).toEqual(['drain']);
    expect(await inFlight).toMatchObject({ ok: true, value: { text: 'hello in flight' } });
    await caller.nc.flush();
    expect(facts).toContain('{"name":"in flight"}');
    expect(await caller.call(greet, { name: 'late' }, { timeoutMs: 1_000 })).toMatchObject({ kind: 'no_responders' });
    await expect(health(booted.healthPort, 'live')).rejects.toThrow();
  });
});
