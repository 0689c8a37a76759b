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
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** As the block began; it counts when no pieces come. */
  readonly input: unknown;
  pieces: string;
}

const COUNTS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens'] as const;

/**
 * An Anthropic message.
 *
 * 1. Text and calls are kept by the index of their block. Thinking, and blocks and deltas of kinds that are unknown here, are
 *    the model's as well, so they are content and progress; they are not kept.
 * 2. Counts in events are cumulative: the last one that was reported stands. What a message begins with says nothing about
 *    its output, so a stream that breaks before its end has no output count (B13).
 * 3. No call and none of its arguments is lost to a stream out of order: pieces wait for their block, and a block that begins
 *    where another call stands is one more call.
 * 4. Pings, ends of blocks and unknown events are nothing.
 */
export class AnthropicAnswer implements GrowingAnswer {
  private readonly texts = new Map<number, string>();
  private readonly asked: GrowingCall[] = [];
  /** Pieces that came before their block began. */
  private readonly early = new Map<number, string>();
  private readonly counts = new Map<(typeof COUNTS)[number], number>();
  private size = 0;
  private reason: string | null = null;
  content = false;
  finished = false;

  take(json: unknown, part: 'delta' | 'message'): AnswerChunk {
    if (!isObject(json)) return NO_CHUNK;
    if (json['error'] !== undefined && json['error'] !== null) return { kind: 'error', text: '', error: json['error'] };
    return part === 'message' ? this.takeMessage(json) : this.takeEvent(json);
  }

  get text(): string {
    return inOrder(this.texts).join('');
  }

  get calls(): ModelCall[] {
    const ordered = [...this.asked].sort((a, b) => a.index - b.index);
    return ordered.map(({ id, name, input, pieces }, i) => {
      const args = pieces === '' ? JSON.stringify(isObject(input) ? input : {}) : pieces;
      return { id: id || `call_${i}`, name, arguments: args };
    });
  }

  get usage(): Usage | null {
    if (this.counts.size === 0) return null;
    return {
      inputTokens: this.counts.get('input_tokens') ?? null,
      outputTokens: this.counts.get('output_tokens') ?? null,
      cachedInputTokens: this.counts.get('cache_read_input_tokens') ?? null,
      costMicros: null,
    };
  }

  get finish(): Finish | null {
    switch (this.reason) {
      case null:
        return null;
      case 'end_turn':
      case 'stop_sequence':
        return 'stop';
      case 'tool_use':
        return 'tool_calls';
      case 'max_tokens':
      case 'model_context_window_exceeded':
        return 'length';
      case 'refusal':
        return 'content_filter';
      case 'pause_turn': // the provider broke off a turn that was not over
        return this.asked.length > 0 ? 'tool_calls' : 'length';
      default:
        return this.asked.length > 0 ? 'tool_calls' : 'stop';
    }
  }

  private takeEvent(json: Json): AnswerChunk {
    const index = readCount(json['index']) ?? 0;
    switch (json['type']) {
      case 'message_start': {
        const usage = isObject(json['message']) ? json['message']['usage'] : undefined;
        this.count(isObject(usage) ? { ...usage, output_tokens: null } : undefined);
        return NOTHING;
      }
      case 'content_block_start':
        return this.sized(this.begin(json['content_block'], index));
      case 'content_block_delta':
        return this.sized(this.grow(json['delta'], index));
      case 'message_delta':
        this.count(json['usage']);
        this.end(isObject(json['delta']) ? json['delta']['stop_reason'] : undefined);
        return NOTHING;
      case 'message_stop':
        return { kind: 'end', text: '' };
      default:
        return typeof json['type'] === 'string' || Object.keys(json).length === 0 ? NOTHING : NO_CHUNK;
    }
  }

  private takeMessage(json: Json): AnswerChunk {
    const blocks = json['content'];
    if (!Array.isArray(blocks)) return NO_CHUNK;
    this.count(json['usage']);
    this.end(json['stop_reason']);
    let text = '';
    for (const [index, block] of blocks.entries()) text += this.begin(block, index)?.text ?? '';
    return this.sized(this.content ? { kind: 'content', text } : null);
  }

  /** A block as it begins, or as it stands in a whole reply; null when nothing came with it. */
  private begin(block: unknown, index: number): AnswerChunk | null {
    if (!isObject(block)) return null;
    switch (block['type']) {
      case 'text':
        return this.say(block['text'], index);
      case 'thinking':
        return this.other(block['thinking']);
      case 'tool_use': {
        const pieces = this.early.get(index) ?? '';
        this.early.delete(index);
        const call = { index, id: word(block['id']), name: word(block['name']), input: block['input'], pieces };
        this.asked.push(call);
        this.size += utf8Bytes(call.name) + utf8Bytes(JSON.stringify(call.input ?? {}));
        return this.other(undefined);
      }
      default:
        return this.other(undefined);
    }
  }

  private grow(delta: unknown, index: number): AnswerChunk | null {
    if (!isObject(delta)) return null;
    switch (delta['type']) {
      case 'text_delta':
        return this.say(delta['text'], index);
      case 'thinking_delta':
        return this.other(delta['thinking']);
      case 'input_json_delta': {
        const piece = word(delta['partial_json']);
        const call = this.asked.findLast((one) => one.index === index);
        if (call) call.pieces += piece;
        else this.early.set(index, (this.early.get(index) ?? '') + piece);
        this.size += utf8Bytes(piece);
        return this.other(piece);
      }
      default:
        return this.other(undefined);
    }
  }

  private say(value: unknown, index: number): AnswerChunk | null {
    const text = word(value);
    if (text === '') return null;
    this.texts.set(index, (this.texts.get(index) ?? '') + text);
    this.size += utf8Bytes(text);
    this.content = true;
    return { kind: 'content', text };
  }

  /** Content without text: `said` when it is words, which may be empty. */
  private other(said: unknown): AnswerChunk | null {
    if (said === '') return null;
    this.content = true;
    return { kind: 'content', text: '' };
  }

  private sized(chunk: AnswerChunk | null): AnswerChunk {
    if (this.size > MAX_RESPONSE_BYTES || this.asked.length > MAX_CALLS) return TOO_LARGE;
    return chunk ?? NOTHING;
  }

  private count(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const name of COUNTS) {
      const count = readCount(usage[name]);
      if (count !== null) this.counts.set(name, count);
    }
  }

  private end(reason: unknown): void {
    if (typeof reason !== 'string' || reason === '') return;
    this.reason = reason;
    this.finished = true;
  }
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '');

const inOrder = <T>(byIndex: ReadonlyMap<number, T>): T[] =>
  [...byIndex].sort(([a], [b]) => a - b).map(([, value]) => value);
