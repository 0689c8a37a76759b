import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { RawProvider } from '../test/raw-provider.js';
import { SPEAKERS, type Said } from '../test/speakers.js';
import type { ModelOutcome } from './core/outcome.js';
import { ModelProvider, type ModelRequest } from './provider.js';

/** Every case over both APIs, against a server whose every byte is the test's own. */
const KEY = 'sk-test-0123456789';
const LONG = { firstContentMs: 20_000, progressMs: 20_000, totalMs: 20_000 };

describe.each(SPEAKERS)('$api', (speaker) => {
  const { api } = speaker;
  const body = Buffer.from(JSON.stringify({ model: 'm', stream: true, messages: [] }));
  let raw: RawProvider;
  let provider: ModelProvider;

  beforeEach(async () => {
    raw = await RawProvider.start();
    provider = new ModelProvider({ api, baseUrl: raw.url, apiKey: KEY });
  });
  afterEach(async () => {
    provider.close();
    await raw.stop();
  });

  const send = (change: Partial<ModelRequest> = {}): Promise<ModelOutcome> =>
    provider.send({ api, body, id: 'request-1', deadlines: LONG, ...change });
  const stream = (reply: ServerResponse): ServerResponse =>
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
  const answer = (text: string): void => {
    raw.answer = (reply) => void stream(reply).end(text);
  };
  const refuse = (status: number, headers: Record<string, string>, text: string): void => {
    raw.answer = (reply) => void reply.writeHead(status, headers).end(text);
  };
  const json = (value: object): void => refuse(200, { 'content-type': 'application/json' }, JSON.stringify(value));

  const SAID: Said = {
    texts: ['Grüße, ', '漢字 😀', ' "quoted" \\ and\nnew'],
    calls: [
      { id: 'call_a', name: 'find', pieces: ['{"q"', ':"费', '率😀"}'] },
      { id: 'call_b', name: 'read', pieces: ['{"at":', '1}'] },
    ],
    finish: 'tool_calls',
    usage: [9, 3, 4],
  };
  const HEARD = {
    outcome: 'completed',
    content: true,
    code: null,
    status: 200,
    text: 'Grüße, 漢字 😀 "quoted" \\ and\nnew',
    calls: [
      { id: 'call_a', name: 'find', arguments: '{"q":"费率😀"}' },
      { id: 'call_b', name: 'read', arguments: '{"at":1}' },
    ],
    finish: 'tool_calls',
    usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 3, costMicros: null },
  };

  describe('what goes out', () => {
    it('E3: the bytes of the body arrive untouched, whatever they are, once, with key and id in headers only', async () => {
      answer(speaker.events({ texts: ['a'] }).join(''));
      const bytes = randomBytes(300_000);
      await send({ body: bytes });
      await send({ body: new Uint8Array(bytes.buffer, bytes.byteOffset + 7, 1_000) });
      const digest = (b: Uint8Array): string => createHash('sha256').update(b).digest('hex');
      expect(raw.arrived.map((a) => digest(a.body))).toEqual([digest(bytes), digest(bytes.subarray(7, 1_007))]);
      const { url, headers } = raw.arrived[0] ?? { url: '', headers: {} };
      expect(url).toBe(speaker.path);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'content-length': '300000',
        'x-waymark-request': 'request-1',
        authorization: `Bearer ${KEY}`,
      });
      expect(headers['content-encoding']).toBeUndefined();
      if (api === 'anthropic') expect(headers['anthropic-version']).toMatch(/^\d{4}-\d\d-\d\d$/);
    });

    it('headers that the environment names for the official client stay here; what is configured goes out', async () => {
      const name = `${api.toUpperCase()}_CUSTOM_HEADERS`;
      process.env[name] = 'X-Planted: planted\nAuthorization: Bearer planted\nX-Api-Key: planted\nX-Team: planted';
      try {
        const own = new ModelProvider({ api, baseUrl: raw.url, apiKey: KEY, headers: { 'X-Team': 'ours' } });
        answer(speaker.events({ texts: ['a'] }).join(''));
        expect(await own.send({ api, body, id: 'request-1', deadlines: LONG })).toMatchObject({ outcome: 'completed' });
        own.close();
      } finally {
        delete process.env[name];
      }
      const { headers } = raw.arrived[0] ?? { headers: {} };
      expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'ours' });
      expect(JSON.stringify(headers)).not.toContain('planted');
      const version = api === 'anthropic' ? ['anthropic-version'] : [];
      const ours = ['accept', 'authorization', 'content-length', 'content-type', 'user-agent', 'x-team'];
      const wire = ['connection', 'host', 'x-waymark-request'];
      expect(Object.keys(headers).sort()).toEqual([...ours, ...version, ...wire].sort());
    });

    it('B14: neither an error nor a redirect is repeated here', async () => {
      refuse(500, {}, '');
      await send();
      refuse(
        429,
        { 'retry-after': '0', 'x-should-retry': 'true' },
        JSON.stringify(speaker.error('rate_limit_error', 'x')),
      );
      await send();
      raw.answer = (reply) => void reply.writeHead(307, { location: `${raw.url}/elsewhere` }).end();
      expect(await send()).toMatchObject({ outcome: 'failed', code: 'provider_rejected', status: 307 });
      expect(raw.arrived).toHaveLength(3);
    });

    it('E3: a request that was made for another API is not sent', async () => {
      const other = api === 'openai' ? 'anthropic' : 'openai';
      expect(await send({ api: other })).toMatchObject({ outcome: 'not_sent', code: 'other_api', content: false });
      expect(raw.connections).toBe(0);
    });
  });

  describe('answers', () => {
    it('text, and parallel calls whose pieces come by turns', async () => {
      answer(speaker.events(SAID).join(''));
      const seen: string[] = [];
      const outcome = await send({ onFirstContent: () => seen.push('first'), onProgress: (text) => seen.push(text) });
      expect(outcome).toMatchObject(HEARD);
      expect(seen.slice(0, 4)).toEqual(['first', ...SAID.texts]);
      expect(seen.slice(4).join('')).toBe('');
    });

    it('the same in pieces of one byte each: in the middle of characters, names and JSON', async () => {
      const bytes = Buffer.from(speaker.events(SAID).join(''));
      raw.answer = (reply) => {
        stream(reply);
        for (const byte of bytes) reply.write(Buffer.of(byte));
        reply.end();
      };
      expect(await send()).toMatchObject(HEARD);
    });

    it('the same with CRLF, and as one JSON reply', async () => {
      answer(speaker.events(SAID).join('').replaceAll('\n', '\r\n'));
      expect(await send()).toMatchObject(HEARD);
      json(speaker.whole(SAID));
      expect(await send()).toMatchObject(HEARD);
    });

    it('unknown blocks, fields and events before, between and after lose nothing', async () => {
      const [first = '', ...rest] = speaker.events(SAID);
      answer(first + speaker.unknown + rest.slice(0, 4).join('') + speaker.unknown + rest.slice(4).join(''));
      expect(await send()).toMatchObject(HEARD);
    });

    it.each(['stop', 'tool_calls', 'length', 'content_filter'] as const)('it ends by %s', async (finish) => {
      answer(speaker.events({ ...SAID, finish }).join(''));
      expect(await send()).toMatchObject({ outcome: 'completed', finish });
    });

    it('B13: without usage it is null, never 0, streamed and whole', async () => {
      const { usage: _none, ...said } = SAID;
      answer(speaker.events(said).join(''));
      expect(await send()).toMatchObject({ ...HEARD, usage: null });
      json(speaker.whole(said));
      expect(await send()).toMatchObject({ ...HEARD, usage: null });
    });

    it('F-B13: an empty answer completes, without content', async () => {
      answer(speaker.events({ texts: [], finish: 'length' }).join(''));
      expect(await send()).toMatchObject({
        outcome: 'completed',
        content: false,
        finish: 'length',
        text: '',
        calls: [],
      });
    });

    it('the provider’s end counts although the connection then breaks', async () => {
      const events = speaker.events({ texts: ['a'] });
      raw.answer = (reply) => {
        stream(reply).write(events.slice(0, -1).join(''));
        setImmediate(() => reply.destroy());
      };
      expect(await send()).toMatchObject({ outcome: 'completed', finish: 'stop', text: 'a' });
    });

    it('after the last event it does not wait for the connection to end', async () => {
      raw.answer = (reply) => void stream(reply).write(speaker.events({ texts: ['a'] }).join(''));
      expect(await send()).toMatchObject({ outcome: 'completed', text: 'a' });
    });
  });

  describe('T1', () => {
    it('T1, F-T2: pings, starts and empty pieces are no content', async () => {
      raw.answer = (reply) => {
        stream(reply);
        const timer = setInterval(() => reply.write(speaker.silence), 20);
        reply.on('close', () => clearInterval(timer));
      };
      expect(await send({ deadlines: { ...LONG, firstContentMs: 1_000 } })).toMatchObject({
        outcome: 'unknown',
        code: 'first_content_timeout',
        content: false,
      });
    });

    it('T1: nor are they progress after content', async () => {
      raw.answer = (reply) => {
        stream(reply).write(speaker.text('half'));
        const timer = setInterval(() => reply.write(speaker.silence), 20);
        reply.on('close', () => clearInterval(timer));
      };
      expect(await send({ deadlines: { ...LONG, progressMs: 150 } })).toMatchObject({
        outcome: 'unknown',
        code: 'progress_timeout',
        content: true,
        text: 'half',
      });
    });
  });

  describe('what goes wrong', () => {
    it.each([
      [401, 'authentication_error', 'bad key', 'provider_auth'],
      [403, 'permission_error', 'not yours', 'provider_auth'],
      [404, 'not_found_error', 'no such model', 'provider_rejected'],
      [400, 'invalid_request_error', 'bad', 'provider_rejected'],
      [400, 'invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum', 'too_long'],
      [413, 'request_too_large', 'too large', 'too_long'],
      [429, 'rate_limit_error', 'slow down', 'rate_limited'],
      [500, 'api_error', 'oops', 'provider_unavailable'],
      [529, 'overloaded_error', 'Overloaded', 'provider_unavailable'],
    ])('B14, C18: status %d %s "%s" is %s', async (status, type, message, code) => {
      refuse(status, { 'content-type': 'application/json' }, JSON.stringify(speaker.error(type, message)));
      expect(await send()).toMatchObject({
        outcome: 'failed',
        content: false,
        code,
        status,
        detail: message,
        usage: null,
      });
    });

    it.each([
      [401, 'provider_auth'],
      [400, 'provider_rejected'],
      [413, 'too_long'],
      [429, 'rate_limited'],
      [500, 'provider_unavailable'],
      [529, 'provider_unavailable'],
    ])('B14: status %d without a body is %s', async (status, code) => {
      refuse(status, {}, '');
      expect(await send()).toMatchObject({ outcome: 'failed', content: false, code, status, detail: null });
    });

    it('B14, F-B9: Retry-After in seconds and as a date', async () => {
      refuse(429, { 'retry-after': '7' }, '');
      expect((await send()).retryAfterMs).toBe(7_000);
      refuse(529, { 'retry-after': new Date(Date.now() + 90_000).toUTCString() }, '');
      const { retryAfterMs } = await send();
      expect(retryAfterMs).toBeGreaterThan(30_000);
      expect(retryAfterMs).toBeLessThanOrEqual(90_000);
    });

    it('an error event is failed, after content and before it', async () => {
      answer(speaker.text('half') + speaker.errorEvent('overloaded_error', 'Overloaded'));
      expect(await send()).toMatchObject({
        outcome: 'failed',
        content: true,
        code: 'provider_unavailable',
        text: 'half',
        detail: 'Overloaded',
      });
      answer(speaker.errorEvent('rate_limit_error', 'slow down'));
      expect(await send()).toMatchObject({ outcome: 'failed', content: false, code: 'rate_limited' });
    });

    it('F-B7: a stream that ends or breaks before the provider’s end is unknown, wherever it does', async () => {
      const events = speaker.events(SAID);
      const end = events.length - (api === 'openai' ? 3 : 2); // from here on the reason has come
      for (let cut = 0; cut <= end; cut += 3) {
        answer(events.slice(0, cut).join(''));
        expect(await send()).toMatchObject({ outcome: 'unknown', code: 'stream_cut' });
      }
      let breakOff = (): void => undefined;
      raw.answer = (reply) => {
        breakOff = () => reply.socket?.resetAndDestroy();
        stream(reply).write(speaker.text('b'));
      };
      expect(await send({ onFirstContent: () => breakOff() })).toMatchObject({
        outcome: 'unknown',
        content: true,
        code: 'stream_cut',
        text: 'b',
      });
    });

    it('what the other API says is no answer', async () => {
      const other = SPEAKERS.find((s) => s.api !== api) ?? speaker;
      json(other.whole(SAID));
      expect(await send()).toMatchObject({ outcome: 'unknown', content: false, code: 'garbage' });
      answer(other.events(SAID).slice(0, -1).join(''));
      expect(await send()).toMatchObject({ outcome: 'unknown', content: false });
    });
  });

  describe('secrets', () => {
    it('the key stands in no outcome, although the provider repeats it in any of its errors', async () => {
      const message = `Incorrect API key provided: ${KEY}, Bearer ${KEY}`;
      const outcomes: ModelOutcome[] = [];
      refuse(401, {}, JSON.stringify(speaker.error('authentication_error', message)));
      outcomes.push(await send());
      refuse(500, {}, `<pre>authorization: Bearer ${KEY}</pre>`);
      outcomes.push(await send());
      answer(speaker.errorEvent('authentication_error', message));
      outcomes.push(await send());
      expect(outcomes.map(({ detail }) => detail)).toEqual([
        'Incorrect API key provided: [key], Bearer [key]',
        '<pre>authorization: Bearer [key]</pre>',
        'Incorrect API key provided: [key], Bearer [key]',
      ]);
      expect(JSON.stringify(outcomes)).not.toContain(KEY);
    });

    it('a key that no header takes is not named by whoever refuses it', async () => {
      const odd = 'sk-line\nbreak-1';
      const own = new ModelProvider({ api, baseUrl: raw.url, apiKey: odd });
      const outcome = await own.send({ api, body, id: 'x', deadlines: LONG });
      expect(outcome).toMatchObject({ outcome: 'not_sent', code: 'connect_failed' });
      expect(JSON.stringify(outcome)).not.toMatch(/sk-line|break-/);
      own.close();
    });

    it('a header that the caller sets goes out and its value is hidden as well', async () => {
      const own = new ModelProvider({ api, baseUrl: raw.url, apiKey: '', headers: { 'x-team': 'team-secret' } });
      refuse(400, {}, 'no team-secret here');
      expect((await own.send({ api, body, id: 'x', deadlines: LONG })).detail).toBe('no [key] here');
      expect(raw.arrived[0]?.headers['x-team']).toBe('team-secret');
      own.close();
    });
  });
});
