import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { ALL_CONTRACTS, PUBLIC_CONTRACTS } from '@waymark/contracts/catalog';
import { errorBody, WIRE_CODES } from '@waymark/contracts/wire';
import { workspaceRoot } from '@waymark/testing';
import { asyncApi } from '../messages/asyncapi.mjs';
import { documents } from '../messages/documents.mjs';
import { fits } from '../messages/fits.mjs';
import { blurred, type Examples } from '../messages/play-examples.mjs';

const root = workspaceRoot();
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const examples = JSON.parse(read('tools/messages/examples.json')) as Examples;

/** What the official parser finds wrong: errors and warnings. */
async function faultsOf(document: object): Promise<string[]> {
  const { diagnostics } = await new Parser().parse(JSON.stringify(document));
  return diagnostics
    .filter(({ severity }) => severity <= 1)
    .map(({ code, path, message }) => `${String(code)} at ${path.join('.')}: ${message}`);
}

describe('docs/messages.md and docs/asyncapi.json', () => {
  it.each(Object.entries(documents(examples)))('%s is what the contracts say today: npm run messages', (name, text) => {
    expect(read(name) === text).toBe(true);
  });

  it('name every public operation, and every internal one as internal', () => {
    const page = read('docs/messages.md');
    const api = asyncApi(examples) as unknown as { operations: Record<string, { tags: { name: string }[] }> };
    for (const contract of ALL_CONTRACTS) {
      const id = contract.subject.replace(/^waymark\.|v1\./g, '');
      const isPublic = PUBLIC_CONTRACTS.includes(contract);
      expect([id, page.includes(`\n### ${id}\n`)]).toEqual([id, isPublic]);
      expect([id, page.includes(`\`${id}\``) || isPublic]).toEqual([id, true]);
      expect(api.operations[id]?.tags.map(({ name }) => name)).toEqual([isPublic ? 'public' : 'internal']);
    }
  });

  it('asyncapi.json is a valid AsyncAPI 3 document', async () => {
    expect(await faultsOf(asyncApi(examples))).toEqual([]);
    expect(await faultsOf(only('runtime.get'))).toEqual([]);
  }, 180_000);

  it.each([
    ['a channel that is not there', (api: Api) => (api.operations['runtime.get'].channel.$ref = '#/channels/nowhere')],
    ['an action that there is not', (api: Api) => (api.operations['runtime.get'].action = 'ask')],
    ['a shape of no type', (api: Api) => (api.components.messages['runtime.get.request'].payload.type = 'thing')],
  ])(
    'a document with %s would be found',
    async (_what, spoil) => {
      const api = only('runtime.get');
      spoil(api);
      expect(await faultsOf(api)).not.toEqual([]);
    },
    180_000,
  );
});

/** One operation alone: judging the whole takes seconds. */
function only(id: string): Api {
  const api = structuredClone(asyncApi(examples));
  const own = (all: object): object => Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(id)));
  const { channels, operations, components } = api;
  const { messages, ...others } = components;
  return {
    ...api,
    channels: own(channels),
    operations: own(operations),
    components: { ...others, messages: own(messages) },
  } as unknown as Api;
}

interface Api {
  operations: Record<'runtime.get', { action: string; channel: { $ref: string } }>;
  components: { messages: Record<'runtime.get.request', { payload: { type: string } }> };
}

describe('the examples', () => {
  const faults = fits(asyncApi(examples));
  const idOf = (subject: string): string => subject.replace(/^waymark\.|v1\./g, '');

  it.each(examples.answers)(
    '$subject: request and reply are what asyncapi.json says',
    ({ subject, request, reply }) => {
      const id = idOf(subject);
      expect([...faults(`${id}.request`, request), ...faults(`${id}.reply`, reply)]).toEqual([]);
      expect(faults(`${id}.request`, { ...request, surprise: 1 })).not.toEqual([]);
      expect(faults(`${id}.reply`, { ...(reply as object), 'added later': 1 })).toEqual([]);
      expect(faults(`${id}.reply`, {})).not.toEqual([]);
    },
  );

  it.each(examples.errors)('$subject: $error.code is what asyncapi.json says', ({ subject, error }) => {
    expect(faults(`${idOf(subject)}.error`, error)).toEqual([]);
    expect(faults(`${idOf(subject)}.error`, { ...error, code: 'no_such_code' })).not.toEqual([]);
  });

  it.each(PUBLIC_CONTRACTS)('$subject has one that fits its shapes', ({ subject, request, reply }) => {
    const own = examples.answers.filter((example) => example.subject === subject);
    expect(own.length).toBeGreaterThan(0);
    for (const example of own) {
      expect(request.parse(example.request)).toMatchObject(example.request);
      expect(reply.parse(example.reply)).toEqual(example.reply);
    }
  });

  it('every code of a public operation is shown, but one that only a race shows', () => {
    const expected = PUBLIC_CONTRACTS.flatMap(({ subject, about }) =>
      (about.codes ?? []).map((code) => `${subject} ${code}`),
    );
    const shown = examples.errors.map(({ subject, error }) => `${subject} ${error.code}`);
    expect(expected.filter((entry) => !shown.includes(entry))).toEqual(['waymark.sources.v1.read-range not_ready']);
  });

  it.each(examples.errors)('$subject: $error.code is a code of its own, with a remedy', ({ subject, error }) => {
    const contract = PUBLIC_CONTRACTS.find((one) => one.subject === subject);
    expect([...WIRE_CODES, ...(contract?.about.codes ?? [])]).toContain(error.code);
    expect(errorBody.strict().parse(error).remedy).not.toBe('');
  });

  it('are compared by all but ids, digests, times and numbers', () => {
    const id = '01a22de7-8f36-7756-b78e-2acd186ca645';
    const one = { run: id, at: '2026-11-30T19:21:19.935Z', text: `of ${id}`, list: [1, 'a'], none: null, yes: true };
    expect(blurred(one)).toEqual({
      run: '<uuid>',
      at: '<time>',
      text: 'of <uuid>',
      list: ['number', 'a'],
      none: null,
      yes: true,
    });
  });
});

it('npm run messages names wrong use and ends with 2', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/messages.mjs', '--nope'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([2, 'usage: npm run messages [-- --check | --record]\n']);
});
