import { OpenAiAnswer as Answer } from './openai-answer.js';
import { MAX_CALLS, MAX_RESPONSE_BYTES } from './outcome.js';

const delta = (body: object, finish: string | null = null): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: body, finish_reason: finish }],
});
const grown = (...chunks: object[]): Answer => {
  const answer = new Answer();
  for (const chunk of chunks) answer.take(chunk, 'delta');
  return answer;
};

describe('answer', () => {
  it('T1: roles, empty deltas and usage are not content; text, reasoning and calls are', () => {
    const kinds = [
      delta({ role: 'assistant' }),
      delta({ content: '' }),
      delta({ tool_calls: [{ index: 0 }] }),
      { choices: [], usage: { prompt_tokens: 1 } },
      { type: 'ping' },
      delta({ content: 'a' }),
      delta({ reasoning_content: 'b' }),
      delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'n' } }] }),
    ].map((chunk) => new Answer().take(chunk, 'delta').kind);
    expect(kinds).toEqual([...Array<string>(5).fill('nothing'), ...Array<string>(3).fill('content')]);
  });

  it('assembles parallel calls by index from pieces in any order', () => {
    const call = (index: number, made: object, id?: string): object => ({ index, ...(id && { id }), function: made });
    const answer = grown(
      delta({ tool_calls: [call(1, { name: 'second', arguments: '{"b"' }, 'id-1')] }),
      delta({ tool_calls: [call(0, { name: 'first', arguments: '' }, 'id-0'), call(1, { arguments: ':2' })] }),
      delta({ tool_calls: [call(0, { arguments: '{}' }), call(1, { arguments: '}' })] }, 'tool_calls'),
    );
    expect(answer.calls).toEqual([
      { id: 'id-0', name: 'first', arguments: '{}' },
      { id: 'id-1', name: 'second', arguments: '{"b":2}' },
    ]);
    expect(answer.finish).toBe('tool_calls');
  });

  it('calls without an index are told apart by id, a repeated name is not doubled, arguments may be an object', () => {
    const answer = grown(
      delta({ tool_calls: [{ id: 'a', function: { name: 'x', arguments: { q: 1 } } }] }),
      delta({ tool_calls: [{ id: 'b', function: { name: 'y', arguments: '{' } }] }),
      delta({ tool_calls: [{ id: 'b', function: { name: 'y', arguments: '}' } }] }),
    );
    expect(answer.calls).toEqual([
      { id: 'a', name: 'x', arguments: '{"q":1}' },
      { id: 'b', name: 'y', arguments: '{}' },
    ]);
  });

  it.each([1e12, 9.1e9, -1, Number.MAX_VALUE, Infinity, NaN])(
    'B13: a cost of %d that nobody can count is unknown, and the tokens beside it stand',
    (cost) => {
      const { usage } = grown({ choices: [], usage: { prompt_tokens: 7, cost } });
      expect(usage).toMatchObject({ inputTokens: 7, costMicros: null });
    },
  );

  it('B13: usage is what was reported; what was not is null', () => {
    expect(grown({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 0, cost: 0.000002 } }).usage).toEqual({
      inputTokens: 7,
      outputTokens: 0,
      cachedInputTokens: null,
      costMicros: 2,
    });
    expect(grown({ choices: [], usage: { prompt_tokens: -1, completion_tokens: 'x' } }).usage).toBeNull();
    expect(grown(delta({ content: 'a' }, 'stop')).usage).toBeNull();
  });

  it('B13: counts that every piece reports anew are not added up: the last stands, and null takes nothing away', () => {
    const counted = (completion: number) => ({
      ...delta({ content: 'a' }),
      usage: { prompt_tokens: 7, completion_tokens: completion },
    });
    const answer = grown(counted(1), counted(2), { ...delta({ content: 'b' }, 'stop'), usage: null }, counted(3));
    expect(answer.usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    expect(grown(counted(1), { ...delta({}, 'stop'), usage: null }).usage).toMatchObject({ outputTokens: 1 });
  });

  it('unknown finish reasons and other choices are let pass', () => {
    expect(grown(delta({ content: 'a' }, 'eos')).finish).toBe('stop');
    expect(grown(delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'n' } }] }, 'function_call')).finish).toBe(
      'tool_calls',
    );
    expect(grown({ choices: [{ index: 1, delta: { content: 'other' } }] }).text).toBe('');
  });

  it('bounds what it keeps: text and arguments in UTF-8 bytes, and calls', () => {
    const text = '漢'.repeat(MAX_RESPONSE_BYTES / 3 - 1);
    expect(new Answer().take(delta({ content: text }), 'delta').kind).toBe('content');
    expect(new Answer().take(delta({ content: `${text}漢字` }), 'delta').kind).toBe('too_large');
    const calls = Array.from({ length: MAX_CALLS + 1 }, (_, index) => ({ index, id: `${index}` }));
    expect(new Answer().take(delta({ tool_calls: calls.slice(1) }), 'delta').kind).toBe('content');
    expect(new Answer().take(delta({ tool_calls: calls }), 'delta').kind).toBe('too_large');
  });

  it('what is no chunk says so, and an error is handed on', () => {
    expect(new Answer().take([], 'delta').kind).toBe('no_chunk');
    expect(new Answer().take({ hello: 1 }, 'delta').kind).toBe('no_chunk');
    expect(new Answer().take({ id: 'x' }, 'message').kind).toBe('no_chunk');
    expect(new Answer().take({ error: { code: 'x' } }, 'delta')).toMatchObject({ kind: 'error', error: { code: 'x' } });
  });
});
