import { toAsked } from './ask-owner.js';
import { isOutage } from './is-outage.js';

const withCode = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });
const named = (name: string): Error => Object.assign(new Error('x'), { name });

describe('an outage is told from a defect', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED')],
    ['a reset connection', withCode('ECONNRESET')],
    ['an unknown host', withCode('ENOTFOUND')],
    ['a server that shuts down', withCode('57P01')],
    ['a server that starts', withCode('57P03')],
    ['too many connections', withCode('53300')],
    ['a lost connection', withCode('08006')],
    ['the driver’s broken connection', new Error('Connection terminated unexpectedly')],
    ['a pool without a connection', new Error('timeout exceeded when trying to connect')],
    ['a broker that does not answer', named('TimeoutError')],
    ['a stream that nobody serves', named('NoResponders')],
  ])('L6: %s', (_, error) => expect(isOutage(error)).toBe(true));

  it.each([
    ['a wrong number', withCode('22003')],
    ['a broken constraint', withCode('23505')],
    ['a missing table', withCode('42P01')],
    ['a missing file', withCode('ENOENT')],
    ['a defect', new TypeError('x is not a function')],
    ['no error at all', 'ECONNREFUSED'],
  ])('not %s', (_, error) => expect(isOutage(error)).toBe(false));
});

describe('L10: what became of a call is one of three', () => {
  const failed = (kind: 'error' | 'no_responders' | 'timeout' | 'disconnected', code: string) =>
    toAsked({ ok: false, kind, error: { code, message: 'm', remedy: 'r' } });

  it('L10: a coded error is a refusal, whatever its code; only internal and unavailable are an owner that is away', () => {
    expect(toAsked({ ok: true, value: 7 })).toEqual({ kind: 'answered', value: 7 });
    for (const code of ['body_too_large', 'invalid_field', 'unknown_run', 'malformed_reply', 'reply_too_large']) {
      expect(failed('error', code)).toMatchObject({ kind: 'refused', error: { code } });
    }
    for (const code of ['internal', 'unavailable'])
      expect(failed('error', code)).toMatchObject({ kind: 'away', sent: true });
    expect(failed('timeout', 'timed_out')).toMatchObject({ kind: 'away', sent: true });
    expect(failed('no_responders', 'unavailable')).toMatchObject({ kind: 'away', sent: false });
    expect(failed('disconnected', 'unavailable')).toMatchObject({ kind: 'away', sent: false });
  });
});
