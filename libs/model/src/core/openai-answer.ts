import type { Usage } from '@waymark/contracts/budget';
import {
  isObject,
  NO_CHUNK,
  NOTHING,
  readCount,
  TOO_LARGE,
  utf8Bytes,
  type AnswerChunk,
  type GrowingAnswer,
  type Json,
} from './growing-answer.js';
import { MAX_CALLS, MAX_RESPONSE_BYTES, type Finish, type ModelCall } from './outcome.js';

interface GrowingCall {
  id: string;
  name: string;
  arguments: string;
}

/** An OpenAI chat completion. Of several choices only the first is read. */
export class OpenAiAnswer implements GrowingAnswer {
  private texts: string[] = [];
  private size = 0;
  private readonly byIndex = new Map<number, GrowingCall>();
  private reason: string | null = null;
  usage: Usage | null = null;
  content = false;
  finished = false;

  take(json: unknown, part: 'delta' | 'message'): AnswerChunk {
    if (!isObject(json)) return NO_CHUNK;
    if (json['error'] !== undefined && json['error'] !== null) return { kind: 'error', text: '', error: json['error'] };
    const usage = readUsage(json['usage']);
    if (usage) this.usage = usage;
    const choices = json['choices'];
    if (!Array.isArray(choices)) return part === 'message' || !(usage || isKeepAlive(json)) ? NO_CHUNK : NOTHING;
    const choice: unknown = choices.find((c: unknown) => isObject(c) && (c['index'] ?? 0) === 0);
    if (!isObject(choice)) return part === 'message' ? NO_CHUNK : NOTHING;
    const body = choice[part];
    const chunk = isObject(body) ? this.grow(body) : NOTHING;
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') {
      this.reason = reason;
      this.finished = true;
    }
    return chunk;
  }

  get text(): string {
    if (this.texts.length > 1) this.texts = [this.texts.join('')];
    return this.texts[0] ?? '';
  }

  get calls(): ModelCall[] {
    return [...this.byIndex.entries()]
      .sort(([a], [b]) => a - b)
      .map(([index, { id, name, arguments: args }]) => ({ id: id || `call_${index}`, name, arguments: args }));
  }

  get finish(): Finish | null {
    if (this.reason === null) return null;
    switch (this.reason) {
      case 'stop':
      case 'tool_calls':
      case 'length':
      case 'content_filter':
        return this.reason;
      case 'max_tokens':
        return 'length';
      default:
        return this.byIndex.size > 0 ? 'tool_calls' : 'stop';
    }
  }

  private grow(body: Json): AnswerChunk {
    const text = readText(body['content']) || readText(body['refusal']);
    let content = text !== '' || readText(body['reasoning_content']) !== '' || readText(body['reasoning']) !== '';
    if (text !== '') this.texts.push(text);
    this.size += utf8Bytes(text);
    const calls = body['tool_calls'];
    if (Array.isArray(calls)) {
      for (const [position, call] of calls.entries())
        if (isObject(call) && this.growCall(call, position)) content = true;
    }
    if (content) this.content = true;
    if (this.size > MAX_RESPONSE_BYTES || this.byIndex.size > MAX_CALLS) return TOO_LARGE;
    return content ? { kind: 'content', text } : NOTHING;
  }

  /** True when it added something. Some providers send whole calls without an index: a new id is a new call. */
  private growCall(call: Json, position: number): boolean {
    const id = readText(call['id']);
    const made = isObject(call['function']) ? call['function'] : {};
    const name = readText(made['name']);
    const rawArguments = made['arguments'];
    const args = isObject(rawArguments) ? JSON.stringify(rawArguments) : readText(rawArguments);
    const index = typeof call['index'] === 'number' ? call['index'] : this.indexOf(id, position);
    const known = this.byIndex.get(index);
    const growing = known ?? { id: '', name: '', arguments: '' };
    if (!known) this.byIndex.set(index, growing);
    if (growing.id === '') growing.id = id;
    if (name !== growing.name) growing.name += name; // some repeat the whole name in every piece
    growing.arguments += args;
    this.size += utf8Bytes(name) + utf8Bytes(args);
    return (!known && id !== '') || name !== '' || args !== '';
  }

  private indexOf(id: string, position: number): number {
    if (id === '') return this.byIndex.size > 1 ? this.byIndex.size - 1 : position;
    for (const [index, call] of this.byIndex) if (call.id === id) return index;
    return this.byIndex.size;
  }
}

/** Objects that some gateways send between chunks are no answer and no error. */
const isKeepAlive = (json: Json): boolean =>
  'object' in json || 'id' in json || 'type' in json || Object.keys(json).length === 0;

/** A string, or the text parts of a list of parts. */
function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  return value
    .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** B13: as reported, else null. */
function readUsage(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const details = isObject(value['prompt_tokens_details']) ? value['prompt_tokens_details'] : {};
  const cost = value['cost'];
  const usage: Usage = {
    inputTokens: readCount(value['prompt_tokens']),
    outputTokens: readCount(value['completion_tokens']),
    cachedInputTokens: readCount(details['cached_tokens']),
    costMicros: typeof cost === 'number' ? readCount(Math.round(cost * 1e6)) : null,
  };
  return Object.values(usage).every((n) => n === null) ? null : usage;
}
