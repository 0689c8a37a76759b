import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { parseCall, TOOLS, toolKind, toolsJson, TOOLS_VERSION, type ParsedCall } from './tool-list.js';

const EXPLORE = ['list_sources', 'search', 'read_range', 'read_back', 'calculate', 'write_block', 'correct_block'];
const code = (parsed: ParsedCall) => (parsed.ok ? 'ok' : parsed.code);

describe('parseCall', () => {
  it('L10: a good call is parsed; no arguments at all stand for none', () => {
    expect(parseCall('search', '{"query":"fees","limit":3}', 'explore')).toEqual({
      ok: true,
      tool: 'search',
      arguments: { query: 'fees', limit: 3 },
    });
    expect(code(parseCall('list_sources', '', 'explore'))).toBe('ok');
    expect(code(parseCall('finish', ' ', 'finish'))).toBe('ok');
  });

  it.each([
    ['search', '{"query": "fees"', 'broken_arguments', /not JSON/],
    ['search', 'fees', 'broken_arguments', /not JSON/],
    ['search', 'null', 'invalid_arguments', /search/],
    ['search', '["fees"]', 'invalid_arguments', /search/],
    ['search', '{}', 'invalid_arguments', /query/],
    ['search', '{"query":7}', 'invalid_arguments', /query/],
    ['search', '{"query":"x","limit":0}', 'invalid_arguments', /limit/],
    ['search', '{"query":"x","extra":1}', 'invalid_arguments', /extra/],
    ['search', '{"query":"x","__proto__":1}', 'invalid_arguments', /__proto__/],
    ['read_range', '{"locator":"../etc"}', 'invalid_arguments', /locator/],
    ['read_range', '{"locator":"doc:1","start":-1}', 'invalid_arguments', /start/],
    ['write_block', '{"block":"../x","title":"t","text":"t","citations":[]}', 'invalid_arguments', /block/],
    ['launch_missiles', '{}', 'unknown_tool', /no tool "launch_missiles"/],
    ['constructor', '{}', 'unknown_tool', /no tool "constructor"/],
    ['__proto__', '{}', 'unknown_tool', /no tool/],
    ['', '{}', 'unknown_tool', /no tool ""/],
  ])('C14: %s with %s is answered with %s', (name, json, expected, message) => {
    const parsed = parseCall(name, json, 'explore');
    expect(code(parsed)).toBe(expected);
    if (parsed.ok) return;
    expect(parsed.message).toMatch(message);
    expect(parsed.remedy).not.toBe('');
  });

  it('L11: in finishing nothing that explores is offered, and a call of it is answered with what is', () => {
    for (const name of ['list_sources', 'search', 'read_range', 'ask_for_review']) {
      const parsed = parseCall(name, '{}', 'finish');
      expect(code(parsed)).toBe('tool_not_offered');
      if (!parsed.ok) expect(parsed.remedy).toMatch(/read_back.*write_block.*finish/);
    }
    expect(code(parseCall('read_back', '{"locator":"result:1.0"}', 'finish'))).toBe('ok');
  });

  it('L10: whatever a model sends is parsed or answered in few words, and nothing throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...Object.keys(TOOLS)), fc.string({ unit: 'binary', maxLength: 300 })),
        fc.oneof(fc.json(), fc.string({ unit: 'binary', maxLength: 300 }), fc.constant(`{"${'k'.repeat(100_000)}":1}`)),
        (name, json) => {
          const parsed = parseCall(name, json, 'explore');
          if (!parsed.ok) expect(parsed.message.length + parsed.remedy.length).toBeLessThan(1200);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the tools’ list', () => {
  it('R14, C1: its bytes and order are fixed: whoever changes them raises TOOLS_VERSION and this digest', () => {
    const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
    const digests = (['openai', 'anthropic'] as const).map((d) => [
      digest(toolsJson('explore', d)),
      digest(toolsJson('finish', d)),
    ]);
    expect([TOOLS_VERSION, ...digests]).toEqual([
      1,
      ['cf675bca0db03ac5', 'd085fd35bd61555e'],
      ['a8123a9c92f6a224', '0616cc81cfcde9f6'],
    ]);
  });

  it('both APIs are offered the same tools, each in its own form', () => {
    const openAi = JSON.parse(toolsJson('explore', 'openai')) as { function: Record<string, unknown> }[];
    const anthropic = JSON.parse(toolsJson('explore', 'anthropic')) as Record<string, unknown>[];
    expect(anthropic).toEqual(
      openAi.map(({ function: { name, description, parameters } }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    );
    expect(anthropic.every((t) => (t['input_schema'] as { type: string }).type === 'object')).toBe(true);
  });

  it('L11: finishing offers tools to write and to read stored results back, none to explore', () => {
    const names = (purpose: 'explore' | 'finish') =>
      (JSON.parse(toolsJson(purpose, 'openai')) as { function: { name: string } }[]).map((t) => t.function.name);
    expect(names('explore')).toEqual([...EXPLORE, 'note_progress', 'ask_for_review', 'finish']);
    expect(names('finish')).toEqual([
      'read_back',
      'calculate',
      'write_block',
      'correct_block',
      'note_progress',
      'finish',
    ]);
  });

  it('L5: reads may be repeated, writes are keyed; an unknown tool is answered like a read', () => {
    for (const name of ['list_sources', 'search', 'read_range', 'read_back', 'calculate'])
      expect(toolKind(name)).toBe('read');
    for (const name of ['write_block', 'correct_block', 'note_progress', 'ask_for_review', 'finish'])
      expect(toolKind(name)).toBe('keyed');
    expect(toolKind('constructor')).toBe('read');
  });
});
