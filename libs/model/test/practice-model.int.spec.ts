import { startProcess, until, type ServiceProcess } from '@waymark/testing';
import { ModelProvider, type ModelOutcome } from '../src/index.js';

const KEY = 'practice-key-1';
let model: ServiceProcess;
let url: string;
let provider: ModelProvider;

beforeAll(async () => {
  const entry = 'apps/practice-model/dist/main.js';
  const env = { PORT: '0', API_KEY: KEY, CONTEXT_BYTES: '20000' };
  model = await startProcess({ name: 'practice-model', entry, env, readyWhen: 'started' });
  url = await until(() => /"listening":"([^"]+)"/.exec(model.output())?.[1], { what: 'the address' });
  provider = new ModelProvider({ api: 'openai', baseUrl: `${url}/v1`, apiKey: KEY });
});
afterAll(async () => {
  provider.close();
  await model.stop();
});

const bodyOf = (stream: boolean, extra = ''): Uint8Array =>
  new TextEncoder().encode(
    JSON.stringify({
      model: 'practice-bench',
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [
        { role: 'system', content: `Purpose: explore${extra}` },
        { role: 'user', content: 'turns=3' },
      ],
      tools: [{ type: 'function', function: { name: 'list_sources', parameters: { type: 'object' } } }],
    }),
  );
const send = (stream = true, extra = ''): Promise<ModelOutcome> =>
  provider.send({
    api: 'openai',
    body: bodyOf(stream, extra),
    id: 'r1',
    deadlines: { firstContentMs: 300, progressMs: 300, totalMs: 2_000 },
  });
const misbehave = async (rule: object): Promise<void> => {
  const reply = await fetch(`${url}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rules: [rule] }),
  });
  expect(reply.ok).toBe(true);
};

describe('against the practice model', () => {
  it.each([true, false])('a call with its usage, streamed: %s', async (stream) => {
    await misbehave({ fault: 'latency', ms: 1 });
    const outcome = await send(stream);
    expect(outcome).toMatchObject({
      outcome: 'completed',
      finish: 'tool_calls',
      calls: [{ name: 'list_sources', arguments: '{}' }],
    });
    expect(outcome.text).toContain('Bench turn');
    expect(outcome.usage?.inputTokens).toBeGreaterThan(0);
  });

  it.each([
    [
      { fault: 'status', status: 429, retryAfter: 3 },
      { outcome: 'failed', code: 'rate_limited', retryAfterMs: 3_000 },
    ],
    [
      { fault: 'status', status: 500 },
      { outcome: 'failed', code: 'provider_unavailable' },
    ],
    [
      { fault: 'status', status: 400 },
      { outcome: 'failed', code: 'too_long' },
    ],
    [{ fault: 'stall' }, { outcome: 'unknown', code: 'first_content_timeout', content: false }],
    [
      { fault: 'pings_only', everyMs: 20 },
      { outcome: 'unknown', code: 'first_content_timeout', content: false },
    ],
    [
      { fault: 'stall_after', bytes: 10 },
      { outcome: 'unknown', code: 'progress_timeout', content: true },
    ],
    [
      { fault: 'cut', chunks: 1 },
      { outcome: 'unknown', code: 'stream_cut', content: true },
    ],
    [{ fault: 'mid_error' }, { outcome: 'failed', code: 'provider_unavailable', content: true }],
    [
      { fault: 'garbage', form: 'html' },
      { outcome: 'unknown', code: 'garbage', content: false },
    ],
    [
      { fault: 'garbage', form: 'sse' },
      { outcome: 'unknown', code: 'garbage', content: false },
    ],
    [{ fault: 'slow', everyMs: 2 }, { outcome: 'unknown' }],
    [{ fault: 'empty' }, { outcome: 'completed', content: false, text: '', calls: [] }],
    [{ fault: 'length' }, { outcome: 'completed', finish: 'length' }],
    [{ fault: 'bad_tool_json' }, { outcome: 'completed', finish: 'tool_calls' }],
  ])('T1, F-T2: %j', async (rule, expected) => {
    await misbehave(rule);
    expect(await send()).toMatchObject(expected);
  });

  it('C18: a body over the context window is too long; a wrong key is auth', async () => {
    await misbehave({ fault: 'latency', ms: 1 });
    expect(await send(true, 'x'.repeat(30_000))).toMatchObject({ outcome: 'failed', code: 'too_long', status: 400 });
    const other = new ModelProvider({ api: 'openai', baseUrl: `${url}/v1`, apiKey: 'wrong' });
    const outcome = await other.send({
      api: 'openai',
      body: bodyOf(true),
      id: 'x',
      deadlines: { firstContentMs: 900, progressMs: 900, totalMs: 900 },
    });
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'provider_auth', content: false });
    other.close();
  });
});
