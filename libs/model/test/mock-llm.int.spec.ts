import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startProcess, type ServiceProcess } from '@waymark/testing';
import { ModelProvider, type ModelOutcome } from '../src/index.js';

/**
 * The OpenAI side against a server that is not ours: `@dwmkerr/mock-llm`, on loopback. It streams text in chunks and answers
 * with configured errors. It streams neither tool calls nor usage, sends no `Retry-After` and speaks no Anthropic: those are
 * checked against our own servers only.
 */
const KEY = 'mock-key';
const LONG = { firstContentMs: 30_000, progressMs: 30_000, totalMs: 30_000 };
const answer = (content: string): string =>
  JSON.stringify({
    id: 'mock-1',
    object: 'chat.completion',
    created: 1,
    model: '{{jmes request body.model}}',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  });
const error = (status: number, error: object, match: string): object => ({
  path: '/v1/chat/completions',
  match,
  response: { status, content: JSON.stringify({ error }) },
});
const said = (word: string): string => `contains(body.messages[-1].content, '${word}')`;
/** JSON is YAML. The last rule that matches wins. */
const CONFIG = {
  streaming: { chunkSize: 3, chunkIntervalMs: 1 },
  rules: [
    { path: '/v1/chat/completions', response: { status: 200, content: answer('Grüße 漢字 😀: done.') } },
    error(429, { message: 'slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' }, said('too-fast')),
    error(400, { message: 'no', type: 'invalid_request_error', code: 'context_length_exceeded' }, said('too-long')),
    error(503, { message: 'overloaded', type: 'server_error' }, said('overloaded')),
    error(401, { message: 'Incorrect API key', code: 'invalid_api_key' }, `headers.authorization != 'Bearer ${KEY}'`),
  ],
};

let folder: string;
let mock: ServiceProcess;
let provider: ModelProvider;
let baseUrl: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mock-llm-'));
  const config = join(folder, 'mock-llm.yaml');
  writeFileSync(config, JSON.stringify(CONFIG));
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}/v1`;
  mock = await startProcess({
    name: 'mock-llm',
    entry: 'node_modules/@dwmkerr/mock-llm/dist/main.js',
    args: ['--config', config],
    env: { HOST: '127.0.0.1', PORT: String(port) },
    readyTimeoutMs: 60_000,
    readyWhen: (child) => child.output().includes(`running on 127.0.0.1:${port}`),
  });
  provider = new ModelProvider({ api: 'openai', baseUrl, apiKey: KEY });
}, 90_000);
afterAll(async () => {
  provider?.close();
  await mock?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const send = (content: string, stream: boolean, by = provider): Promise<ModelOutcome> =>
  by.send({
    api: 'openai',
    body: new TextEncoder().encode(JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content }] })),
    id: 'mock/1',
    deadlines: LONG,
  });

describe('the OpenAI side against an independent server (no tool calls, no streamed usage there)', () => {
  it('B13: a streamed answer in chunks; usage that was not reported is null', async () => {
    const seen: string[] = [];
    const outcome = await provider.send({
      api: 'openai',
      body: new TextEncoder().encode('{"model":"m","stream":true,"messages":[{"role":"user","content":"hello"}]}'),
      id: 'mock/1',
      deadlines: LONG,
      onProgress: (text) => seen.push(text),
    });
    expect(outcome).toMatchObject({
      outcome: 'completed',
      content: true,
      status: 200,
      text: 'Grüße 漢字 😀: done.',
      calls: [],
      finish: 'stop',
      usage: null,
    });
    expect(seen.length).toBeGreaterThan(3);
  });

  it('a whole JSON answer with its usage', async () => {
    expect(await send('hello', false)).toMatchObject({
      outcome: 'completed',
      text: 'Grüße 漢字 😀: done.',
      finish: 'stop',
      usage: { inputTokens: 7, outputTokens: 3, cachedInputTokens: null, costMicros: null },
    });
  });

  it.each([
    ['too-fast', 'rate_limited', 429],
    ['too-long', 'too_long', 400],
    ['overloaded', 'provider_unavailable', 503],
  ])('B14: its error for "%s" is %s, by status and as the event of a stream', async (words, code, status) => {
    expect(await send(words, false)).toMatchObject({ outcome: 'failed', content: false, code, status });
    expect(await send(words, true)).toMatchObject({ outcome: 'failed', content: false, code, status: 200 });
  });

  it('a key that it does not take is provider_auth, and stands neither in the outcome nor in its log', async () => {
    const wrong = new ModelProvider({ api: 'openai', baseUrl, apiKey: 'sk-planted-in-mock' });
    const outcome = await send('hello', false, wrong);
    wrong.close();
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'provider_auth', status: 401 });
    expect(JSON.stringify(outcome)).not.toContain('sk-planted');
    expect(mock.output()).not.toContain('sk-planted');
  });

  it('what it does not have at all is refused, not unknown', async () => {
    const elsewhere = new ModelProvider({ api: 'anthropic', baseUrl, apiKey: KEY });
    const body = new TextEncoder().encode('{}');
    const outcome = await elsewhere.send({ api: 'anthropic', body, id: 'mock/2', deadlines: LONG });
    elsewhere.close();
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'provider_rejected', status: 404 });
  });
});
