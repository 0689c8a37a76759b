import { contract } from '@waymark/contracts/wire';
import { Bus, ensureStreams } from '@waymark/messaging';
import {
  createDatabase,
  sharedServers,
  startProcess,
  until,
  type Database,
  type ServiceProcess,
} from '@waymark/testing';
import { z } from 'zod';

const slow = contract('waymark.test.v1.slow', z.strictObject({ ms: z.int() }), z.unknown(), {
  access: 'internal',
  summary: 'takes its time',
});
const entry = 'libs/service/test/greeter-process.mjs';
let database: Database;
let env: Record<string, string>;
let caller: Bus;
let child: ServiceProcess | undefined;

beforeAll(async () => {
  const { postgres, nats } = await sharedServers();
  database = await createDatabase(postgres, 'signals', { migrate: () => Promise.resolve() });
  env = { NATS_URL: nats.url, DATABASE_URL: database.url, DRAIN_MS: '4000' };
  caller = await Bus.connect({ ...nats.access(), name: 'caller' });
  await ensureStreams(caller.nc);
}, 60_000);
afterAll(async () => {
  await caller?.close();
  await database?.drop();
});
afterEach(async () => {
  await child?.stop('SIGKILL');
  child = undefined;
});

describe('a service process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('at %s answers what is in flight and exits with 0', async (signal) => {
    child = await startProcess({ name: 'slow', entry, env });
    const inFlight = caller.call(slow, { ms: 400 }, { timeoutMs: 5_000 });
    await caller.nc.flush();
    child.kill(signal);
    expect(await inFlight).toMatchObject({ ok: true });
    expect(await child.exited).toEqual({ code: 0, signal: null });
    expect(child.output()).toContain('"ended"');
  });

  it('at SIGTERM exits with 0 also while it still waits for a dependency', async () => {
    const waiting = { ...env, NATS_URL: 'nats://127.0.0.1:1' };
    child = await startProcess({ name: 'slow', entry, env: waiting, readyWhen: 'started' });
    const process = child;
    await until(async () => (await process.health('ready')) === 503, { what: 'health while waiting' });
    child.kill('SIGTERM');
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  it('whose drain does not end is ended with 1 after DRAIN_MS, and at once by a second signal', async () => {
    for (const signals of [1, 2]) {
      child = await startProcess({
        name: 'slow',
        entry,
        env: { ...env, HANG: '1', DRAIN_MS: signals === 1 ? '300' : '60000' },
      });
      for (let i = 0; i < signals; i += 1) {
        child.kill('SIGTERM');
        const process = child;
        await until(() => process.output().includes('"draining"') || !process.alive(), { what: 'the signal' });
      }
      expect(await child.exited).toEqual({ code: 1, signal: null });
      expect(child.output()).toContain(signals === 1 ? 'not drained in time' : 'told twice');
    }
  });

  it('with a wrong configuration ends with 1 and a line for each key with its remedy, without a value', async () => {
    child = await startProcess({ name: 'slow', entry, env: { NATS_URL: 'SECRET' }, readyWhen: 'started' });
    expect(await child.exited).toEqual({ code: 1, signal: null });
    expect(child.output().split('\n')).toEqual([
      'NATS_URL: not valid; expected nats://host:port; user and password apart',
      'DATABASE_URL: missing; set DATABASE_URL or DATABASE_URL_FILE',
      '',
    ]);
  });

  it('on a Node that is too old ends with 1 and the remedy, before it says that it is ready', async () => {
    const old = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`;
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(old)}`];
    child = await startProcess({ name: 'slow', entry, env, nodeArgs, readyWhen: 'started' });
    expect(await child.exited).toEqual({ code: 1, signal: null });
    expect(child.output()).toMatch(/^Node 20\.20\.2: too old, .* node_modules\/\.bin\/node .*\n$/);
  });

  it('whose health port is taken ends with 1 and one line of its log', async () => {
    const first = (child = await startProcess({ name: 'slow', entry, env }));
    const taken = { ...env, HEALTH_PORT: String(first.healthPort) };
    const second = await startProcess({ name: 'slow', entry, env: taken, readyWhen: 'started' });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    const lines = second.output().trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['slow cannot start']);
    expect(lines[0]).toContain(`HEALTH_PORT ${first.healthPort} cannot be used`);
  });
});
