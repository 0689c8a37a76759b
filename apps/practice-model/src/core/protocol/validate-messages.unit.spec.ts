import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@waymark/testing';
import { validateMessages } from './validate-messages.js';

const say = (text: string): object => ({ type: 'text', text });
const call = (id: string, over: object = {}): object => ({
  type: 'tool_use',
  id,
  name: 'search',
  input: { q: 1 },
  ...over,
});
const result = (id: string, over: object = {}): object => ({
  type: 'tool_result',
  tool_use_id: id,
  content: '{}',
  ...over,
});
const user = (...content: object[]): object => ({ role: 'user', content });
const model = (...content: object[]): object => ({ role: 'assistant', content });
const ask = user(say('Compare the funds.'));

const check = (messages: unknown[], over: object = {}) =>
  validateMessages({ model: 'm', max_tokens: 100, system: 'Purpose: explore', messages, ...over });
const refusal = (messages: unknown[], over: object = {}): string => {
  const checked = check(messages, over);
  return checked.ok ? 'accepted' : `${checked.refusal.status} ${checked.refusal.message}`;
};

describe('validateMessages', () => {
  it('C14: a conversation with each call answered right after it is accepted, every text as a message of its own', () => {
    const checked = check([
      ask,
      model(say('I look.'), call('a'), call('b')),
      user(result('a'), result('b', { content: [say('x'), say('y')], is_error: true }), say('[Notices]\nOne.')),
    ]);
    expect(checked).toEqual({
      ok: true,
      request: {
        model: 'm',
        maxTokens: 100,
        tools: [],
        messages: [
          { role: 'system', content: 'Purpose: explore' },
          { role: 'user', content: 'Compare the funds.' },
          {
            role: 'assistant',
            content: 'I look.',
            calls: [
              { id: 'a', name: 'search', arguments: '{"q":1}' },
              { id: 'b', name: 'search', arguments: '{"q":1}' },
            ],
          },
          { role: 'tool', content: '{}', callId: 'a' },
          { role: 'tool', content: 'xy', callId: 'b' },
          { role: 'user', content: '[Notices]\nOne.' },
        ],
      },
    });
  });

  it('neighbours of one role count as one message, and a string as one text', () => {
    expect(refusal([{ role: 'user', content: 'a' }, ask, model(call('a')), user(result('a')), user(say('more'))])).toBe(
      'accepted',
    );
  });

  it.each<[string, object[], RegExp]>([
    ['an orphan result', [ask, model(say('x')), user(result('a'))], /unexpected `tool_use_id`.*: a$/],
    ['a result in the first message', [user(result('a'))], /unexpected `tool_use_id`/],
    [
      'a result of an earlier answer',
      [ask, model(call('a')), user(result('a')), model(say('x')), user(result('a'))],
      /unexpected/,
    ],
    ['a missing result', [ask, model(call('a'), call('b')), user(result('a'))], /without `tool_result`.*: b$/],
    ['words before results', [ask, model(call('a')), user(say('x'), result('a'))], /before all other content/],
    ['two results of a call', [ask, model(call('a')), user(result('a'), result('a'))], /single result/],
    [
      'an id that stands twice',
      [ask, model(call('a')), user(result('a')), model(call('a')), user(result('a'))],
      /unique: a/,
    ],
    [
      'an id with other signs',
      [ask, model(call('a#1')), user(result('a#1'))],
      /1\.content\.0\.id: String should match/,
    ],
    [
      'a name with other signs',
      [ask, model(call('a', { name: 'a b' })), user(result('a'))],
      /name: String should match/,
    ],
    [
      'an input that is no object',
      [ask, model(call('a', { input: '{}' })), user(result('a'))],
      /input: Input should be an/,
    ],
    ['text without words', [user(say(' \n'))], /non-whitespace/],
    ['the model’s words first', [model(say('x')), ask], /first message must use/],
    ['the model’s words last', [ask, model(say('x'))], /must end with a user message/],
    ['an unknown role', [{ role: 'tool', content: 'x' }], /role: Input should be/],
    ['a call of the user’s', [user(call('a'))], /only be in `assistant`/],
    ['a result of the model’s', [ask, model(result('a')), ask], /only be in `user`/],
    ['an unknown block', [user({ type: 'hologram' })], /Input tag "hologram"/],
    ['an empty message', [user()], /must not be empty/],
    ['no message', [], /at least one/],
  ])('C14: %s is refused', (_what, messages, words) => {
    expect(refusal(messages)).toMatch(/^400 /);
    expect(refusal(messages)).toMatch(words);
  });

  it('C14: every request of the released record for this API is accepted', () => {
    const file = readFileSync(join(workspaceRoot(), 'libs/record/corpus/0004-anthropic.json'), 'utf8');
    const { log } = JSON.parse(file) as { log: { body: string }[] };
    expect(log.length).toBeGreaterThan(5);
    for (const { body } of log) {
      const request = JSON.parse(Buffer.from(body, 'base64').toString('utf8')) as object;
      expect(validateMessages(request)).toMatchObject({ ok: true });
    }
  });

  it('R14: up to four marks for the cache are taken, and they change nothing; a fifth and an unknown one are refused', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const marked = (text: string): object => ({ ...say(text), ...mark });
    const system = [marked('Purpose: explore')];
    const four = [user(marked('a'), marked('b'), marked('c'))];
    expect(check(four, { system })).toEqual(check([user(say('a'), say('b'), say('c'))]));
    expect(refusal(four, { system, ...mark })).toMatch(/^400 .*maximum of 4/);
    expect(refusal([user({ ...say('a'), cache_control: { type: 'lasting' } })])).toMatch(/^400 cache_control/);
    expect(refusal([ask], { cache_control: null })).toBe('accepted');
  });

  it('C9: the output cap must be there; tools have a plain name and a schema of an object', () => {
    expect(refusal([ask], { max_tokens: undefined })).toMatch(/^400 max_tokens/);
    expect(refusal([ask], { max_tokens: 0 })).toMatch(/^400 max_tokens/);
    expect(refusal([ask], { tools: [{ name: 'find', input_schema: { type: 'object' } }] })).toBe('accepted');
    expect(refusal([ask], { tools: [{ name: 'find' }] })).toMatch(/^400 tools\.0\.input_schema/);
    expect(refusal([ask], { tools: [{ type: 'function', function: { name: 'find' } }] })).toMatch(
      /^400 tools\.0\.name/,
    );
    expect(refusal([ask], { model: '' })).toMatch(/^400 model/);
    expect(validateMessages([])).toMatchObject({ ok: false });
  });
});
