/** Whoever calls has the bare NATS client and nothing of ours. */
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { startNats, type NatsServer, type RunningServer } from '@waymark/testing';
import { Bus } from '../src/index.js';
import { memoryLog, startEcho, type EchoService } from './echo-service.js';

const ECHO = 'waymark.test.v1.echo';
const MISBEHAVE = 'waymark.test.v1.misbehave';
const log = memoryLog();
let service: EchoService;
let bus: Bus;
let nc: NatsConnection;
let nats: NatsServer & RunningServer;

beforeAll(async () => {
  nats = await startNats();
  bus = await Bus.connect({ ...nats.access(), name: 'echo' });
  service = await startEcho(bus, 'one', log, 'bare');
  nc = await connect(nats.access());
}, 30_000);
afterAll(async () => {
  await nc.close();
  await service.close();
  await bus.close();
  await nats.stop();
});

it('answers inboxes alone: a request whose reply would go to another subject is not even served', async () => {
  const elsewhere: string[] = [];
  nc.subscribe('$JS.API.STREAM.>', { callback: (_, msg) => void elsewhere.push(msg.subject) });
  const before = service.served.length;
  nc.publish(ECHO, '{"text":"x"}', { reply: '$JS.API.STREAM.PURGE.WAYMARK_FACTS' });
  expect(await ask(ECHO, '{"text":"after it"}')).toBeDefined();
  expect(service.served.length - before).toBe(1);
  expect(elsewhere).toEqual([]);
  expect(log.lines.some(({ fields }) => fields['reply'] === '$JS.API.STREAM.PURGE.WAYMARK_FACTS')).toBe(true);
});

async function ask(
  subject: string,
  body: string | Uint8Array,
): Promise<{ body: Record<string, string>; error: string }> {
  const reply = await nc.request(subject, body, { timeout: 2_000 });
  return { body: reply.json(), error: reply.headers?.get('Nats-Service-Error') ?? '' };
}

describe('a bare NATS client', () => {
  it('gets a short answer to any wrong request, however long what is wrong with it is', async () => {
    const longest = 512 * 1024 - '{"":1}'.length;
    for (const bytes of [3_000, longest]) {
      const { body, error } = await ask(ECHO, `{"${'k'.repeat(bytes)}":1}`);
      expect([error, body['code']]).toEqual(['unknown_field', 'unknown_field']);
      expect(body['field']).toMatch(/^k+…$/);
      expect(JSON.stringify(body).length).toBeLessThan(8_000);
    }
  });

  it('gets the bare reply to plain JSON, without an envelope and without error headers', async () => {
    const reply = await nc.request(ECHO, '{"text":"hi","times":2}', { timeout: 2_000 });
    expect(reply.string()).toBe('{"text":"hihi","by":"one","trace":""}');
    expect(reply.headers).toBeUndefined();
  });

  it.each([
    ['malformed JSON', '{"text":', 'malformed_json', undefined],
    ['an empty body', '', 'malformed_json', undefined],
    ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe), 'malformed_json', undefined],
    ['a list', '[1]', 'invalid_field', undefined],
    ['an unknown field', '{"text":"a","nope":1}', 'unknown_field', 'nope'],
    ['a missing field', '{}', 'missing_field', 'text'],
    ['a wrong type', '{"text":1}', 'invalid_field', 'text'],
    ['a number past its limit', '{"text":"a","times":101}', 'invalid_field', 'times'],
    ['a text past its limit', `{"text":"${'a'.repeat(21)}"}`, 'invalid_field', 'text'],
    ['an oversized body', `{"text":"${'a'.repeat(512 * 1024)}"}`, 'body_too_large', undefined],
  ])('gets a coded reply with a remedy to %s', async (_, body, code, field) => {
    const answer = await ask(ECHO, body);
    expect(answer.error).toBe(code);
    expect(answer.body['code']).toBe(code);
    expect(answer.body['field']).toBe(field);
    expect(answer.body['message']).not.toBe('');
    expect(answer.body['remedy']).not.toBe('');
    expect(service.served).not.toContain('a');
  });

  it("gets a handler's refusal as it is", async () => {
    expect(await ask(MISBEHAVE, '{"how":"refuse"}')).toEqual({
      error: 'unknown_run',
      body: { code: 'unknown_run', message: 'no such run', remedy: 'list them', field: 'run' },
    });
  });

  it('gets an error id for a failure, never its text; the log has both', async () => {
    const { body, error } = await ask(MISBEHAVE, '{"how":"throw"}');
    expect(error).toBe('internal');
    expect(JSON.stringify(body)).not.toContain('SECRET');
    const logged = log.lines.find(({ fields }) => body['message']?.includes(String(fields['errorId'])));
    expect(String(logged?.fields['err'])).toContain('SECRET');
  });

  it('L6: gets unavailable from a handler whose database is away, never its text; the log has it as a warning', async () => {
    const { body, error } = await ask(MISBEHAVE, '{"how":"outage"}');
    expect([error, body['code']]).toEqual(['unavailable', 'unavailable']);
    expect(body['remedy']).toMatch(/same key/);
    expect(JSON.stringify(body)).not.toContain('SECRET');
    expect(
      log.lines.filter(({ level, fields }) => level === 'warn' && /SECRET/.test(String(fields['err']))),
    ).toHaveLength(1);
  });

  it('gets reply_too_large when the answer does not fit a message', async () => {
    expect(await ask(MISBEHAVE, '{"how":"too_large"}')).toMatchObject({ error: 'reply_too_large' });
  });

  it('gets null when a handler says nothing', async () => {
    expect((await nc.request(MISBEHAVE, '{"how":"nothing"}', { timeout: 2_000 })).string()).toBe('null');
  });

  it('gets its trace headers back, and the handler sees them', async () => {
    const sent = headers();
    sent.set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    sent.set('Waymark-Message-Id', 'm-1');
    for (const body of ['{"text":"t"}', '{}']) {
      const reply = await nc.request(ECHO, body, { timeout: 2_000, headers: sent });
      expect(reply.headers?.get('traceparent')).toBe(sent.get('traceparent'));
      expect(reply.headers?.get('Waymark-Message-Id')).toBe('m-1');
      if (body !== '{}') expect(reply.json()).toMatchObject({ trace: sent.get('traceparent') });
    }
  });

  it('may publish without waiting for a reply: it is served all the same', async () => {
    nc.publish(ECHO, '{"text":"unheard"}');
    await nc.flush();
    await ask(ECHO, '{"text":"after"}');
    expect(service.served).toContain('unheard');
  });

  it('learns at once that nobody serves a subject', async () => {
    await expect(nc.request('waymark.test.v1.nobody', '{}', { timeout: 2_000 })).rejects.toThrow(/no responders/i);
  });
});
