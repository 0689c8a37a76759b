import type { Usage } from '@waymark/contracts/budget';
import type { Finish, ModelCall } from './outcome.js';

/** What one event of a stream, or a whole JSON reply, brought. */
export interface AnswerChunk {
  /**
   * `content`: the model said, thought or asked for something. `end`: the provider's own end. `error`: the provider's error.
   * `no_chunk`: nothing that the API knows.
   */
  readonly kind: 'content' | 'nothing' | 'end' | 'error' | 'no_chunk' | 'too_large';
  /** The text that it adds. */
  readonly text: string;
  readonly error?: unknown;
}

/** An answer as it grows from events, or as it stands in one JSON reply. Unknown fields and kinds are let pass. */
export interface GrowingAnswer {
  /** One event of a stream (`part` delta) or a whole reply (`part` message). */
  take(json: unknown, part: 'delta' | 'message'): AnswerChunk;
  readonly text: string;
  readonly calls: ModelCall[];
  /** Null while no reason came. */
  readonly finish: Finish | null;
  readonly usage: Usage | null;
  readonly content: boolean;
  /** A finish reason came: the provider's own end of this answer. */
  readonly finished: boolean;
}

export const NOTHING: AnswerChunk = { kind: 'nothing', text: '' };
export const NO_CHUNK: AnswerChunk = { kind: 'no_chunk', text: '' };
export const TOO_LARGE: AnswerChunk = { kind: 'too_large', text: '' };

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** B13: a count as reported, else null. */
export const readCount = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;

export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
