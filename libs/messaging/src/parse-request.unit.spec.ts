import { contract, MAX_BODY_BYTES, type ErrorBody } from '@waymark/contracts/wire';
import { budgetContracts } from '@waymark/contracts/budget';
import { MOST } from '@waymark/contracts/policy';
import { publicationContracts } from '@waymark/contracts/publication';
import { reviewerContracts } from '@waymark/contracts/reviewer';
import { inboxDelivery, runtimeContracts } from '@waymark/contracts/runtime';
import { sourcesContracts } from '@waymark/contracts/sources';
import type { Contract } from '@waymark/contracts/wire';
import { z } from 'zod';
import { parseRequest } from './parse-request.js';
import { WireError } from './wire-error.js';

const shape = z.strictObject({
  run: z.uuid(),
  limit: z.int().min(1).max(200).default(50),
  kind: z.enum(['read', 'write']).optional(),
  ranges: z.array(z.strictObject({ start: z.int().min(0), end: z.int() })).optional(),
  what: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), size: z.int() }),
      z.strictObject({ kind: z.literal('b'), name: z.string() }),
    ])
    .optional(),
  either: z
    .union([z.strictObject({ text: z.string() }), z.strictObject({ lines: z.array(z.string()), n: z.int() })])
    .optional(),
});
const start = runtimeContracts.start;
const started = { key: 'k', question: 'q', corpus: 'c' };
const ask = contract('waymark.test.v1.ask', shape, z.unknown(), { access: 'internal', summary: 'for this test' });
const run = '01923456-789a-7bcd-8ef0-123456789abc';

function answerTo(body: unknown, to: Contract = ask): ErrorBody {
  const bytes =
    body instanceof Uint8Array
      ? body
      : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
  try {
    parseRequest(to, bytes);
  } catch (error) {
    if (error instanceof WireError) return error.body;
    throw error;
  }
  throw new Error('was accepted');
}

describe('a request is parsed by its contract', () => {
  it('gives the handler defaults that the caller left out', () => {
    expect(parseRequest(ask, new TextEncoder().encode(JSON.stringify({ run })))).toEqual({ run, limit: 50 });
  });

  it.each([
    ['nothing', ''],
    ['a cut object', '{"run":'],
    ['no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
  ])('refuses %s as malformed_json', (_, body) => {
    expect(answerTo(body)).toMatchObject({
      code: 'malformed_json',
      remedy: expect.stringContaining('one JSON object'),
    });
  });

  it.each([['null'], ['[]'], ['3'], ['"text"']])('refuses %s, which is JSON but no object', (body) => {
    expect(answerTo(body)).toMatchObject({ code: 'invalid_field', remedy: 'send one JSON object' });
  });

  it('refuses a body one byte over the limit before it is parsed, and takes one at the limit', () => {
    const padded = (size: number): string => `{"run":"${run}"}`.padEnd(size, ' ');
    expect(answerTo(padded(MAX_BODY_BYTES + 1))).toMatchObject({ code: 'body_too_large' });
    expect(() => parseRequest(ask, new TextEncoder().encode(padded(MAX_BODY_BYTES)))).not.toThrow();
  });

  it('names an unknown field, and the known ones beside it', () => {
    expect(answerTo({ run, limti: 3 })).toEqual({
      code: 'unknown_field',
      message: 'unknown field "limti"',
      remedy: 'leave it out; known here: run, limit, kind, ranges, what, either',
      field: 'limti',
    });
    expect(answerTo({ run, ranges: [{ start: 0, end: 1, x: 1 }] })).toMatchObject({
      code: 'unknown_field',
      field: 'ranges.0.x',
      remedy: 'leave it out; known here: start, end',
    });
    expect(answerTo(`{"run":"${run}","__proto__":{}}`)).toMatchObject({ code: 'unknown_field', field: '__proto__' });
  });

  it('names a missing field and what is expected there', () => {
    expect(answerTo({})).toEqual({
      code: 'missing_field',
      message: 'missing field "run"',
      remedy: 'add it: expected string',
      field: 'run',
    });
    expect(answerTo({ run, ranges: [{ start: 0 }] })).toMatchObject({ code: 'missing_field', field: 'ranges.0.end' });
  });

  it.each([
    [{ run: 7 }, 'run', 'expected string'],
    [{ run: 'x' }, 'run', 'expected uuid'],
    [{ run, limit: 0 }, 'limit', 'expected at least 1'],
    [{ run, limit: 201 }, 'limit', 'expected at most 200'],
    [{ run, limit: null }, 'limit', 'expected number'],
    [{ run, limit: 1.5 }, 'limit', 'expected int'],
    [{ run, kind: 'delete' }, 'kind', 'expected one of "read", "write"'],
    [{ run, ranges: {} }, 'ranges', 'expected array'],
    [{ run, what: { kind: 'c' } }, 'what.kind', 'expected one of a, b'],
  ])('says of %j what %s should be', (body, field, remedy) => {
    expect(answerTo(body)).toMatchObject({ code: 'invalid_field', field, remedy });
  });

  it('judges a union by the alternative that fits best', () => {
    expect(answerTo({ run, what: { kind: 'a', size: 'x' } })).toMatchObject({
      code: 'invalid_field',
      field: 'what.size',
    });
    expect(answerTo({ run, either: { text: 3 } })).toMatchObject({ code: 'invalid_field', field: 'either.text' });
    expect(answerTo({ run, what: {} })).toMatchObject({ code: 'missing_field', field: 'what.kind' });
  });

  it('never repeats the value of the caller', () => {
    for (const body of [{ run: 'SECRET' }, { run, kind: 'SECRET' }, { run, limit: 'SECRET' }, 'SECRET']) {
      expect(JSON.stringify(answerTo(body))).not.toContain('SECRET');
    }
  });
});

describe('what no owner could keep is refused by its contract', () => {
  const most: Record<string, number> = {
    exploreRequests: MOST.requests,
    finishRequests: MOST.requests,
    finishReserve: MOST.requests,
    physicalRequests: MOST.physicalRequests,
    activeMs: MOST.limitMs,
    wallMs: MOST.limitMs,
    outputMs: MOST.limitMs,
    userDeadlineMs: MOST.limitMs,
    firstContentMs: MOST.deadlineMs,
    progressMs: MOST.deadlineMs,
    totalMs: MOST.deadlineMs,
    toolMs: MOST.deadlineMs,
    reviewMs: MOST.deadlineMs,
    hardLimitBytes: MOST.requestBytes,
    residencyBytes: MOST.requestBytes,
    noticeRoomBytes: MOST.noticeBytes,
    revisionsPerBlock: MOST.revisions,
    revisionsPerRun: MOST.revisions,
    reviewEveryExploreRequests: MOST.requests,
  };
  const overridden = (field: string, value: unknown) => ({ ...started, overrides: { [field]: value } });

  it.each(Object.entries(most))('B7: a start with more %s than %d names field and maximum', (field, max) => {
    expect(() => parseRequest(start, new TextEncoder().encode(JSON.stringify(overridden(field, max))))).not.toThrow();
    for (const value of [max + 1, 2 ** 53 - 1, 1e300]) {
      const answer = answerTo(overridden(field, value), start);
      expect(answer).toMatchObject({ code: 'invalid_field', field: `overrides.${field}` });
      if (value <= 2 ** 53) expect(answer.remedy).toBe(`expected at most ${max}`);
    }
  });

  it('B7: every number that a start may set has a maximum', () => {
    const { shape } = start.request.shape.overrides.unwrap();
    const lists = { parkMs: [MOST.deadlineMs + 1], backoffMs: [MOST.deadlineMs + 1], review: 1 };
    const wrong: Record<string, unknown> = {
      ...Object.fromEntries(Object.keys(most).map((k) => [k, 1e300])),
      ...lists,
    };
    for (const field of Object.keys(shape)) {
      expect(answerTo(overridden(field, wrong[field]), start).field).toMatch(new RegExp(`^overrides\\.${field}`));
    }
  });

  it.each([
    [runtimeContracts.listEvents, { run }, 'after'],
    [runtimeContracts.readRecord, { run }, 'after'],
    [runtimeContracts.explain, { run }, 'after'],
    [budgetContracts.listEvents, { run }, 'after'],
    [budgetContracts.close, { run, reason: 'x' }, 'epoch'],
    [reviewerContracts.listEvents, { run }, 'after'],
    [publicationContracts.listEvents, { run }, 'after'],
    [publicationContracts.shown, { run }, 'after'],
    [publicationContracts.blockHistory, { run, block: 'a' }, 'after'],
    [publicationContracts.noteProgress, { run, key: 'k', text: 't' }, 'epoch'],
  ])('L14: a place or an epoch past 2^31 - 1 is named: %#', (to: Contract, request: object, field) => {
    expect(() =>
      parseRequest(to, new TextEncoder().encode(JSON.stringify({ ...request, [field]: 2 ** 31 - 1 }))),
    ).not.toThrow();
    for (const value of [2 ** 31, 2 ** 32, 2 ** 53 - 1]) {
      expect(answerTo({ ...request, [field]: value }, to)).toMatchObject({ code: 'invalid_field', field });
    }
  });

  it.each(['\ud800', '\udc00x', 'a\u0000b', 'a\nb'])(
    'F-R7: a model’s name is text that can be kept, not %j',
    (model) => {
      expect(answerTo({ ...started, model }, start)).toMatchObject({ code: 'invalid_field', field: 'model' });
      expect(() =>
        parseRequest(start, new TextEncoder().encode(JSON.stringify({ ...started, model: '模型 𝄞' }))),
      ).not.toThrow();
    },
  );

  it.each(['\u202e', '汉', '\ud800', 'a\u0000', 'x'.repeat(513)])(
    'an object’s name is printable ASCII, not %j',
    (name) => {
      const request = { corpus: 'c', name: 'n.txt', object: { name, size: 1, digest: 'a'.repeat(64) } };
      const answer = answerTo(request, sourcesContracts.addDocument);
      expect(answer).toMatchObject({ code: 'invalid_field', field: 'object.name' });
    },
  );

  it('L2: a delivery’s key has no NUL', () => {
    const delivery = { run, kind: 'limit', limit: 'wall', stage: 'neared' };
    expect(inboxDelivery.safeParse({ ...delivery, key: 'k' }).success).toBe(true);
    for (const key of ['\u0000', 'a\u0000b', ''])
      expect(inboxDelivery.safeParse({ ...delivery, key }).success).toBe(false);
  });
});
