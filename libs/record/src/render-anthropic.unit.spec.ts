import { RecordBuilder, sha256 } from '../test/build-record.js';
import { decodeFact } from './canonical.js';
import type { RunAdmitted } from './facts.js';
import { rendererOf, RENDERERS } from './render.js';
import { partsOf } from './transcript.js';
import { verifyRecord } from './verify.js';

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: string;
  readonly cache_control?: unknown;
}
interface Body {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: boolean;
  readonly system: readonly Block[];
  readonly tools?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const read = (bytes: Uint8Array): Body => JSON.parse(text(bytes)) as Body;
const begun = (): RecordBuilder => new RecordBuilder(undefined, 'anthropic');
const MARK = { cache_control: { type: 'ephemeral' } };
const kinds = (body: Body) => body.messages.map((m) => `${m.role}: ${m.content.map((b) => b.type).join(' ')}`);

/** What the API refuses, by its reference (C14). */
function refusals({ messages }: Body): string[] {
  const found: string[] = [];
  if (messages[0]?.role !== 'user' || messages.at(-1)?.role !== 'user')
    found.push('does not begin and end with the user');
  const seen = new Set<string>();
  for (const [i, { role, content }] of messages.entries()) {
    if (i > 0 && messages[i - 1]?.role === role) found.push(`message ${i} has the role of the one before`);
    if (content.length === 0) found.push(`message ${i} is empty`);
    if (content.some((b) => b.type === 'text' && b.text?.trim() === ''))
      found.push(`message ${i} has a text without words`);
    const asked = (messages[i - 1]?.content ?? []).flatMap((b) => (b.type === 'tool_use' ? [b.id] : []));
    const given = content.flatMap((b) => (b.type === 'tool_result' ? [b.tool_use_id] : []));
    if (asked.join() !== given.join())
      found.push(`message ${i} answers ${given.join()} where ${asked.join()} was asked`);
    if (content.slice(0, given.length).some((b) => b.type !== 'tool_result'))
      found.push(`message ${i} begins with words`);
    for (const block of content) {
      if (block.type !== 'tool_use') continue;
      if (!/^[A-Za-z0-9_-]+$/.test(block.id ?? '') || seen.has(block.id ?? ''))
        found.push(`bad or repeated id ${block.id}`);
      if (!/^[A-Za-z0-9_-]{1,128}$/.test(block.name ?? '')) found.push(`bad name ${block.name}`);
      if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
        found.push('bad input');
      seen.add(block.id ?? '');
    }
  }
  return found;
}

describe('renderer 2: Anthropic Messages', () => {
  it('E3: the first fact names the renderer, and an unknown one is refused by its number', () => {
    const admitted = decodeFact<RunAdmitted>(begun().rows[0]?.body ?? new Uint8Array());
    expect(rendererOf(admitted)).toBe(RENDERERS.anthropic);
    expect(() => rendererOf({ renderer: 99 })).toThrow('no renderer 99');
  });

  it('E3: a whole run with everything in it is rebuilt byte for byte and found in the log', () => {
    const b = begun().sample();
    const result = verifyRecord(b.run, b.rows, (d) => b.bodies.get(d), b.log, sha256);
    expect(result.findings).toEqual([]);
    expect(result).toMatchObject({ requests: 6, rebuilt: 6, arrived: 6, reminders: 3 });
    expect(b.log.flatMap(({ body }) => refusals(read(body)))).toEqual([]);
  });

  it('C9: model, output cap, streaming, tools and instructions stand before the messages; nothing is sent twice', () => {
    const body = read(begun().send());
    expect(body).toEqual({
      model: 'm',
      max_tokens: 512,
      stream: true,
      tools: [],
      system: [{ type: 'text', text: 'Purpose: explore', ...MARK }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Which fund is cheaper? 哪只基金更便宜?', ...MARK }] },
      ],
    });
  });

  it('C14: roles alternate; all results of an answer stand at the head of the message after it, in the order of the calls', () => {
    const b = begun();
    b.send();
    b.answer('Two calls.', ['one', 'two']);
    b.send();
    b.answer('', ['three']);
    const body = read(b.send('A notice.'));
    expect(kinds(body)).toEqual([
      'user: text',
      'assistant: text tool_use tool_use',
      'user: tool_result tool_result',
      'assistant: tool_use',
      'user: tool_result text',
    ]);
    expect(body.messages.at(-1)?.content.at(-1)).toMatchObject({ type: 'text', text: '[Notices]\nA notice.' });
    expect(refusals(body)).toEqual([]);
  });

  it('C14: after an answer without calls, and after an empty one, the request still ends with the user', () => {
    const b = begun();
    b.send();
    b.answer('Only words.');
    expect(kinds(read(b.send()))).toEqual(['user: text', 'assistant: text', 'user: text']);
    b.add({
      type: 'RequestSettled',
      request: 2,
      outcome: 'completed',
      content: false,
      code: null,
      status: 200,
      delivery: 'submitted',
      answer: null,
      empty: true,
      finish: 'stop',
      usage: null,
      actions: [],
      ms: { firstContent: null, total: 1 },
    });
    const body = read(b.send());
    expect(kinds(body)).toEqual(['user: text', 'assistant: text', 'user: text text']);
    expect(refusals(body)).toEqual([]);
  });

  it.each([
    ['{"q": 1, "big": 12345678901234567890}', '{"q": 1, "big": 12345678901234567890}'],
    ['', '{}'],
    [' \n', '{}'],
    ['{"q": ', '{"unreadable_arguments":"{\\"q\\": "}'],
    ['[1]', '{"unreadable_arguments":"[1]"}'],
    ['null', '{"unreadable_arguments":"null"}'],
  ])('arguments %j stand as %s: as they came where the API takes them', (args, input) => {
    const b = begun();
    b.send();
    b.answer('x', ['r'], true, [{ id: 'a b#1', name: 'a tool/…', arguments: args }]);
    const sent = b.send();
    expect(text(sent)).toContain(`"name":"a_tool__","input":${input}}`);
    expect(refusals(read(sent))).toEqual([]);
  });

  it('ids that a provider gives twice, or none, do not meet in a request', () => {
    const b = begun();
    for (let turn = 1; turn <= 2; turn += 1) {
      b.send();
      b.answer('x', ['r', 's'], true, [
        { id: 'call_0', name: 'find', arguments: '{}' },
        { id: '', name: '', arguments: '{}' },
      ]);
    }
    expect(refusals(read(b.send()))).toEqual([]);
  });

  it('R14: the bytes before the notices stay equal from one request to the next', () => {
    const b = begun();
    const first = text(b.send('Stage 50.'));
    b.answer('I read.', ['result']);
    const second = text(b.send('Stage 75.'));
    const stable = first.slice(
      0,
      first.indexOf(',"cache_control":{"type":"ephemeral"}},{"type":"text","text":"[Notices]'),
    );
    expect(stable).toContain('Which fund is cheaper?');
    expect(second.startsWith(stable)).toBe(true);
    expect(second).not.toContain('Stage 50.');
  });

  it('R14: the provider’s cache is marked at the system’s end and at the last block that the next request has too', () => {
    const b = begun();
    const bodies = [read(b.send('Stage 50.'))];
    for (const notices of ['Stage 75.', null, 'Stage 90.']) {
      b.answer('I read.', ['one', 'two']);
      bodies.push(read(b.send(notices)));
    }
    const blocks = (body: Body): Block[] => [...body.system, ...body.messages.flatMap((m) => m.content)];
    const plain = ({ cache_control: _, ...rest }: Block): object => rest;
    for (const [i, body] of bodies.entries()) {
      const marked = blocks(body).flatMap(({ cache_control: mark }, at) => (mark === undefined ? [] : [at]));
      expect(marked[0]).toBe(0);
      expect(marked.length).toBeLessThanOrEqual(4);
      const next = bodies[i + 1];
      if (!next) continue;
      const stable = blocks(body).filter(({ text: words }) => words?.startsWith('[Notices]') !== true);
      expect(marked).toContain(stable.length - 1);
      expect(blocks(next).slice(0, stable.length).map(plain)).toEqual(stable.map(plain));
    }
  });

  it('C7: the words of a summary’s request are not marked: they are sent once', () => {
    const b = begun();
    b.send();
    b.answer('I read.', ['one']);
    const { system, messages } = read(b.summarize(1, 1));
    expect(system).toEqual([{ type: 'text', text: 'Purpose: summarize', ...MARK }]);
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: expect.stringContaining('I read.') }] }]);
  });

  it.each(['openai', 'anthropic'] as const)('C13: sizes add up to the bytes of the request: %s', (dialect) => {
    const b = new RecordBuilder(undefined, dialect).sample();
    const renderer = RENDERERS[dialect];
    const admitted = decodeFact<RunAdmitted>(b.rows[0]?.body ?? new Uint8Array());
    const head = renderer.head(admitted.model, admitted.frames.explore, b.lookup);
    const parts = partsOf(b.transcript).map((p) => renderer.part(p, b.lookup).length);
    const body = b.send('One.');
    const notices = renderer.notices('One.').length;
    expect(body.length).toBe(head.size + parts.reduce((sum, n) => sum + n, 0) + notices);
    expect(head.size).toBe(head.frame + head.instructions + head.tools);
  });
});
