import type { ContentBlock, Message, RawMessageStreamEvent, StopReason } from '@anthropic-ai/sdk/resources/messages';
import type { Answer } from '../../core/protocol/answer.js';
import { pieces } from '../../core/protocol/pieces.js';
import { usageOf } from '../../core/protocol/usage.js';
import type { EncodeOptions, Frame } from './wire.js';

const STOP_REASONS: Readonly<Record<Answer['finish'], StopReason>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
};

/** Events of a stream: start, one block of text, one block for each call with its input in pieces, delta, stop. */
export function encodeEvents(answer: Answer, options: EncodeOptions): Frame[] {
  const { input, output } = usageOf(answer, options.requestBytes);
  const frames: Frame[] = [];
  const add = (kind: Frame['kind'], event: RawMessageStreamEvent): void => {
    frames.push({ kind, data: named(event) });
  };
  add('open', { type: 'message_start', message: messageOf(options, [], null, { input, output: 1 }) });
  frames.push({ kind: 'open', data: PING });
  let index = 0;
  if (answer.text !== '') {
    add('open', { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: null } });
    for (const text of pieces(answer.text, options.chunk)) {
      add('content', { type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
    }
    add('open', { type: 'content_block_stop', index });
    index += 1;
  }
  for (const { id, name, arguments: args } of answer.calls) {
    const block = { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } } as const;
    add('call', { type: 'content_block_start', index, content_block: block });
    for (const piece of pieces(args, options.chunk)) {
      add('call', { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } });
    }
    add('open', { type: 'content_block_stop', index });
    index += 1;
  }
  const { stop_reason, stop_sequence, stop_details } = messageOf(options, [], answer.finish, { input, output });
  add('finish', {
    type: 'message_delta',
    delta: { container: null, stop_reason, stop_sequence, stop_details },
    usage: {
      input_tokens: null,
      output_tokens: output,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: null,
      output_tokens_details: null,
      server_tool_use: null,
    },
  });
  add('done', { type: 'message_stop' });
  return frames;
}

/** The whole answer as one JSON body. */
export function encodeMessage(answer: Answer, options: EncodeOptions): string {
  const content: ContentBlock[] = answer.calls.map(({ id, name, arguments: args }) => ({
    type: 'tool_use',
    id,
    name,
    input: inputOf(args),
    caller: { type: 'direct' },
  }));
  if (answer.text !== '') content.unshift({ type: 'text', text: answer.text, citations: null });
  return JSON.stringify(messageOf(options, content, answer.finish, usageOf(answer, options.requestBytes)));
}

export const named = (event: { readonly type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const PING = named({ type: 'ping' });

export const emptyText = (): string =>
  named({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: '' },
  } as RawMessageStreamEvent);

function messageOf(
  { id, model }: EncodeOptions,
  content: ContentBlock[],
  finish: Answer['finish'] | null,
  { input, output }: { input: number; output: number },
): Message {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    container: null,
    diagnostics: null,
    stop_reason: finish === null ? null : STOP_REASONS[finish],
    stop_sequence: null,
    stop_details: finish === 'content_filter' ? { type: 'refusal', category: null, explanation: null } : null,
    usage: {
      input_tokens: input,
      output_tokens: output,
      cache_creation: null,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      inference_geo: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: 'standard',
      speed: null,
    },
  };
}

/** Only a stream can carry a broken input. */
function inputOf(args: string): unknown {
  try {
    return JSON.parse(args) as unknown;
  } catch {
    return {};
  }
}
