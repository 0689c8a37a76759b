import type { ChatRequest, Message, RequestedCall } from './chat-request.js';
import { invalid, type ApiRefusal } from './error-body.js';

/**
 * What a real provider refuses, refused here (C14):
 * 1. a tool result that does not directly follow the call it answers, or has no tool_call_id;
 * 2. a call without its result before the next message that is not a tool result;
 * 3. a role that is unknown, system text that is not at the head, a conversation that does not begin with the user's
 *    words or ends with the model's own.
 * Empty content is accepted where OpenAI accepts it; null content only beside calls.
 */
export function validateRequest(
  value: unknown,
): { ok: true; request: ChatRequest } | { ok: false; refusal: ApiRefusal } {
  if (!isRecord(value)) return no('The body must be a JSON object.');
  if (typeof value.model !== 'string' || value.model === '') return no("Missing required parameter: 'model'.", 'model');
  if (!Array.isArray(value.messages) || value.messages.length === 0) {
    return no("Missing required parameter: 'messages', an array with at least one message.", 'messages');
  }
  const tools = toolNames(value.tools);
  if (!Array.isArray(tools)) return { ok: false, refusal: tools };

  const messages: Message[] = [];
  const open = new Set<string>();
  for (const [i, raw] of value.messages.entries()) {
    const read = readMessage(raw, `messages[${i}]`);
    if (!('role' in read)) return { ok: false, refusal: read };
    const refusal = placed(read, messages, open, i);
    if (refusal) return { ok: false, refusal };
    messages.push(read);
  }
  if (open.size > 0) return { ok: false, refusal: unanswered(open, value.messages.length) };
  if (messages.at(-1)?.role === 'assistant') return no('The last message must not be from the assistant.', 'messages');
  if (!messages.some((m) => m.role === 'user')) return no('There must be a user message.', 'messages');
  const cap = value.max_completion_tokens ?? value.max_tokens ?? undefined;
  if (cap !== undefined && (typeof cap !== 'number' || !Number.isInteger(cap) || cap < 1)) {
    return no('The output cap must be a whole number above 0.', 'max_completion_tokens');
  }
  return { ok: true, request: { model: value.model, messages, tools, maxTokens: cap } };
}

/** Whether `message` may stand after `before`; keeps the set of calls that still wait for a result. */
function placed(message: Message, before: Message[], open: Set<string>, i: number): ApiRefusal | undefined {
  const param = `messages[${i}]`;
  if (message.role === 'tool') {
    if (!open.delete(message.callId)) {
      return invalid(
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'. " +
          `No open call has the id '${message.callId}'.`,
        `${param}.tool_call_id`,
      );
    }
    return undefined;
  }
  if (open.size > 0) return unanswered(open, i);
  if (message.role === 'system' && before.some((m) => m.role !== 'system')) {
    return invalid('System messages must stand at the head of the conversation.', `${param}.role`);
  }
  if (message.role !== 'assistant') return undefined;
  if (!before.some((m) => m.role === 'user')) {
    return invalid('The conversation must begin with a user message.', `${param}.role`);
  }
  for (const call of message.calls) {
    if (open.has(call.id)) return invalid(`Duplicate tool call id '${call.id}'.`, `${param}.tool_calls`);
    open.add(call.id);
  }
  return undefined;
}

function unanswered(open: Set<string>, i: number): ApiRefusal {
  return invalid(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    `messages[${i}].role`,
  );
}

function readMessage(raw: unknown, param: string): Message | ApiRefusal {
  if (!isRecord(raw)) return invalid('A message must be an object.', param);
  const content = textOf(raw.content);
  switch (raw.role) {
    case 'system':
    case 'developer':
      return content === undefined ? noContent(param) : { role: 'system', content };
    case 'user':
      return content === undefined ? noContent(param) : { role: 'user', content };
    case 'tool':
      if (typeof raw.tool_call_id !== 'string' || raw.tool_call_id === '') {
        return invalid(
          "Missing parameter 'tool_call_id': a message with role 'tool' must have it.",
          `${param}.tool_call_id`,
        );
      }
      return content === undefined ? noContent(param) : { role: 'tool', content, callId: raw.tool_call_id };
    case 'assistant': {
      const calls = readCalls(raw.tool_calls, param);
      if (!Array.isArray(calls)) return calls;
      if (content === undefined && calls.length === 0) return noContent(param);
      return { role: 'assistant', content: content ?? '', calls };
    }
    default:
      return invalid(`Invalid value for 'role': ${JSON.stringify(raw.role)}.`, `${param}.role`);
  }
}

function readCalls(raw: unknown, param: string): RequestedCall[] | ApiRefusal {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw) || raw.length === 0)
    return invalid("'tool_calls' must be a non-empty array.", `${param}.tool_calls`);
  const calls: RequestedCall[] = [];
  for (const [k, call] of raw.entries()) {
    const at = `${param}.tool_calls[${k}]`;
    if (!isRecord(call) || call.type !== 'function' || !isRecord(call.function)) {
      return invalid("A tool call must be {id, type: 'function', function}.", at);
    }
    const { name, arguments: args } = call.function;
    if (typeof call.id !== 'string' || call.id === '') return invalid('A tool call must have an id.', `${at}.id`);
    if (typeof name !== 'string' || name === '')
      return invalid('A tool call must name its function.', `${at}.function.name`);
    if (typeof args !== 'string') return invalid('Arguments must be a string.', `${at}.function.arguments`);
    calls.push({ id: call.id, name, arguments: args });
  }
  return calls;
}

function toolNames(raw: unknown): string[] | ApiRefusal {
  if (raw === undefined || raw === null) return [];
  if (!Array.isArray(raw)) return invalid("'tools' must be an array.", 'tools');
  const names: string[] = [];
  for (const [i, tool] of raw.entries()) {
    const name: unknown =
      isRecord(tool) && tool.type === 'function' && isRecord(tool.function) ? tool.function.name : undefined;
    if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
      return invalid("A tool must be {type: 'function', function: {name}} with a plain name.", `tools[${i}]`);
    }
    names.push(name);
  }
  return names;
}

/** A string, or the text parts of a content array; undefined for null or anything else. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const parts = content.map((part: unknown) =>
    isRecord(part) && typeof part.text === 'string' ? part.text : undefined,
  );
  return parts.includes(undefined) ? undefined : parts.join('');
}

const noContent = (param: string): ApiRefusal => invalid('Content must be a string or text parts.', `${param}.content`);
const no = (message: string, param: string | null = null): { ok: false; refusal: ApiRefusal } => ({
  ok: false,
  refusal: invalid(message, param),
});
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
