import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { readConfig } from './config.js';
import { startPracticeModel, type PracticeModel } from './start-practice-model.js';

type Params = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;
type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;

const bench: Params = {
  model: 'practice-bench',
  messages: [
    { role: 'system', content: 'Purpose: explore\nBench.' },
    { role: 'user', content: 'turns=3' },
  ],
  stream: true,
  stream_options: { include_usage: true },
};

let folder: string;
let logFile: string;
let model: PracticeModel;
let client: OpenAI;

const connect = (url: string, apiKey = 'none'): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

async function collect(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

async function control(path: string, body?: unknown, method = 'POST'): Promise<Response> {
  return fetch(`${model.url}/${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

async function strikeOnce(fault: object): Promise<void> {
  const answer = await control('control/faults', { rules: [{ ...fault, times: 1 }] });
  expect(answer.status).toBe(200);
}

interface Entry {
  n: number;
  id: string | null;
  sha256: string;
  size: number;
  answeredWith?: string;
  firstByteAt?: string | null;
  disconnected?: boolean;
  bytesBase64?: string;
}
async function log(query = ''): Promise<Entry[]> {
  return ((await (await fetch(`${model.url}/log?${query}`)).json()) as { entries: Entry[] }).entries;
}
async function lastSettled(): Promise<Entry> {
  for (const end = Date.now() + 5000; ;) {
    const last = (await log('digestsOnly=true')).at(-1);
    if (last?.answeredWith !== undefined) return last;
    if (Date.now() > end) throw new Error('the request was never settled in the log');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'practice-model-'));
  logFile = join(folder, 'requests.jsonl');
  model = await startPracticeModel(readConfig({ PORT: '0', LOG_FILE: logFile, FAULT_HOLD_MS: '20000' }));
  client = connect(model.url);
});

afterAll(async () => {
  await model.stop();
  await rm(folder, { recursive: true });
});

describe('the API as the official client sees it', () => {
  it('streams role first, content in pieces, the calls, the finish, and usage last', async () => {
    const chunks = await collect(await client.chat.completions.create(bench));
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    const text = chunks.map((c) => c.choices[0]?.delta.content ?? '').join('');
    expect(text).toHaveLength(300);
    expect(chunks.flatMap((c) => c.choices[0]?.delta.tool_calls ?? [])[0]).toMatchObject({
      index: 0,
      id: 'call_0_0',
      function: { name: 'list_sources' },
    });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
    expect(
      chunks.every((c) => c.system_fingerprint === undefined || c.system_fingerprint.includes('not a language model')),
    ).toBe(true);
  });

  it('the client puts a streamed answer together as the one that is not streamed', async () => {
    const params = { model: bench.model, messages: bench.messages };
    const whole = await client.chat.completions.create({ ...params, stream: false });
    const streamed = await client.chat.completions.stream(params).finalChatCompletion();
    const { role, content, tool_calls } = streamed.choices[0]!.message;
    expect(whole.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { role, content } });
    expect(tool_calls).toMatchObject(JSON.parse(JSON.stringify(whole.choices[0]!.message.tool_calls)));
  });

  it('the stream ends with [DONE], which the client swallows', async () => {
    const answer = await fetch(`${model.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(bench) });
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    expect((await answer.text()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('lists its models, says what it is, and is healthy', async () => {
    const models = [];
    for await (const m of client.models.list()) models.push(m);
    expect(models.map((m) => m.id)).toEqual(['practice-researcher', 'practice-bench']);
    expect(models[0]?.owned_by).toBe('practice model: not a language model');
    for (const probe of ['live', 'ready', 'startup'])
      expect((await fetch(`${model.url}/health/${probe}`)).status).toBe(200);
  });

  it('C14: an orphan tool result is refused with an error that the client can read', async () => {
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'tool', tool_call_id: 'a', content: 'y' },
    ] as Params['messages'];
    const refused = client.chat.completions.create({ model: 'practice-researcher', messages });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'messages[1].tool_call_id',
    });
    expect(await lastSettled()).toMatchObject({ answeredWith: 'refused:400' });
  });

  it('an unknown model is a 404, broken JSON a 400', async () => {
    await expect(client.chat.completions.create({ ...bench, model: 'gpt-9' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
    const broken = await fetch(`${model.url}/v1/chat/completions`, {
      method: 'POST',
      body: '{"model":"practice-researcher", ',
    });
    expect(broken.status).toBe(400);
  });

  it('a body above the context window is "too long"; a wrong key is a 401', async () => {
    const small = await startPracticeModel(readConfig({ PORT: '0', CONTEXT_BYTES: '100', API_KEY: 'right' }));
    try {
      await expect(connect(small.url, 'wrong').chat.completions.create(bench)).rejects.toMatchObject({ status: 401 });
      await expect(connect(small.url, 'right').chat.completions.create(bench)).rejects.toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
      });
    } finally {
      await small.stop();
    }
  });
});

describe('the request log', () => {
  it('holds the exact bytes that arrived, readable without our code', async () => {
    const body = '{ "model":"practice-bench" ,\n "messages":[{"role":"user","content":"turns=1 \\u00e9 é 费率"}]}  ';
    await fetch(`${model.url}/v1/chat/completions`, {
      method: 'POST',
      body,
      headers: { 'x-waymark-request': 'run-1/7' },
    });
    const lines = (await readFile(logFile, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((l) => JSON.parse(l) as Entry & { kind: string });
    const arrived = lines.filter((l) => l.kind === 'arrived').at(-1)!;
    const bytes = Buffer.from(arrived.bytesBase64!, 'base64');
    expect(bytes.toString('utf8')).toBe(body);
    expect(arrived).toMatchObject({
      id: 'run-1/7',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const settled = await lastSettled();
    expect(settled).toMatchObject({ n: arrived.n, answeredWith: 'completed', firstByteAt: expect.any(String) });
    expect(settled).not.toHaveProperty('bytesBase64');
    expect((await log(`after=${arrived.n - 1}`))[0]).toMatchObject({ n: arrived.n, bytesBase64: arrived.bytesBase64 });
  });

  it('goes on after a torn last line', async () => {
    const path = join(folder, 'torn.jsonl');
    const first = await startPracticeModel(readConfig({ PORT: '0', LOG_FILE: path }));
    await collect(await connect(first.url).chat.completions.create(bench));
    await first.stop();
    await appendFile(path, '{"kind":"arrived","n":2,"by');
    const second = await startPracticeModel(readConfig({ PORT: '0', LOG_FILE: path }));
    await collect(await connect(second.url).chat.completions.create(bench));
    const { entries } = (await (await fetch(`${second.url}/log`)).json()) as { entries: Entry[] };
    await second.stop();
    expect(entries.map((e) => [e.n, e.answeredWith])).toEqual([
      [1, 'completed'],
      [2, 'completed'],
    ]);
    expect(entries[1]?.bytesBase64).toBe(entries[0]?.bytesBase64);
  });

  it('keeps digests only when told so', async () => {
    const path = join(folder, 'digests.jsonl');
    const lean = await startPracticeModel(readConfig({ PORT: '0', LOG_FILE: path, LOG_BODIES: 'false' }));
    await collect(await connect(lean.url).chat.completions.create(bench));
    await lean.stop();
    expect(await readFile(path, 'utf8')).not.toContain('bytesBase64');
  });
});

describe('faults', () => {
  const failing = (options?: { signal?: AbortSignal }) => client.chat.completions.create(bench, options).then(collect);

  it.each([
    [400, 'context_length_exceeded'],
    [401, 'invalid_api_key'],
    [403, 'permission_denied'],
    [429, 'rate_limit_exceeded'],
    [500, 'server_error'],
    [503, 'overloaded'],
  ])('status %i carries code %s', async (status, code) => {
    await strikeOnce({ fault: 'status', status });
    await expect(failing()).rejects.toMatchObject({ status, code });
    expect(await lastSettled()).toMatchObject({ answeredWith: 'fault:status' });
  });

  it('a 429 tells when to come back, in seconds or as a date; a 500 may have no body', async () => {
    for (const retryAfter of [7, 'Fri, 31 Dec 2027 23:59:59 GMT']) {
      await strikeOnce({ fault: 'status', status: 429, retryAfter });
      const error: unknown = await failing().catch((e: unknown) => e);
      expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe(String(retryAfter));
    }
    await strikeOnce({ fault: 'status', status: 500, body: false });
    await expect(failing()).rejects.toMatchObject({ status: 500 });
  });

  it('a stall sends no byte, and a disconnect ends it', async () => {
    await strikeOnce({ fault: 'stall' });
    await expect(failing({ signal: AbortSignal.timeout(1_000) })).rejects.toThrow();
    expect(await lastSettled()).toMatchObject({ answeredWith: 'fault:stall', firstByteAt: null, disconnected: true });
  });

  it('stall_after brings content and then nothing', async () => {
    await strikeOnce({ fault: 'stall_after', bytes: 10 });
    const abort = new AbortController();
    const seen: Chunk[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of await client.chat.completions.create(bench, { signal: abort.signal })) {
        seen.push(chunk);
        if (chunk.choices[0]?.delta.content) setTimeout(() => abort.abort(), 50);
      }
    };
    await read().catch(() => undefined);
    expect(seen.map((c) => c.choices[0]?.delta.content ?? '').join('').length).toBeGreaterThan(0);
    expect(seen.some((c) => c.choices[0]?.finish_reason)).toBe(false);
  });

  it('pings only is alive and never says a word', async () => {
    await strikeOnce({ fault: 'pings_only', everyMs: 5 });
    const abort = new AbortController();
    let empty = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of await client.chat.completions.create(bench, { signal: abort.signal })) {
        expect(chunk.choices[0]?.delta.content).toBe('');
        if (++empty === 3) abort.abort();
      }
    };
    await read().catch(() => undefined);
    expect(empty).toBe(3);
  });

  it('slow comes one byte at a time', async () => {
    await strikeOnce({ fault: 'slow', everyMs: 200 });
    const answer = await fetch(`${model.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(bench) });
    const reader = answer.body!.getReader();
    expect((await reader.read()).value?.length).toBe(1);
    await reader.cancel();
  });

  it('a cut stream ends without finish and without [DONE]', async () => {
    await strikeOnce({ fault: 'cut', chunks: 1 });
    await expect(failing()).rejects.toThrow();
    await strikeOnce({ fault: 'cut', chunks: 1 });
    const answer = await fetch(`${model.url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(bench) });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const part of answer.body!) text += Buffer.from(part).toString('utf8');
    };
    await expect(read()).rejects.toThrow();
    expect(text).toContain('Bench turn');
    expect(text).not.toContain('[DONE]');
  });

  it('garbage is no event stream that a client can read', async () => {
    await strikeOnce({ fault: 'garbage', form: 'sse' });
    await expect(failing()).rejects.toThrow();
    await strikeOnce({ fault: 'garbage', form: 'html' });
    const chunks = await failing().catch(() => []);
    expect(chunks).toEqual([]);
  });

  it('an error in mid-stream comes after content', async () => {
    await strikeOnce({ fault: 'mid_error' });
    const seen: string[] = [];
    const read = async (): Promise<void> => {
      for await (const chunk of await client.chat.completions.create(bench))
        seen.push(chunk.choices[0]?.delta.content ?? '');
    };
    await expect(read()).rejects.toMatchObject({ code: 'server_error' });
    expect(seen.join('').length).toBeGreaterThan(0);
  });

  it.each([
    ['empty', 'stop', '', []],
    ['length', 'length', expect.stringMatching(/^Bench/), []],
    ['always_tools', 'tool_calls', expect.any(String), ['search']],
    ['bad_tool_json', 'tool_calls', expect.any(String), ['read_range']],
    ['unknown_tool', 'tool_calls', expect.any(String), ['open_portal']],
  ])('an answer can be %s', async (fault, finish, content, tools) => {
    await strikeOnce({ fault });
    const params = { model: bench.model, messages: bench.messages };
    const choice = (await client.chat.completions.create({ ...params, stream: false })).choices[0]!;
    expect(choice.finish_reason).toBe(finish);
    expect(choice.message.content).toEqual(content);
    expect((choice.message.tool_calls ?? []).map((c) => (c.type === 'function' ? c.function.name : ''))).toEqual(tools);
  });

  it('what hangs is bounded by the hold time', async () => {
    const short = await startPracticeModel(
      readConfig({ PORT: '0', FAULT_HOLD_MS: '50', FAULTS: '{"rules":[{"fault":"stall"}]}' }),
    );
    await expect(connect(short.url).chat.completions.create(bench)).rejects.toThrow();
    await short.stop();
  });

  it('a plan that is wrong is refused with what is wrong', async () => {
    const answer = await control('control/faults', { rules: [{ fault: 'earthquake' }] });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'invalid_input', remedy: expect.any(String) });
    expect(() => readConfig({ FAULTS: '{"rules":1}' })).toThrow(/FAULTS/);
  });

  it('the latency can be set while it runs', async () => {
    await control('control/latency', { ms: 60 });
    const began = Date.now();
    await failing();
    await control('control/latency', { ms: 0 });
    expect(Date.now() - began).toBeGreaterThanOrEqual(55);
  });
});
