import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../../core/protocol/answer.js';
import type { ChatRequest } from '../../core/protocol/chat-request.js';
import type { ApiRefusal } from '../../core/protocol/error-body.js';

export interface EncodeOptions {
  id: string;
  model: string;
  /** Unix seconds. */
  created: number;
  /** Bytes of the request, from which the usage is reckoned. */
  requestBytes: number;
  includeUsage: boolean;
  /** Characters of text per content chunk. */
  chunk: number;
}

/** Frames of a stream in order; `kind` lets a fault cut it after so much content. */
export interface Frame {
  kind: 'open' | 'content' | 'call' | 'finish' | 'usage' | 'done';
  data: string;
}

export type Validated = { ok: true; request: ChatRequest } | { ok: false; refusal: ApiRefusal };

/** How one API says what the practice model says. */
export interface Wire {
  readonly api: 'openai' | 'anthropic';
  /** What a real provider refuses is refused (C14). */
  validate(body: unknown): Validated;
  /** What is wrong with the headers, the key apart. */
  headerRefusal(headers: IncomingHttpHeaders): ApiRefusal | undefined;
  keyOf(headers: IncomingHttpHeaders): string | undefined;
  stream(answer: Answer, options: EncodeOptions): Frame[];
  whole(answer: Answer, options: EncodeOptions): string;
  /** Alive and never a word: sent by turns. */
  pings(options: EncodeOptions): readonly [string, string];
  errorBody(refusal: ApiRefusal): string;
  /** The same as an event in a stream. */
  errorEvent(refusal: ApiRefusal): string;
}

export const bearer = (authorization: string | undefined): string | undefined =>
  /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
