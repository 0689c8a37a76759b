import { AnthropicAnswer } from './anthropic-answer.js';
import { MAX_CALLS, MAX_RESPONSE_BYTES } from './outcome.js';

const begun = (block: object, index = 0): object => ({ type: 'content_block_start', index, content_block: block });
const delta = (body: object, index = 0): object => ({ type: 'content_block_delta', index, delta: body });
const text = (words: string, index = 0): object => delta({ type: 'text_delta', text: words }, index);
const json = (piece: string, index: number): object => delta({ type: 'input_json_delta', partial_json: piece }, index);
const asked = (id: string, name: string, index: number, input: unknown = {}): object =>
  begun({ type: 'tool_use', id, name, input }, index);
const stopped = (reason: string | null, usage: object = {}): object => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage,
});
const started = (usage: object): object => ({
  type: 'message_start',
  message: { type: 'message', content: [], usage },
});
const grown = (...events: object[]): AnthropicAnswer => {
  const answer = new AnthropicAnswer();
  for (const event of events) answer.take(event, 'delta');
  return answer;
};

describe('an Anthropic answer', () => {
  it('T1: starts, empty pieces, ends of blocks, pings and unknown events are not content; text, thinking, calls are', () => {
    const kinds = [
      started({ input_tokens: 3, output_tokens: 1 }),
      { type: 'ping' },
      begun({ type: 'text', text: '' }),
      text(''),
      { type: 'content_block_stop', index: 0 },
      { type: 'something_new', data: 1 },
      begun({ type: 'thinking', thinking: '' }, 1),
      {},
    ].map((event) => grown().take(event, 'delta').kind);
    expect(new Set(kinds)).toEqual(new Set(['nothing']));
    for (const event of [
      text('x'),
      delta({ type: 'thinking_delta', thinking: 'hm' }),
      delta({ type: 'signature_delta', signature: 'abc' }),
      json('{', 0),
      asked('a', 'find', 0),
      begun({ type: 'redacted_thinking', data: 'x' }),
    ]) {
      expect(grown().take(event, 'delta').kind).toBe('content');
    }
  });

  it('a stream out of order loses no call and none of its arguments', () => {
    const early = grown(json('{"closing":', 0), json('"x"}', 0), asked('a', 'finish', 0), stopped('tool_use'));
    expect(early.calls).toEqual([{ id: 'a', name: 'finish', arguments: '{"closing":"x"}' }]);
    const same = grown(asked('a', 'find', 0), json('{"q":1}', 0), asked('b', 'read', 0), json('{"q":2}', 0));
    expect(same.calls).toEqual([
      { id: 'a', name: 'find', arguments: '{"q":1}' },
      { id: 'b', name: 'read', arguments: '{"q":2}' },
    ]);
    const back = grown(asked('b', 'read', 2), asked('a', 'find', 1), json('{"q":2}', 2), json('{"q":1}', 1));
    expect(back.calls.map(({ id, arguments: args }) => [id, args])).toEqual([
      ['a', '{"q":1}'],
      ['b', '{"q":2}'],
    ]);
  });

  it('blocks and deltas of unknown kinds are the model’s own, and lose nothing of what is known', () => {
    const answer = grown(
      begun({ type: 'hologram', shape: 'cube' }, 0),
      delta({ type: 'hologram_delta', edges: 12 }, 0),
      begun({ type: 'text', text: '' }, 1),
      text('seen', 1),
      asked('c', 'find', 2),
      stopped('tool_use'),
    );
    expect(answer).toMatchObject({ text: 'seen', content: true, finish: 'tool_calls' });
    expect(answer.calls).toEqual([{ id: 'c', name: 'find', arguments: '{}' }]);
  });

  it('assembles text and parallel calls by their block, from pieces in any order', () => {
    const answer = grown(
      text('I '),
      asked('c1', 'find', 1),
      asked('c2', 'read', 2),
      json('{"q"', 1),
      json('{"a":', 2),
      text('look.'),
      json(':1}', 1),
      json('', 2),
      json('2}', 2),
    );
    expect(answer.text).toBe('I look.');
    expect(answer.calls).toEqual([
      { id: 'c1', name: 'find', arguments: '{"q":1}' },
      { id: 'c2', name: 'read', arguments: '{"a":2}' },
    ]);
  });

  it('a call without pieces has the input that it began with; one that breaks off has what came', () => {
    expect(grown(asked('a', 'list', 0), asked('b', 'find', 1, { q: 1 })).calls.map((c) => c.arguments)).toEqual([
      '{}',
      '{"q":1}',
    ]);
    expect(grown(asked('a', 'list', 0), json('{"q', 0), stopped('max_tokens'))).toMatchObject({
      finish: 'length',
      calls: [{ arguments: '{"q' }],
    });
  });

  it('pieces of a block that is no call of ours go to nobody', () => {
    const answer = grown(begun({ type: 'server_tool_use', id: 's', name: 'web_search' }, 0), json('{"x":1}', 0));
    expect(answer).toMatchObject({ content: true, calls: [] });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'length'],
    ['something_new', 'stop'],
  ])('stop reason %s is %s', (reason, finish) => {
    expect(grown(text('a'), stopped(reason))).toMatchObject({ finish, finished: true });
  });

  it('an unknown stop reason with calls is read as calls; no reason is none', () => {
    expect(grown(asked('a', 'n', 0), stopped('something_new')).finish).toBe('tool_calls');
    expect(grown(asked('a', 'n', 0), stopped('pause_turn')).finish).toBe('tool_calls');
    expect(grown(text('a'), stopped(null))).toMatchObject({ finish: null, finished: false });
  });

  it('B13: counts are cumulative: the last that was reported stands, and null takes nothing away', () => {
    const answer = grown(
      started({ input_tokens: 25, cache_read_input_tokens: 7, output_tokens: 1 }),
      stopped(null, { output_tokens: 10 }),
      stopped('end_turn', { input_tokens: null, cache_read_input_tokens: 9, output_tokens: 15 }),
    );
    expect(answer.usage).toEqual({ inputTokens: 25, outputTokens: 15, cachedInputTokens: 9, costMicros: null });
  });

  it('B13: what was not reported is null: no usage at all, and no output before its end', () => {
    expect(grown(text('a'), stopped('end_turn')).usage).toBeNull();
    expect(grown(started({ input_tokens: 25, output_tokens: 1 }), text('a')).usage).toEqual({
      inputTokens: 25,
      outputTokens: null,
      cachedInputTokens: null,
      costMicros: null,
    });
    expect(grown(started({ input_tokens: -1 }), stopped('end_turn', { output_tokens: 'many' })).usage).toBeNull();
  });

  it('the end is said once by message_stop; an error event is the provider’s error', () => {
    expect(grown().take({ type: 'message_stop' }, 'delta').kind).toBe('end');
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    expect(grown().take({ type: 'error', error }, 'delta')).toMatchObject({ kind: 'error', error });
  });

  it('reads a whole message with blocks of all kinds', () => {
    const answer = new AnthropicAnswer();
    const chunk = answer.take(
      {
        type: 'message',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'text', text: 'One. ' },
          { type: 'hologram' },
          { type: 'text', text: 'Two.' },
          { type: 'tool_use', id: 'c', name: 'find', input: { q: '漢' } },
        ],
        stop_reason: 'tool_use',
        usage: { input_tokens: 2, output_tokens: 3 },
      },
      'message',
    );
    expect(chunk).toEqual({ kind: 'content', text: 'One. Two.' });
    expect(answer).toMatchObject({
      text: 'One. Two.',
      calls: [{ id: 'c', name: 'find', arguments: '{"q":"漢"}' }],
      finish: 'tool_calls',
      usage: { inputTokens: 2, outputTokens: 3 },
    });
  });

  it('an empty message is an answer without content; what is no message is none', () => {
    const empty = new AnthropicAnswer();
    expect(empty.take({ type: 'message', content: [], stop_reason: 'end_turn' }, 'message').kind).toBe('nothing');
    expect(empty).toMatchObject({ content: false, finish: 'stop' });
    for (const value of [null, 1, 'x', [], { hello: 'world' }])
      expect(new AnthropicAnswer().take(value, 'message').kind).toBe('no_chunk');
    for (const value of [null, 1, 'x', [], { hello: 'world' }])
      expect(new AnthropicAnswer().take(value, 'delta').kind).toBe('no_chunk');
  });

  it('is bounded in bytes and in calls', () => {
    const answer = grown();
    const piece = text('漢'.repeat(100_000));
    let kind = '';
    for (let i = 0; i * 300_000 < MAX_RESPONSE_BYTES; i += 1) kind = answer.take(piece, 'delta').kind;
    expect(kind).toBe('too_large');
    const many = grown(...Array.from({ length: MAX_CALLS }, (_, i) => asked(`c${i}`, 'n', i)));
    expect(many.take(asked('more', 'n', MAX_CALLS), 'delta').kind).toBe('too_large');
  });
});
