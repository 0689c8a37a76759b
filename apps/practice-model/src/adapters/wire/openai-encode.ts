import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Answer } from '../../core/protocol/answer.js';
import { PRACTICE_LABEL } from '../../core/protocol/models.js';
import { pieces } from '../../core/protocol/pieces.js';
import { usageOf } from '../../core/protocol/usage.js';
import type { EncodeOptions, Frame } from './wire.js';

type Delta = ChatCompletionChunk.Choice.Delta;

/** Server-sent events: role, content in pieces, calls with their arguments in pieces, finish, usage, [DONE]. */
export function encodeChunks(answer: Answer, options: EncodeOptions): Frame[] {
  const event = (delta: Delta, finish?: Answer['finish']): string => sse(chunkOf(options, delta, finish ?? null));
  const frames: Frame[] = [{ kind: 'open', data: event({ role: 'assistant', content: '' }) }];
  for (const content of pieces(answer.text, options.chunk)) frames.push({ kind: 'content', data: event({ content }) });
  answer.calls.forEach((call, index) => {
    const open = { index, id: call.id, type: 'function' as const, function: { name: call.name, arguments: '' } };
    frames.push({ kind: 'call', data: event({ tool_calls: [open] }) });
    for (const part of pieces(call.arguments, options.chunk)) {
      frames.push({ kind: 'call', data: event({ tool_calls: [{ index, function: { arguments: part } }] }) });
    }
  });
  frames.push({ kind: 'finish', data: event({}, answer.finish) });
  if (options.includeUsage) {
    const last: ChatCompletionChunk = { ...headOf(options), choices: [], usage: countsOf(answer, options) };
    frames.push({ kind: 'usage', data: sse(last) });
  }
  frames.push({ kind: 'done', data: 'data: [DONE]\n\n' });
  return frames;
}

export function chunkOf(options: EncodeOptions, delta: Delta, finish: Answer['finish'] | null): ChatCompletionChunk {
  return {
    ...headOf(options),
    system_fingerprint: PRACTICE_LABEL,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(options.includeUsage ? { usage: null } : {}),
  };
}

const headOf = ({
  id,
  created,
  model,
}: EncodeOptions): Pick<ChatCompletionChunk, 'id' | 'object' | 'created' | 'model'> => ({
  id,
  object: 'chat.completion.chunk',
  created,
  model,
});

/** The whole answer as one JSON body. */
export function encodeCompletion(answer: Answer, options: EncodeOptions): string {
  const calls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  const completion: ChatCompletion = {
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
    usage: countsOf(answer, options),
  };
  return JSON.stringify(completion);
}

export const sse = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

function countsOf(answer: Answer, { requestBytes }: EncodeOptions): NonNullable<ChatCompletion['usage']> {
  const { input, output } = usageOf(answer, requestBytes);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
