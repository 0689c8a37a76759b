import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Anthropic } from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { until } from '@waymark/testing';
import { readConfig } from './config.js';
import { startPracticeModel, type PracticeModel } from './start-practice-model.js';

/** The Messages API as Anthropic's official client sees it. */
const bench: MessageCreateParamsNonStreaming = {
  model: 'practice-bench',
  max_tokens: 4_000,
  system: 'Purpose: explore\nBench.',
  messages: [{ role: 'user', content: 'turns=3' }],
};
let folder: string;
let logFile: string;
let model: PracticeModel;
let client: Anthropic;

const connect = (url: string, apiKey = 'none'): Anthropic =>
  new Anthropic({ baseURL: `${url}`, apiKey, maxRetries: 0, logLevel: 'off' });
const control = async (body: object): Promise<void> => {
  const reply = await fetch(`${model.url}/control/faults`, { method: 'POST', body: JSON.stringify(body) });
  expect(reply.status).toBe(200);
};
const once = async (fault: object): Promise<void> => control({ rules: [{ ...fault, times: 1 }] });
const events = async (): Promise<RawMessageStreamEvent[]> => {
  const seen: RawMessageStreamEvent[] = [];
  for await (const event of await client.messages.create({ ...bench, stream: true })) seen.push(event);
  return seen;
};

const lastEntry = async (): Promise<{ answeredWith?: string } | undefined> => {
  const reply = await fetch(`${model.url}/log?digestsOnly=true`);
  return ((await reply.json()) as { entries: { answeredWith?: string }[] }).entries.at(-1);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'practice-messages-'));
  logFile = join(folder, 'requests.jsonl');
  model = await startPracticeModel(readConfig({ PORT: '0', LOG_FILE: logFile, FAULT_HOLD_MS: '20000' }));
  client = connect(model.url);
});
afterAll(async () => {
  await model.stop();
  await rm(folder, { recursive: true });
});

describe('the Messages API', () => {
  it('streams start, text in pieces, calls with their input in pieces, cumulative usage, stop', async () => {
    const seen = await events();
    expect(seen[0]).toMatchObject({
      type: 'message_start',
      message: { role: 'assistant', content: [], stop_reason: null },
    });
    expect(seen.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: 'tool_use' } });
    expect(seen.at(-1)).toEqual({ type: 'message_stop' });
    const begun = seen.flatMap((e) => (e.type === 'content_block_start' ? [`${e.index} ${e.content_block.type}`] : []));
    expect(begun).toEqual(['0 text', '1 tool_use']);
    expect(seen.filter((e) => e.type === 'content_block_stop')).toHaveLength(2);
  });

  it('the client puts a streamed answer together as the one that is not streamed', async () => {
    const whole = await client.messages.create(bench);
    const streamed = await client.messages.stream(bench).finalMessage();
    expect(whole.content).toMatchObject([{ type: 'text' }, { type: 'tool_use', name: 'list_sources', input: {} }]);
    expect(JSON.parse(JSON.stringify(streamed.content))).toEqual(whole.content);
    expect(streamed.stop_reason).toBe(whole.stop_reason);
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(whole.usage.input_tokens).toBeGreaterThan(0);
  });

  it('lists its models to this client too', async () => {
    const ids = [];
    for await (const one of client.models.list()) ids.push(one.id);
    expect(ids).toEqual(['practice-researcher', 'practice-bench']);
  });

  it('C14: what the API refuses is refused in its words', async () => {
    const messages = [
      { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 'a', content: 'y' }] },
    ];
    await expect(client.messages.create({ ...bench, model: 'practice-researcher', messages })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringContaining('unexpected `tool_use_id`'),
    });
    await expect(client.messages.create({ ...bench, model: 'claude-9' })).rejects.toMatchObject({
      status: 404,
      type: 'not_found_error',
    });
    const bare = await fetch(`${model.url}/v1/messages`, { method: 'POST', body: JSON.stringify(bench) });
    expect([bare.status, await bare.text()]).toEqual([
      400,
      expect.stringContaining('anthropic-version: header is required'),
    ]);
  });

  it('C18: a body above the context window is "too long"; a wrong key is a 401, by either header', async () => {
    const small = await startPracticeModel(readConfig({ PORT: '0', CONTEXT_BYTES: '100', API_KEY: 'right' }));
    try {
      await expect(connect(small.url, 'wrong').messages.create(bench)).rejects.toMatchObject({
        status: 401,
        type: 'authentication_error',
      });
      await expect(connect(small.url, 'right').messages.create(bench)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('prompt is too long'),
      });
      const headers = { 'x-api-key': 'right', 'anthropic-version': '2023-06-01' };
      const body = JSON.stringify(bench);
      expect((await fetch(`${small.url}/v1/messages`, { method: 'POST', headers, body })).status).toBe(400);
    } finally {
      await small.stop();
    }
  });

  it('the log holds the exact bytes, and by which API they came', async () => {
    const body = `{ "model":"practice-bench", "max_tokens": 9,\n "messages":[{"role":"user","content":"turns=1 é 费率"}]}  `;
    const headers = { 'x-waymark-request': 'run-2/7', 'anthropic-version': '2023-06-01' };
    await (await fetch(`${model.url}/v1/messages`, { method: 'POST', headers, body })).text();
    const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
    const arrived = lines.map((l) => JSON.parse(l) as Record<string, string>).find((l) => l['id'] === 'run-2/7');
    expect(arrived).toMatchObject({ kind: 'arrived', api: 'anthropic', model: 'practice-bench' });
    expect(Buffer.from(arrived?.['bytesBase64'] ?? '', 'base64').toString('utf8')).toBe(body);
  });
});

describe('faults', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [403, 'permission_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('status %i is %s', async (status, type) => {
    await once({ fault: 'status', status });
    await expect(client.messages.create(bench)).rejects.toMatchObject({ status, type });
  });

  it('a 429 tells when to come back; an error may have no body', async () => {
    await once({ fault: 'status', status: 429, retryAfter: 7 });
    const error: unknown = await client.messages.create(bench).catch((e: unknown) => e);
    expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get('retry-after')).toBe('7');
    await once({ fault: 'status', status: 529, body: false });
    await expect(client.messages.create(bench)).rejects.toMatchObject({ status: 529, type: null });
  });

  it('an error in mid-stream comes after content; a cut has no end', async () => {
    await once({ fault: 'mid_error' });
    await expect(events()).rejects.toMatchObject({ type: 'api_error' });
    await once({ fault: 'cut', chunks: 1 });
    await expect(client.messages.stream(bench).finalMessage()).rejects.toThrow();
  });

  it.each([
    ['empty', 'end_turn', []],
    ['length', 'max_tokens', ['text']],
    ['filtered', 'refusal', ['text']],
    ['always_tools', 'tool_use', ['text', 'tool_use']],
    ['unknown_tool', 'tool_use', ['text', 'tool_use']],
  ])('an answer can be %s', async (fault, reason, blocks) => {
    await once({ fault });
    const answer = await client.messages.stream(bench).finalMessage();
    expect([answer.stop_reason, answer.content.map((b) => b.type)]).toEqual([reason, blocks]);
  });

  it('pings only is alive and never says a word', async () => {
    await once({ fault: 'pings_only', everyMs: 5 });
    const headers = { 'anthropic-version': '2023-06-01' };
    const body = JSON.stringify({ ...bench, stream: true });
    const reply = await fetch(`${model.url}/v1/messages`, { method: 'POST', headers, body });
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of reply.body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      if (text.includes('text_delta') && text.includes('event: ping')) break;
    }
    expect(text).not.toMatch(/"text":"[^"]/);
    await until(async () => (await lastEntry())?.answeredWith, { what: 'the server to see that the client went' });
  });
});
