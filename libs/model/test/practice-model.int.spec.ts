import { startProcess, until, type ServiceProcess } from '@waymark/testing';
import { Anthropic } from '@anthropic-ai/sdk';
import { OpenAI } from 'openai';
import { MODEL_APIS, ModelProvider, type ModelCall, type ModelOutcome } from '../src/index.js';

const KEY = 'practice-key-1';
let model: ServiceProcess;
let url: string;

beforeAll(async () => {
  const entry = 'apps/practice-model/dist/main.js';
  const env = { PORT: '0', API_KEY: KEY, CONTEXT_BYTES: '20000' };
  model = await startProcess({ name: 'practice-model', entry, env, readyWhen: 'started' });
  url = await until(() => /"listening":"([^"]+)"/.exec(model.output())?.[1], { what: 'the address' });
});
afterAll(async () => {
  await model.stop();
});

const openAiParams = (extra: string) => ({
  model: 'practice-bench',
  messages: [
    { role: 'system' as const, content: `Purpose: explore${extra}` },
    { role: 'user' as const, content: 'turns=3' },
  ],
  tools: [{ type: 'function' as const, function: { name: 'list_sources', parameters: { type: 'object' } } }],
});
const anthropicParams = (extra: string) => ({
  model: 'practice-bench',
  max_tokens: 4_000,
  system: `Purpose: explore${extra}`,
  messages: [{ role: 'user' as const, content: 'turns=3' }],
  tools: [{ name: 'list_sources', input_schema: { type: 'object' as const } }],
});
const misbehave = async (rule: object): Promise<void> => {
  const reply = await fetch(`${url}/control/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rules: [rule] }),
  });
  expect(reply.ok).toBe(true);
};

const LONG = { firstContentMs: 20_000, progressMs: 20_000, totalMs: 20_000 };
/** What hangs is waited for no longer than this; the rest has all the time that a busy machine takes. */
const SHORT: Readonly<Record<string, Partial<typeof LONG>>> = {
  stall: { firstContentMs: 1_000 },
  pings_only: { firstContentMs: 1_000 },
  slow: { firstContentMs: 1_000 },
  stall_after: { progressMs: 300 },
};

/** Our own server in both APIs: tool calls, usage and faults could not be checked against another. */
describe.each(MODEL_APIS)('%s against the practice model', (api) => {
  let provider: ModelProvider;
  beforeEach(() => (provider = new ModelProvider({ api, baseUrl: `${url}/v1`, apiKey: KEY })));
  afterEach(() => provider.close());

  const bodyOf = (stream: boolean, extra = ''): Uint8Array => {
    const params = api === 'openai' ? openAiParams(extra) : anthropicParams(extra);
    const usage = api === 'openai' && stream ? { stream_options: { include_usage: true } } : {};
    return new TextEncoder().encode(JSON.stringify({ ...params, stream, ...usage }));
  };
  const send = (stream = true, extra = '', deadlines: Partial<typeof LONG> = {}): Promise<ModelOutcome> =>
    provider.send({ api, body: bodyOf(stream, extra), id: 'r1', deadlines: { ...LONG, ...deadlines } });

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
    [{ fault: 'slow', everyMs: 20 }, { outcome: 'unknown' }],
    [{ fault: 'empty' }, { outcome: 'completed', content: false, text: '', calls: [] }],
    [{ fault: 'length' }, { outcome: 'completed', finish: 'length' }],
    [{ fault: 'bad_tool_json' }, { outcome: 'completed', finish: 'tool_calls' }],
  ])('T1, F-T2: %j', async (rule: { readonly fault: string }, expected) => {
    await misbehave(rule);
    expect(await send(true, '', SHORT[rule.fault] ?? {})).toMatchObject(expected);
  });

  it('C18: a body over the context window is too long; a wrong key is auth', async () => {
    await misbehave({ fault: 'latency', ms: 1 });
    expect(await send(true, 'x'.repeat(30_000))).toMatchObject({ outcome: 'failed', code: 'too_long', status: 400 });
    const other = new ModelProvider({ api, baseUrl: `${url}/v1`, apiKey: 'wrong' });
    const outcome = await other.send({ api, body: bodyOf(true), id: 'x', deadlines: LONG });
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'provider_auth', content: false });
    other.close();
  });

  it('the official client’s own accumulator reads the same answer from the same server', async () => {
    await misbehave({ fault: 'latency', ms: 1 });
    const ours = await send();
    const theirs = api === 'openai' ? await openAiAnswer() : await anthropicAnswer();
    expect({ text: ours.text, calls: ours.calls, output: ours.usage?.outputTokens }).toEqual(theirs);
    expect(ours.calls.length).toBeGreaterThan(0);
  });
});

interface Theirs {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly output: number | undefined;
}

async function openAiAnswer(): Promise<Theirs> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 });
  const params = { ...openAiParams(''), stream_options: { include_usage: true } };
  const { choices, usage } = await client.chat.completions.stream(params).finalChatCompletion();
  const message = choices[0]?.message;
  const calls = (message?.tool_calls ?? []).flatMap((c) =>
    c.type === 'function' ? [{ id: c.id, name: c.function.name, arguments: c.function.arguments }] : [],
  );
  return { text: message?.content ?? '', calls, output: usage?.completion_tokens };
}

async function anthropicAnswer(): Promise<Theirs> {
  const client = new Anthropic({ baseURL: url, apiKey: KEY, maxRetries: 0 });
  const { content, usage } = await client.messages.stream(anthropicParams('')).finalMessage();
  return {
    text: content.flatMap((b) => (b.type === 'text' ? [b.text] : [])).join(''),
    calls: content.flatMap((b) =>
      b.type === 'tool_use' ? [{ id: b.id, name: b.name, arguments: JSON.stringify(b.input) }] : [],
    ),
    output: usage.output_tokens,
  };
}
