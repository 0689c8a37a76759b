import { validateRequest } from './validate-request.js';

const system = { role: 'system', content: 'Purpose: explore\nYou research.' };
const user = { role: 'user', content: 'Compare the funds.' };
const call = (id: string) => ({ id, type: 'function', function: { name: 'search', arguments: '{"query":"fee"}' } });
const asks = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '{}' });

const check = (...messages: unknown[]) => validateRequest({ model: 'practice-researcher', messages });
const refusal = (...messages: unknown[]) => {
  const checked = check(...messages);
  return checked.ok ? 'accepted' : `${checked.refusal.status} ${checked.refusal.param}`;
};

describe('validateRequest', () => {
  it('C14: a conversation with each call answered right after it is accepted', () => {
    const checked = check(system, user, asks('a', 'b'), result('b'), result('a'), asks('c'), result('c'));
    expect(checked).toMatchObject({ ok: true, request: { messages: { length: 7 } } });
  });

  it('C14: a tool result without a call before it is refused', () => {
    expect(refusal(system, user, result('a'))).toBe('400 messages[2].tool_call_id');
    expect(refusal(system, user, asks('a'), result('a'), user, result('a'))).toBe('400 messages[5].tool_call_id');
    expect(refusal(system, user, asks('a'), result('a'), result('a'))).toBe('400 messages[4].tool_call_id');
  });

  it('C14: a call without a result directly after it is refused, in the middle and at the end', () => {
    expect(refusal(system, user, asks('a', 'b'), result('a'), user)).toBe('400 messages[4].role');
    expect(refusal(system, user, asks('a', 'b'), result('a'))).toBe('400 messages[4].role');
  });

  it('C14: a tool result that names no call is refused', () => {
    expect(refusal(system, user, asks('a'), { role: 'tool', content: '{}' })).toBe('400 messages[3].tool_call_id');
  });

  it('F-C5: a cut between a call and its result is refused, a cut between pairs is accepted', () => {
    expect(refusal(system, user, result('a'), asks('b'), result('b'))).toBe('400 messages[2].tool_call_id');
    expect(refusal(system, user, asks('b'), result('b'))).toBe('accepted');
  });

  it.each([
    ['no messages', { model: 'm', messages: [] }],
    ['no model', { messages: [user] }],
    ['an array', []],
    ['an unknown role', { model: 'm', messages: [user, { role: 'wizard', content: 'x' }] }],
    ['system text in the middle', { model: 'm', messages: [user, system, user] }],
    ['an assistant at the head', { model: 'm', messages: [{ role: 'assistant', content: 'hi' }, user] }],
    ['an assistant at the end', { model: 'm', messages: [user, { role: 'assistant', content: 'hi' }] }],
    ['null content without calls', { model: 'm', messages: [user, { role: 'assistant', content: null }, user] }],
    [
      'arguments that are no string',
      {
        model: 'm',
        messages: [
          user,
          { role: 'assistant', tool_calls: [{ ...call('a'), function: { name: 'x', arguments: {} } }] },
          result('a'),
        ],
      },
    ],
    ['two calls of one id', { model: 'm', messages: [user, asks('a', 'a'), result('a')] }],
    ['a tool without a name', { model: 'm', messages: [user], tools: [{ type: 'function', function: {} }] }],
  ])('C14: %s is refused as a provider would', (_what, body) => {
    expect(validateRequest(body)).toMatchObject({ ok: false, refusal: { status: 400, type: 'invalid_request_error' } });
  });

  it('text parts are read as one text', () => {
    const checked = check({
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    });
    expect(checked).toMatchObject({ ok: true, request: { messages: [{ content: 'ab' }] } });
  });
});
