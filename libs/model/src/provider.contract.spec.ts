import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { tcpProxy, until } from '@waymark/testing';
import { delta, RawProvider, sse } from '../test/raw-provider.js';
import { ABORTED_BY_LIMIT, type ModelOutcome } from './core/outcome.js';
import { ModelProvider, type ModelRequest } from './provider.js';

const KEY = 'sk-test-0123456789';
const LONG = { firstContentMs: 20_000, progressMs: 20_000, totalMs: 20_000 };
const body = Buffer.from(JSON.stringify({ model: 'm', stream: true, messages: [] }));

let raw: RawProvider;
let provider: ModelProvider;

beforeEach(async () => {
  raw = await RawProvider.start();
  provider = new ModelProvider({ api: 'openai', baseUrl: raw.url, apiKey: KEY });
});
afterEach(async () => {
  provider.close();
  await raw.stop();
});

const send = (change: Partial<ModelRequest> = {}): Promise<ModelOutcome> =>
  provider.send({ api: 'openai', body, id: 'request-1', deadlines: LONG, ...change });
const stream = (reply: ServerResponse): ServerResponse => reply.writeHead(200, { 'content-type': 'text/event-stream' });
const answerStream = (...chunks: (object | string)[]): void => {
  raw.answer = (reply) => void stream(reply).end(sse(...chunks));
};
const answerStatus = (status: number, headers: Record<string, string>, text: string): void => {
  raw.answer = (reply) => void reply.writeHead(status, headers).end(text);
};

describe('what goes out', () => {
  it('E3: the bytes of the body arrive untouched, whatever they are, once', async () => {
    answerStream(delta({ content: 'a' }, 'stop'), '[DONE]');
    const bytes = randomBytes(300_000);
    await send({ body: bytes });
    await send({ body: new Uint8Array(bytes.buffer, bytes.byteOffset + 7, 1_000) });
    const digest = (b: Uint8Array): string => createHash('sha256').update(b).digest('hex');
    expect(raw.arrived.map(({ body }) => digest(body))).toEqual([digest(bytes), digest(bytes.subarray(7, 1_007))]);
    expect(raw.arrived[0]).toMatchObject({
      url: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', 'x-waymark-request': 'request-1', authorization: `Bearer ${KEY}` },
    });
    expect(raw.arrived[0]?.headers['content-length']).toBe('300000');
  });

  it('E3: says when the body’s memory is free: not before all of it is handed over, though the answer is complete', async () => {
    answerStream(delta({ content: 'a' }, 'stop'), '[DONE]');
    let free = false;
    const onBodySent = (): void => void (free = true);
    await send({ onBodySent });
    expect(free).toBe(true);

    const reply = '{"choices":[{"message":{"content":"early"},"finish_reason":"stop"}]}';
    const hasty = createServer((socket) => {
      socket.pause(); // it answers and never reads
      socket.on('error', () => undefined);
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`,
      );
    }).listen(0, '127.0.0.1');
    await once(hasty, 'listening');
    const { port } = hasty.address() as { port: number };
    const early = new ModelProvider({ api: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: KEY });
    free = false;
    const outcome = await early.send({
      api: 'openai',
      body: Buffer.alloc(40_000_000, 32),
      id: 'x',
      deadlines: LONG,
      onBodySent,
    });
    expect(outcome).toMatchObject({ outcome: 'completed', text: 'early' });
    expect(free).toBe(false);
    early.close();
    hasty.close();
  });

  it('keeps one connection for requests one after another', async () => {
    answerStream(delta({ content: 'a' }, 'stop'), '[DONE]');
    for (let i = 0; i < 5; i += 1) await send();
    raw.answer = (reply) => void reply.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{}]}');
    await send();
    answerStatus(429, {}, '{}');
    await send();
    await send();
    expect(raw.connections).toBe(1);
  });

  it('B14: neither an error nor a redirect is repeated here', async () => {
    answerStatus(500, {}, '');
    expect((await send()).code).toBe('provider_unavailable');
    raw.answer = (reply) => void reply.writeHead(307, { location: `${raw.url}/elsewhere` }).end();
    expect(await send()).toMatchObject({ outcome: 'failed', code: 'provider_rejected', status: 307 });
    expect(raw.arrived).toHaveLength(2);
  });
});

describe('answers', () => {
  it('reads a stream: text, calls, finish, usage, times', async () => {
    answerStream(
      delta({ role: 'assistant', content: '' }),
      delta({ content: 'Grüße, ' }),
      delta({ content: '漢字 😀' }),
      delta({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'find', arguments: '{"q"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      { ...delta({}, 'tool_calls'), unknown_field: { deep: true } },
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 3 } } },
      '[DONE]',
    );
    const seen: string[] = [];
    const outcome = await send({ onFirstContent: () => seen.push('first'), onProgress: (text) => seen.push(text) });
    expect(outcome).toMatchObject({
      outcome: 'completed',
      content: true,
      code: null,
      status: 200,
      text: 'Grüße, 漢字 😀',
      calls: [{ id: 'c1', name: 'find', arguments: '{"q":1}' }],
      finish: 'tool_calls',
      usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 3, costMicros: null },
    });
    expect(seen).toEqual(['first', 'Grüße, ', '漢字 😀', '', '']);
    const { firstByteMs, firstContentMs, totalMs } = outcome.timings;
    expect(firstByteMs).toBeLessThanOrEqual(firstContentMs ?? 0);
    expect(firstContentMs).toBeLessThanOrEqual(totalMs);
  });

  it('characters that are split between pieces stay whole', async () => {
    const bytes = Buffer.from(sse(delta({ content: '漢字😀' }, 'stop'), '[DONE]'));
    raw.answer = (reply) => {
      stream(reply);
      for (const byte of bytes) reply.write(Buffer.of(byte));
      reply.end();
    };
    expect((await send()).text).toBe('漢字😀');
  });

  it('reads a whole JSON reply', async () => {
    const message = { content: 'x', tool_calls: [{ id: 'c', function: { name: 'n', arguments: '{}' } }] };
    const json = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 2 } };
    answerStatus(200, { 'content-type': 'application/json' }, JSON.stringify(json));
    expect(await send()).toMatchObject({
      outcome: 'completed',
      content: true,
      text: 'x',
      calls: [{ id: 'c', name: 'n', arguments: '{}' }],
      usage: { inputTokens: 2, outputTokens: null },
    });
  });

  it('F-B13: length with empty text completes, without content', async () => {
    answerStream(delta({ content: '' }, 'length'), '[DONE]');
    expect(await send()).toMatchObject({ outcome: 'completed', content: false, finish: 'length', text: '' });
  });

  it('the provider’s end counts although the connection then breaks', async () => {
    raw.answer = (reply) => {
      stream(reply).write(sse(delta({ content: 'a' }, 'stop')));
      setImmediate(() => reply.destroy());
    };
    expect(await send()).toMatchObject({ outcome: 'completed', finish: 'stop', text: 'a' });
  });

  it('after [DONE] it does not wait for the connection to end', async () => {
    raw.answer = (reply) => void stream(reply).write(sse(delta({ content: 'a' }), '[DONE]'));
    const outcome = await send();
    expect(outcome).toMatchObject({ outcome: 'completed', finish: null });
    expect(outcome.timings.totalMs).toBeLessThan(5_000);
    await until(() => raw.sockets.size === 0, { what: 'the endless connection to be cut' });
  });

  it('holds at most 1 MiB of text', async () => {
    raw.answer = (reply) => {
      stream(reply);
      const more = (): void => {
        while (!reply.destroyed && reply.write(sse(delta({ content: 'x'.repeat(60_000) }))));
        reply.once('drain', more);
      };
      more();
    };
    const outcome = await send();
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'response_too_large', content: true });
    expect(outcome.text.length).toBeLessThan(1_200_000);
    await until(() => raw.sockets.size === 0, { what: 'the flood to be cut' });
  });
});

describe('deadlines', () => {
  it('F-T2: T1: pings and empty deltas only are no content; the code says so and the outcome is unknown', async () => {
    raw.answer = (reply) => {
      stream(reply);
      const timer = setInterval(() => reply.write(`: ping\n\n${sse(delta({ content: '' }))}`), 20);
      reply.on('close', () => clearInterval(timer));
    };
    expect(await send({ deadlines: { ...LONG, firstContentMs: 1_000 } })).toMatchObject({
      outcome: 'unknown',
      code: 'first_content_timeout',
      content: false,
      status: 200,
    });
  });

  it('F-T2: T1: silence is a first-content time-out too', async () => {
    raw.answer = () => undefined;
    const outcome = await send({ deadlines: { ...LONG, firstContentMs: 1_000 } });
    expect(outcome).toMatchObject({ outcome: 'unknown', code: 'first_content_timeout', status: null });
    expect(outcome.timings.firstByteMs).toBeNull();
  });

  it('T1: content that stops is a progress time-out', async () => {
    raw.answer = (reply) => {
      stream(reply).write(sse(delta({ content: 'half' })));
      const timer = setInterval(() => reply.write(': still here\n\n'), 20);
      reply.on('close', () => clearInterval(timer));
    };
    expect(await send({ deadlines: { ...LONG, progressMs: 150 } })).toMatchObject({
      outcome: 'unknown',
      code: 'progress_timeout',
      content: true,
      text: 'half',
    });
  });

  it('F-T2: T1: content that drips is progress, and bounded by the total', async () => {
    raw.answer = (reply) => {
      stream(reply);
      const timer = setInterval(() => reply.write(sse(delta({ content: 'x' }))), 30);
      reply.on('close', () => clearInterval(timer));
    };
    const outcome = await send({ deadlines: { ...LONG, progressMs: 1_000, totalMs: 2_000 } });
    expect(outcome).toMatchObject({ outcome: 'unknown', code: 'total_timeout', content: true });
  });

  it('F-T2: bytes that never make a chunk are no content', async () => {
    raw.answer = (reply) => {
      stream(reply);
      const timer = setInterval(() => reply.write('d'), 20);
      reply.on('close', () => clearInterval(timer));
    };
    expect((await send({ deadlines: { ...LONG, firstContentMs: 1_000 } })).code).toBe('first_content_timeout');
  });

  it('T2: no time left sends nothing', async () => {
    expect(await send({ deadlines: { ...LONG, totalMs: 0 } })).toMatchObject({
      outcome: 'not_sent',
      code: 'total_timeout',
    });
    expect(raw.connections).toBe(0);
  });
});

describe('what goes wrong', () => {
  it('F-B9: 429 with Retry-After is failed without content; cost stays null', async () => {
    answerStatus(429, { 'retry-after': '7' }, JSON.stringify({ error: { message: 'slow down', code: 'rate_limit' } }));
    expect(await send()).toMatchObject({
      outcome: 'failed',
      content: false,
      code: 'rate_limited',
      status: 429,
      retryAfterMs: 7_000,
      detail: 'slow down',
      usage: null,
    });
  });

  it.each([
    [500, '', 'provider_unavailable'],
    [401, '{"error":{"message":"bad key"}}', 'provider_auth'],
    [400, '{"error":{"message":"bad"}}', 'provider_rejected'],
    [400, '{"error":{"code":"context_length_exceeded"}}', 'too_long'],
  ])('T1: status %d %s is %s', async (status, text, code) => {
    answerStatus(status, { 'content-type': 'application/json' }, text);
    expect(await send()).toMatchObject({ outcome: 'failed', content: false, code, status });
  });

  it('an error whose body never ends still is that error', async () => {
    raw.answer = (reply) => void reply.writeHead(503).write('{"error":');
    const outcome = await send();
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'provider_unavailable', status: 503 });
    expect(outcome.timings.totalMs).toBeLessThan(10_000);
  });

  it('an error event is failed, after content and before it', async () => {
    answerStream(delta({ content: 'a' }), { error: { type: 'server_error', message: 'oops' } });
    expect(await send()).toMatchObject({
      outcome: 'failed',
      content: true,
      code: 'provider_unavailable',
      detail: 'oops',
    });
    answerStream({ error: { code: 'context_length_exceeded' } });
    expect(await send()).toMatchObject({ outcome: 'failed', content: false, code: 'too_long' });
  });

  it('F-B7: a stream that ends or breaks without the provider’s end is unknown', async () => {
    answerStream(delta({ content: 'a' }));
    expect(await send()).toMatchObject({ outcome: 'unknown', content: true, code: 'stream_cut', text: 'a' });
    raw.answer = (reply) => {
      stream(reply).write(sse(delta({ content: 'b' })));
      setTimeout(() => reply.socket?.resetAndDestroy(), 20);
    };
    expect(await send()).toMatchObject({ outcome: 'unknown', content: true, code: 'stream_cut', text: 'b' });
    raw.answer = (reply) => void stream(reply).end();
    expect(await send()).toMatchObject({ outcome: 'unknown', content: false, code: 'stream_cut' });
  });

  it('a JSON reply that is cut is unknown', async () => {
    raw.answer = (reply) => {
      reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"choices":[');
      setTimeout(() => reply.destroy(), 20);
    };
    expect(await send()).toMatchObject({ outcome: 'unknown', content: false, code: 'stream_cut' });
  });

  it.each([
    ['HTML', '<!doctype html><p>hi</p>\n'],
    ['broken JSON', '{"choices": [}'],
    ['JSON of another kind', '{"hello": "world"}'],
    ['events that are not JSON', 'data: <<<\n\n'],
  ])('T1: %s is garbage; nothing proves that the model did not read it', async (_name, text) => {
    answerStatus(200, {}, text);
    expect(await send()).toMatchObject({ outcome: 'unknown', content: false, code: 'garbage', status: 200 });
  });

  it('garbage after content is failed', async () => {
    answerStream(delta({ content: 'a' }), '{"cho');
    expect(await send()).toMatchObject({ outcome: 'failed', content: true, code: 'garbage' });
  });

  it('L6: a cancel cuts what is under way at once; a limit’s cut has its own code', async () => {
    for (const [reason, code] of [
      [undefined, 'cancelled'],
      [ABORTED_BY_LIMIT, 'aborted_by_limit'],
    ] as const) {
      const controller = new AbortController();
      raw.answer = (reply) => {
        stream(reply).write(sse(delta({ content: 'a' })));
        setTimeout(() => controller.abort(reason), 20);
      };
      expect(await send({ signal: controller.signal })).toMatchObject({ outcome: 'unknown', content: true, code });
      await until(() => raw.sockets.size === 0, { what: 'the connection to be cut' });
      expect(await send({ signal: controller.signal })).toMatchObject({ outcome: 'not_sent', code });
    }
    expect(raw.arrived).toHaveLength(2);
  });
});

describe('B3: not_sent is proof that no byte left', () => {
  it('B3: nobody listens, or the name is unknown: not sent', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as { port: number };
    closed.close();
    await once(closed, 'close');
    for (const baseUrl of [`http://127.0.0.1:${port}/v1`, 'http://no-such-host.invalid/v1']) {
      const away = new ModelProvider({ api: 'openai', baseUrl, apiKey: KEY });
      const outcome = await away.send({ api: 'openai', body, id: 'x', deadlines: LONG });
      expect(outcome).toMatchObject({ outcome: 'not_sent', code: 'connect_failed', status: null });
      expect(outcome.detail).toMatch(/^E[A-Z_]+$/);
    }
  });

  it('B3: a TLS handshake that fails lets no request out: not sent', async () => {
    const away = new ModelProvider({ api: 'openai', baseUrl: raw.url.replace('http:', 'https:'), apiKey: KEY });
    expect(await away.send({ api: 'openai', body, id: 'x', deadlines: LONG })).toMatchObject({
      outcome: 'not_sent',
      code: 'connect_failed',
    });
    expect(raw.arrived).toHaveLength(0);
  });

  it('B3: a deadline in the middle of a TLS handshake: not sent, and the deadline’s code', async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as { port: number };
    const away = new ModelProvider({ api: 'openai', baseUrl: `https://127.0.0.1:${port}/v1`, apiKey: KEY });
    expect(
      await away.send({ api: 'openai', body, id: 'x', deadlines: { ...LONG, firstContentMs: 100 } }),
    ).toMatchObject({
      outcome: 'not_sent',
      code: 'first_content_timeout',
    });
    mute.close();
  });

  it('B3: a connection that is reset after it stood is unknown, fresh or kept', async () => {
    const proxy = await tcpProxy({ port: raw.port });
    const through = new ModelProvider({ api: 'openai', baseUrl: proxy.through(raw.url), apiKey: KEY });
    raw.answer = () => proxy.reset();
    expect(await through.send({ api: 'openai', body, id: 'x', deadlines: LONG })).toMatchObject({
      outcome: 'unknown',
      code: 'stream_cut',
      content: false,
    });
    answerStream(delta({ content: 'a' }, 'stop'), '[DONE]');
    expect((await through.send({ api: 'openai', body, id: 'x', deadlines: LONG })).outcome).toBe('completed');
    raw.answer = (reply) => void reply.destroy();
    expect((await through.send({ api: 'openai', body, id: 'x', deadlines: LONG })).outcome).toBe('unknown');
    through.close();
    await proxy.stop();
  });
});

it('a key that a provider echoes in its answer stands neither in text nor in calls', async () => {
  const tool_calls = [
    { index: 0, id: `id ${KEY}`, function: { name: `n-${KEY}`, arguments: `{"a":"Bearer ${KEY}"}` } },
  ];
  answerStream(delta({ content: `your key ${KEY.slice(0, 7)}` }), delta({ content: `${KEY.slice(7)}, said` }));
  const cut = await send();
  answerStream(delta({ content: `sk-test and ${KEY}`, tool_calls }, 'tool_calls'), '[DONE]');
  const whole = await send();
  expect(JSON.stringify([cut, whole])).not.toContain(KEY);
  expect(cut.text).toBe('your key [key], said');
  expect(whole).toMatchObject({
    text: 'sk-test and [key]',
    calls: [{ id: 'id [key]', name: 'n-[key]', arguments: '{"a":"Bearer [key]"}' }],
  });
});
