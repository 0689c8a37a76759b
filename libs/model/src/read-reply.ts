import type { IncomingMessage } from 'node:http';
import { EventStream } from './core/event-stream.js';
import type { AnswerChunk, GrowingAnswer } from './core/growing-answer.js';
import { MAX_RESPONSE_BYTES } from './core/outcome.js';

/** How a reply's body ended. `end`: the provider's own end. */
export type ReplyEnd =
  { readonly kind: 'end' | 'cut' | 'garbage' | 'too_large' } | { readonly kind: 'error'; readonly error: unknown };

/** JSON of a reply or of one event: text at its limit, every byte of it escaped, and the frame. */
const MAX_JSON_LENGTH = 4 * MAX_RESPONSE_BYTES;
/** After the provider's end its connection may go on until here before it is cut. */
const DRAIN_MS = 1_000;

/**
 * Reads a 2xx reply into `answer`, event stream or JSON as its first character says. Resolves once, never throws; leaves
 * the connection to the next request when the reply is over. `onContent` gets the text that a chunk adds.
 */
export function readReply(
  reply: IncomingMessage,
  answer: GrowingAnswer,
  onContent: (text: string) => void,
): Promise<ReplyEnd> {
  return new Promise((resolve) => {
    const decoder = new TextDecoder();
    const stream = new EventStream(MAX_JSON_LENGTH);
    let json: string | null = null;
    let isJson: boolean | null = null;
    let over = false;

    const finish = (end: ReplyEnd): void => {
      if (over) return;
      over = true;
      reply.off('data', take);
      if (end.kind === 'end') drain(reply);
      else reply.destroy();
      resolve(end);
    };
    const takeEvents = (events: readonly string[]): void => {
      for (const event of events) {
        if (over) return;
        const end = takeEvent(event, answer, onContent);
        if (end) finish(end);
      }
    };
    const take = (piece: Buffer): void => {
      const text = decoder.decode(piece, { stream: true });
      isJson ??= startsJson(text);
      if (isJson === null) return;
      if (isJson) {
        json = (json ?? '') + text;
        if (json.length > MAX_JSON_LENGTH) finish({ kind: 'too_large' });
        return;
      }
      const { events, broken } = stream.take(text);
      takeEvents(events);
      if (broken) finish({ kind: broken });
    };

    reply.on('data', take);
    reply.once('end', () => {
      if (over) return;
      if (json !== null) return finish(takeJson(json, answer, onContent));
      if (isJson === false) takeEvents(stream.end());
      finish({ kind: answer.finished ? 'end' : 'cut' });
    });
    const cut = (): void => finish({ kind: answer.finished ? 'end' : 'cut' });
    reply.once('error', cut);
    reply.once('close', cut);
    if (reply.destroyed) cut();
  });
}

function takeEvent(event: string, answer: GrowingAnswer, onContent: (text: string) => void): ReplyEnd | null {
  const data = event.trim();
  if (data === '[DONE]') return { kind: 'end' };
  if (data === '') return null;
  const json = parse(data);
  return json === undefined ? { kind: 'garbage' } : endIn(answer.take(json, 'delta'), onContent);
}

function takeJson(text: string, answer: GrowingAnswer, onContent: (text: string) => void): ReplyEnd {
  const json = parse(text);
  if (json === undefined) return { kind: 'garbage' };
  return endIn(answer.take(json, 'message'), onContent) ?? { kind: 'end' };
}

/** The end that a chunk is, or null when the reply goes on. */
function endIn(chunk: AnswerChunk, onContent: (text: string) => void): ReplyEnd | null {
  switch (chunk.kind) {
    case 'content':
      onContent(chunk.text);
      return null;
    case 'nothing':
      return null;
    case 'end':
      return { kind: 'end' };
    case 'error':
      return { kind: 'error', error: chunk.error };
    case 'no_chunk':
      return { kind: 'garbage' };
    case 'too_large':
      return { kind: 'too_large' };
  }
}

/** Null while only white space has come. */
function startsJson(text: string): boolean | null {
  const first = /[^\s\uFEFF]/.exec(text)?.[0];
  return first === undefined ? null : first === '{' || first === '[';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function drain(reply: IncomingMessage): void {
  if (reply.readableEnded || reply.destroyed) return;
  const timer = setTimeout(() => reply.destroy(), DRAIN_MS);
  timer.unref();
  reply.once('close', () => clearTimeout(timer));
  reply.resume();
}
