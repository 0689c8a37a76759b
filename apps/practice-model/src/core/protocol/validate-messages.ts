import type { ChatRequest, Message, RequestedCall } from './chat-request.js';
import { invalid, type ApiRefusal } from './error-body.js';

/**
 * What Anthropic's Messages API refuses, refused here (C14):
 * 1. results that do not answer exactly the calls of the message before, or that stand after other words;
 * 2. an id that stands twice, an id or a name with other signs, an input that is no object;
 * 3. a conversation that does not begin and end with the user; text without words; a missing output cap;
 * 4. more than four marks for the cache, or one that says something else than `{"type":"ephemeral"}`.
 * Neighbours of one role count as one message, as they do there. Each text of the user's is a message of its own here.
 */
export function validateMessages(
  value: unknown,
): { ok: true; request: ChatRequest } | { ok: false; refusal: ApiRefusal } {
  try {
    return { ok: true, request: read(value) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal };
    throw error;
  }
}

class Refused extends Error {
  constructor(readonly refusal: ApiRefusal) {
    super(refusal.message);
  }
}

function refuse(param: string, message: string): never {
  throw new Refused(invalid(`${param}: ${message}`, param));
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; call: RequestedCall }
  | { type: 'tool_result'; id: string; content: string };
interface Turn {
  role: 'user' | 'assistant';
  content: Block[];
}

function read(value: unknown): ChatRequest {
  if (!isRecord(value)) return refuse('body', 'Input should be an object');
  const { model, max_tokens: maxTokens, messages, tools, system } = value;
  if (typeof model !== 'string' || model === '') return refuse('model', 'Field required');
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens) || maxTokens < 1) {
    return refuse('max_tokens', 'Field required: a whole number above 0');
  }
  if (!Array.isArray(messages) || messages.length === 0) return refuse('messages', 'at least one message is required');
  const turns = merged(messages.map((message, i) => readTurn(message, `messages.${i}`)));
  placed(turns);
  marked([[value], tools, system, ...messages.map((message) => (isRecord(message) ? message.content : []))]);
  return {
    model,
    maxTokens,
    tools: toolNames(tools),
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: words(system, 'system') }]),
      ...flat(turns),
    ],
  };
}

function readTurn(raw: unknown, param: string): Turn {
  if (!isRecord(raw)) return refuse(param, 'Input should be an object');
  const { role, content } = raw;
  if (role !== 'user' && role !== 'assistant') return refuse(`${param}.role`, "Input should be 'user' or 'assistant'");
  const blocks: unknown[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  if (blocks.length === 0) return refuse(`${param}.content`, 'must not be empty');
  return { role, content: blocks.map((block, k) => readBlock(block, role, `${param}.content.${k}`)) };
}

function readBlock(raw: unknown, role: Turn['role'], param: string): Block {
  if (!isRecord(raw)) return refuse(param, 'Input should be an object');
  switch (raw.type) {
    case 'text':
      if (typeof raw.text !== 'string') return refuse(`${param}.text`, 'Input should be a valid string');
      if (raw.text.trim() === '') return refuse(param, 'text content blocks must contain non-whitespace text');
      return { type: 'text', text: raw.text };
    case 'tool_use': {
      const { id, name, input } = raw;
      if (role !== 'assistant') return refuse(param, '`tool_use` blocks can only be in `assistant` messages');
      if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
        return refuse(`${param}.id`, 'String should match pattern');
      if (typeof name !== 'string' || !NAME.test(name)) return refuse(`${param}.name`, 'String should match pattern');
      if (!isRecord(input)) return refuse(`${param}.input`, 'Input should be an object');
      return { type: 'tool_use', call: { id, name, arguments: JSON.stringify(input) } };
    }
    case 'tool_result': {
      const { tool_use_id: id, content } = raw;
      if (role !== 'user') return refuse(param, '`tool_result` blocks can only be in `user` messages');
      if (typeof id !== 'string') return refuse(`${param}.tool_use_id`, 'Field required');
      return { type: 'tool_result', id, content: content === undefined ? '' : words(content, `${param}.content`) };
    }
    default:
      return refuse(`${param}.type`, `Input tag ${JSON.stringify(raw.type)} is not one that the practice model takes`);
  }
}

function merged(turns: readonly Turn[]): Turn[] {
  const out: Turn[] = [];
  for (const turn of turns) {
    const last = out.at(-1);
    if (last?.role === turn.role) last.content.push(...turn.content);
    else out.push({ role: turn.role, content: [...turn.content] });
  }
  return out;
}

/** Rules 1 to 3 over the whole conversation. */
function placed(turns: readonly Turn[]): void {
  if (turns[0]?.role !== 'user') refuse('messages', 'first message must use the "user" role');
  if (turns.at(-1)?.role !== 'user') refuse('messages', 'the conversation must end with a user message');
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [i, { content }] of turns.entries()) {
    const given = content.flatMap((b) => (b.type === 'tool_result' ? [b.id] : []));
    for (const id of given) {
      if (open.includes(id)) continue;
      refuse(`messages.${i}`, `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`);
    }
    if (new Set(given).size < given.length) refuse(`messages.${i}`, 'each tool_use must have a single result');
    const missing = open.filter((id) => !given.includes(id));
    if (missing.length > 0) {
      refuse(
        `messages.${i}`,
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`,
      );
    }
    if (content.slice(0, given.length).some((b) => b.type !== 'tool_result')) {
      refuse(`messages.${i}`, '`tool_result` blocks must stand before all other content');
    }
    open = content.flatMap((b) => (b.type === 'tool_use' ? [b.call.id] : []));
    for (const id of open) {
      if (seen.has(id)) refuse(`messages.${i}`, `\`tool_use\` ids must be unique: ${id}`);
      seen.add(id);
    }
  }
}

/** Rule 4 over whatever may bear a mark. */
function marked(lists: readonly unknown[]): void {
  const marks = lists.flatMap((list) =>
    Array.isArray(list) ? list.flatMap((block: unknown) => (isRecord(block) ? [block.cache_control] : [])) : [],
  );
  const set = marks.filter((mark) => mark !== undefined && mark !== null);
  if (set.some((mark) => !isRecord(mark) || mark.type !== 'ephemeral'))
    refuse('cache_control', 'type: Input should be ephemeral');
  if (set.length > 4) refuse('cache_control', `a maximum of 4 blocks may bear it, ${set.length} do`);
}

function flat(turns: readonly Turn[]): Message[] {
  return turns.flatMap(({ role, content }): Message[] => {
    if (role === 'assistant') {
      const text = content.flatMap((b) => (b.type === 'text' ? [b.text] : [])).join('');
      return [{ role, content: text, calls: content.flatMap((b) => (b.type === 'tool_use' ? [b.call] : [])) }];
    }
    return content.map((b) => {
      switch (b.type) {
        case 'text':
          return { role, content: b.text };
        case 'tool_result':
          return { role: 'tool', content: b.content, callId: b.id };
        case 'tool_use':
          throw new Error('a call in the user’s place was refused before');
      }
    });
  });
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function toolNames(raw: unknown): string[] {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw)) return refuse('tools', 'Input should be a valid list');
  return raw.map((tool: unknown, i) => {
    const { name, input_schema: schema } = isRecord(tool) ? tool : {};
    if (typeof name !== 'string' || !NAME.test(name)) return refuse(`tools.${i}.name`, 'String should match pattern');
    if (!isRecord(schema) || schema.type !== 'object')
      return refuse(`tools.${i}.input_schema.type`, "Input should be 'object'");
    return name;
  });
}

/** A string, or text blocks. */
function words(value: unknown, param: string): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return refuse(param, 'Input should be a string or text blocks');
  return value
    .map((part: unknown) =>
      isRecord(part) && typeof part.text === 'string' ? part.text : refuse(param, 'Input should be text blocks'),
    )
    .join('');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
