/** The same answers and errors in the words of either API, as its reference writes them, for a server of the test's own. */
import type { ModelApi } from '../src/core/apis.js';
import type { ModelOutcome } from '../src/index.js';

export interface Said {
  readonly texts: readonly string[];
  /** `pieces`: its arguments as they come. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly pieces: readonly string[] }[];
  readonly finish?: NonNullable<ModelOutcome['finish']>;
  /** Counts of the prompt, of it from a cache, and of the answer. */
  readonly usage?: readonly [number, number, number];
}

export interface Speaker {
  readonly api: ModelApi;
  readonly path: string;
  /** Events of a whole stream. The pieces of parallel calls come by turns. */
  events(said: Said): string[];
  whole(said: Said): object;
  text(piece: string): string;
  /** Alive and no word. */
  readonly silence: string;
  /** Blocks, fields and events that no release of ours knows. */
  readonly unknown: string;
  /** An error's body, and the event that carries it in a stream. */
  error(type: string, message: string): object;
  errorEvent(type: string, message: string): string;
}

const event = (value: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;

/** One piece of each call after another, as long as there are any. */
function byTurns(calls: NonNullable<Said['calls']>): { readonly call: number; readonly piece: string }[] {
  const most = Math.max(0, ...calls.map(({ pieces }) => pieces.length));
  return Array.from({ length: most }, (_, i) =>
    calls.flatMap(({ pieces }, call) => (pieces[i] === undefined ? [] : [{ call, piece: pieces[i] }])),
  ).flat();
}

const chunk = (delta: object, finish: string | null = null): string =>
  event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });

const openAi: Speaker = {
  api: 'openai',
  path: '/v1/chat/completions',
  events({ texts, calls = [], finish = 'stop', usage }) {
    return [
      chunk({ role: 'assistant', content: '' }),
      ...texts.map((content) => chunk({ content })),
      ...calls.map(({ id, name }, index) =>
        chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ),
      ...byTurns(calls).map(({ call, piece }) =>
        chunk({ tool_calls: [{ index: call, function: { arguments: piece } }] }),
      ),
      chunk({}, finish),
      ...(usage ? [event({ choices: [], usage: openAiUsage(usage) })] : []),
      'data: [DONE]\n\n',
    ];
  },
  whole({ texts, calls = [], finish = 'stop', usage }) {
    const made = calls.map(({ id, name, pieces }) => ({
      id,
      type: 'function',
      function: { name, arguments: pieces.join('') },
    }));
    const message = { content: texts.join(''), ...(made.length > 0 ? { tool_calls: made } : {}) };
    return {
      choices: [{ index: 0, message, finish_reason: finish }],
      ...(usage ? { usage: openAiUsage(usage) } : {}),
    };
  },
  text: (content) => chunk({ content }),
  silence: `: ping\n\n${chunk({ content: '' })}`,
  unknown:
    event({ object: 'chat.completion.chunk', novel: 1, choices: [{ index: 0, delta: { hologram: 'x' }, novel: [] }] }) +
    event({ object: 'something.else', id: 'x' }),
  error: (type, message) => ({ error: { type, message, code: null, param: null } }),
  errorEvent: (type, message) => event({ error: { type, message } }),
};

const openAiUsage = ([prompt, cached, completion]: readonly [number, number, number]): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  prompt_tokens_details: { cached_tokens: cached },
});

const REASONS = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', content_filter: 'refusal' } as const;
const named = (value: { readonly type: string }): string => event(value, value.type);
const start = (block: object, index: number): string =>
  named({ type: 'content_block_start', index, content_block: block } as { type: string });
const grow = (delta: object, index: number): string =>
  named({ type: 'content_block_delta', index, delta } as { type: string });
const stop = (index: number): string => named({ type: 'content_block_stop', index } as { type: string });

const anthropic: Speaker = {
  api: 'anthropic',
  path: '/v1/messages',
  events({ texts, calls = [], finish = 'stop', usage }) {
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null };
    const counts = usage && { input_tokens: usage[0], cache_read_input_tokens: usage[1], output_tokens: 1 };
    const begun = { type: 'message_start', message: { ...message, ...(counts ? { usage: counts } : {}) } };
    const end = {
      type: 'message_delta',
      delta: { stop_reason: REASONS[finish], stop_sequence: null },
      ...(usage ? { usage: { output_tokens: usage[2] } } : {}),
    };
    return [
      named(begun),
      named({ type: 'ping' }),
      start({ type: 'text', text: '' }, 0),
      ...texts.map((text) => grow({ type: 'text_delta', text }, 0)),
      stop(0),
      ...calls.map(({ id, name }, i) => start({ type: 'tool_use', id, name, input: {} }, i + 1)),
      ...byTurns(calls).map(({ call, piece }) => grow({ type: 'input_json_delta', partial_json: piece }, call + 1)),
      ...calls.map((_, i) => stop(i + 1)),
      named(end),
      named({ type: 'message_stop' }),
    ];
  },
  whole({ texts, calls = [], finish = 'stop', usage }) {
    return {
      type: 'message',
      role: 'assistant',
      content: [
        ...texts.map((text) => ({ type: 'text', text })),
        ...calls.map(({ id, name, pieces }) => ({
          type: 'tool_use',
          id,
          name,
          input: JSON.parse(pieces.join('')) as unknown,
        })),
      ],
      stop_reason: REASONS[finish],
      ...(usage
        ? { usage: { input_tokens: usage[0], cache_read_input_tokens: usage[1], output_tokens: usage[2] } }
        : {}),
    };
  },
  text: (text) => grow({ type: 'text_delta', text }, 0),
  silence: named({ type: 'ping' }) + start({ type: 'text', text: '' }, 0) + grow({ type: 'text_delta', text: '' }, 0),
  unknown:
    start({ type: 'hologram', edges: 12 }, 7) +
    grow({ type: 'hologram_delta', edge: 1 }, 7) +
    stop(7) +
    named({ type: 'something_new' }) +
    'event: future\ndata: {"type":"future","deep":{"er":1}}\n\n',
  error: (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_1' }),
  errorEvent: (type, message) => event({ type: 'error', error: { type, message } }, 'error'),
};

export const SPEAKERS: readonly Speaker[] = [openAi, anthropic];
