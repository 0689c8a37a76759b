import { startNats, tcpProxy, until, type NatsServer, type RunningServer } from '@waymark/testing';
import { contract } from '@waymark/contracts/wire';
import { z } from 'zod';
import { Bus, streamPublisher } from '../src/index.js';
import { echo, memoryLog, misbehave, startEcho } from './echo-service.js';

const nobody = contract('waymark.test.v1.nobody', z.strictObject({ text: z.string().optional() }), z.unknown(), {
  access: 'internal',
  summary: 'nobody serves it',
});

let nats: NatsServer & RunningServer;
beforeAll(async () => {
  nats = await startNats();
}, 30_000);
afterAll(() => nats.stop());

describe('a call over the bus', () => {
  it('returns the value, the coded error, or how it failed; it never throws', async () => {
    const bus = await Bus.connect({ ...nats.access(), name: 'calls' });
    const service = await startEcho(bus, 'one', undefined, 'calls');
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    try {
      expect(await bus.call(echo, { text: 'a' }, { timeoutMs: 2_000, headers: { traceparent } })).toEqual({
        ok: true,
        value: { text: 'a', by: 'one', trace: traceparent },
      });
      expect(await bus.call(misbehave, { how: 'refuse' }, { timeoutMs: 2_000 })).toMatchObject({
        ok: false,
        kind: 'error',
        error: { code: 'unknown_run', field: 'run' },
      });
      expect(await bus.call(nobody, {}, { timeoutMs: 2_000 })).toMatchObject({
        ok: false,
        kind: 'no_responders',
        error: { code: 'unavailable' },
      });
      expect(await bus.call(echo, { text: 'slow', delayMs: 300 }, { timeoutMs: 50 })).toMatchObject({
        ok: false,
        kind: 'timeout',
        error: { code: 'timed_out' },
      });
      expect(await bus.call(nobody, { text: 'x'.repeat(600_000) }, { timeoutMs: 2_000 })).toMatchObject({
        ok: false,
        kind: 'error',
        error: { code: 'body_too_large' },
      });
      const giveUp = new AbortController();
      const given = bus.call(echo, { text: 'long', delayMs: 2_000 }, { timeoutMs: 5_000, signal: giveUp.signal });
      await until(() => service.served.includes('long'), { what: 'the call to arrive' });
      giveUp.abort();
      expect(await given).toMatchObject({ ok: false, kind: 'timeout', error: { code: 'aborted' } });
      expect(await bus.call(echo, { text: 'no' }, { timeoutMs: 5_000, signal: giveUp.signal })).toMatchObject({
        ok: false,
        kind: 'disconnected',
      });
      expect(service.served).not.toContain('no');
    } finally {
      await service.close();
      await bus.close();
    }
    expect(await bus.call(nobody, {}, { timeoutMs: 50 })).toMatchObject({ ok: false, kind: 'disconnected' });
  });

  it('is not sent while the connection is down, and works again after it', async () => {
    const proxy = await tcpProxy({ port: nats.port });
    const log = memoryLog();
    const server = await Bus.connect({ ...nats.access(), name: 'server' });
    const service = await startEcho(server, 'one', undefined, 'broken');
    const bus = await Bus.connect({ servers: `nats://127.0.0.1:${proxy.port}`, name: 'broken', log });
    try {
      expect(bus.state()).toBe(true);
      const inFlight = bus.call(echo, { text: 'flying', delayMs: 1_000 }, { timeoutMs: 1_500 });
      await until(() => service.served.includes('flying'), { what: 'the call to arrive' });
      proxy.refuse();
      await until(() => bus.state() !== true, { what: 'the loss to be noticed' });
      expect(await bus.call(echo, { text: 'unsent' }, { timeoutMs: 500 })).toMatchObject({
        ok: false,
        kind: 'disconnected',
        error: { code: 'unavailable' },
      });
      expect(await inFlight).toMatchObject({ ok: false, kind: 'timeout' });
      proxy.heal();
      await until(() => bus.state() === true, { what: 'the reconnection' });
      expect(await bus.call(echo, { text: 'back' }, { timeoutMs: 2_000 })).toMatchObject({ ok: true });
      expect(service.served).not.toContain('unsent');
      expect(log.lines.map(({ message }) => message)).toEqual(
        expect.arrayContaining(['disconnected from NATS', 'reconnected to NATS']),
      );
    } finally {
      await service.close();
      await Promise.all([bus.close(), server.close(), proxy.stop()]);
    }
  });
});

describe('connecting', () => {
  it('waits for a server that is not there, with a reason and without credentials, and comes through', async () => {
    const nats = await startNats({ auth: { users: [{ user: 'guest' }] } });
    const log = memoryLog();
    const reasons: string[] = [];
    try {
      nats.kill('SIGKILL');
      const access = nats.access('guest');
      const connecting = Bus.connect({ ...access, name: 'early', log, onWait: (reason) => reasons.push(reason) });
      const refused = `waiting for NATS at 127.0.0.1:${nats.port}: connect ECONNREFUSED 127.0.0.1:${nats.port}`;
      await until(() => reasons.filter((reason) => reason === refused).length >= 2, { what: 'two refused tries' });
      await nats.restart();
      const bus = await connecting;
      expect(bus.state()).toBe(true);
      await bus.close();
      expect(log.lines.filter(({ message }) => message === refused)).toHaveLength(1);
      expect(JSON.stringify([log.lines, reasons])).not.toContain(access.pass);
    } finally {
      await nats.stop();
    }
  });

  it('refuses an address with credentials in it, and does not repeat them', async () => {
    const error: unknown = await Bus.connect({ servers: 'nats://somebody:SECRET@127.0.0.1:1', name: 'x' }).catch(
      (e) => e,
    );
    expect(String(error)).toBe(
      'TypeError: NATS at 127.0.0.1:1: give user and password apart, its client takes none in the address',
    );
  });

  it('says that credentials are refused, and stops waiting when told', async () => {
    const nats = await startNats({ auth: { users: [{ user: 'guest' }] } });
    const giveUp = new AbortController();
    const reasons: string[] = [];
    try {
      const connecting = Bus.connect({
        servers: nats.url,
        user: 'guest',
        pass: 'SECRET',
        name: 'wrong',
        onWait: (reason) => reasons.push(reason),
        signal: giveUp.signal,
      });
      await until(() => reasons.length > 0, { what: 'a reason' });
      giveUp.abort();
      await expect(connecting).rejects.toThrow(/abort/i);
      expect(reasons[0]).toMatch(/Authorization Violation/i);
      expect(reasons.join()).not.toContain('SECRET');
    } finally {
      await nats.stop();
    }
  });

  it('logs what NATS denies, and refuses to serve a denied subject', async () => {
    const nats = await startNats({
      auth: { users: [{ user: 'guest', publish: { allow: ['ok'] }, subscribe: { allow: ['_INBOX_guest.>'] } }] },
    });
    const log = memoryLog();
    const bus = await Bus.connect({ ...nats.access('guest'), name: 'guest', log });
    try {
      bus.nc.publish('forbidden', '{}');
      const line = await until(() => log.lines.find(({ fields }) => 'operation' in fields), { what: 'the log line' });
      expect(line).toMatchObject({
        level: 'error',
        fields: { operation: 'publish', subject: 'forbidden' },
        message: expect.stringContaining('NATS denies publish on forbidden') as string, // what chaos looks for
      });
      const publish = streamPublisher(bus.nc, 60_000);
      const message = { msgId: '1', body: new TextEncoder().encode('{}') };
      await expect(publish({ ...message, subject: 'forbidden' })).rejects.toThrow(
        /NATS denies publishing on forbidden/,
      );
      expect(await bus.call(echo, { text: 'x' }, { timeoutMs: 60_000 })).toMatchObject({
        ok: false,
        kind: 'disconnected',
        error: { code: 'not_permitted', remedy: expect.stringContaining('users.conf') as string },
      });
      await expect(startEcho(bus, 'one', log)).rejects.toThrow(/denies subscribing to waymark\.test\.v1\.echo/);
    } finally {
      await bus.close();
      await nats.stop();
    }
  });
});

describe('serving', () => {
  it('shares the requests among the replicas of a queue, and answers each once', async () => {
    const buses = await Promise.all(['a', 'b', 'c'].map((name) => Bus.connect({ ...nats.access(), name })));
    const [caller] = buses as [Bus, Bus, Bus];
    const services = await Promise.all(buses.map((bus, i) => startEcho(bus, String(i), undefined, 'shared')));
    try {
      const calls = Array.from({ length: 90 }, (_, i) => caller.call(echo, { text: `n${i}` }, { timeoutMs: 2_000 }));
      expect((await Promise.all(calls)).every(({ ok }) => ok)).toBe(true);
      const served = services.map(({ served }) => served.length);
      expect(served.reduce((a, b) => a + b)).toBe(90);
      expect(Math.min(...served)).toBeGreaterThan(0);
    } finally {
      await Promise.all(services.map((service) => service.close()));
      await Promise.all(buses.map((bus) => bus.close()));
    }
  });

  it('finishes and answers what it accepted before it closes, and takes nothing more', async () => {
    const [server, caller] = await Promise.all(['s', 'c'].map((name) => Bus.connect({ ...nats.access(), name })));
    const service = await startEcho(server as Bus, 'one', undefined, 'drained');
    const ask = (text: string) => (caller as Bus).call(echo, { text, delayMs: 200 }, { timeoutMs: 3_000 });
    const accepted = Promise.all([ask('x'), ask('y'), ask('z')]);
    await until(() => service.served.length === 3, { what: 'three requests in flight' });
    await service.close();
    await server?.nc.close(); // what has not been answered by now never is
    expect((await accepted).map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(await ask('late')).toMatchObject({ kind: 'no_responders' });
    expect(service.served).not.toContain('late');
    await caller?.close();
  });
});
