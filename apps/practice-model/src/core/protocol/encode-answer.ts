import type { Answer } from './answer.js';
import { PRACTICE_LABEL } from './models.js';

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
  kind: 'role' | 'content' | 'call' | 'finish' | 'usage' | 'done';
  data: string;
}

/** Server-sent events: role, content in pieces, calls with their arguments in pieces, finish, usage, [DONE]. */
export function encodeStream(answer: Answer, options: EncodeOptions): Frame[] {
  const head = { id: options.id, object: 'chat.completion.chunk', created: options.created, model: options.model };
  const withUsage = options.includeUsage ? { usage: null } : {};
  const event = (delta: object, finish: string | null = null): string =>
    sse({
      ...head,
      system_fingerprint: PRACTICE_LABEL,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...withUsage,
    });
  const frames: Frame[] = [{ kind: 'role', data: event({ role: 'assistant', content: '' }) }];
  for (const content of pieces(answer.text, options.chunk)) frames.push({ kind: 'content', data: event({ content }) });
  answer.calls.forEach((call, index) => {
    const open = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    frames.push({ kind: 'call', data: event({ tool_calls: [open] }) });
    for (const part of pieces(call.arguments, options.chunk)) {
      frames.push({ kind: 'call', data: event({ tool_calls: [{ index, function: { arguments: part } }] }) });
    }
  });
  frames.push({ kind: 'finish', data: event({}, answer.finish) });
  if (options.includeUsage) {
    const usage = usageOf(answer, options.requestBytes);
    frames.push({ kind: 'usage', data: sse({ ...head, choices: [], usage }) });
  }
  frames.push({ kind: 'done', data: 'data: [DONE]\n\n' });
  return frames;
}

/** The whole answer as one JSON body. */
export function encodeWhole(answer: Answer, options: EncodeOptions): string {
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  return JSON.stringify({
    id: options.id,
    object: 'chat.completion',
    created: options.created,
    model: options.model,
    system_fingerprint: PRACTICE_LABEL,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text === '' && calls.length > 0 ? null : answer.text,
          refusal: null,
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        logprobs: null,
        finish_reason: answer.finish,
      },
    ],
    usage: usageOf(answer, options.requestBytes),
  });
}

export const sse = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** Cuts between characters, never inside a surrogate pair. */
function pieces(text: string, size: number): string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + size);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end++;
    out.push(text.slice(at, end));
    at = end;
  }
  return out;
}

/** Four bytes (of the request) or characters (of the answer) are called a token: a rule of the practice model only. */
function usageOf(answer: Answer, requestBytes: number): object {
  const prompt = Math.ceil(requestBytes / 4);
  const written = answer.text.length + answer.calls.reduce((n, c) => n + c.name.length + c.arguments.length, 0);
  const completion = Math.ceil(written / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
