/**
 * Renderer 2: an Anthropic Messages request.
 *
 * 1. Everything between two answers is one user message, so roles alternate and all results of an answer stand together at
 *    the head of the message after it, as the API demands (C14). An answer's part closes that message before it and opens the
 *    next one: only a question, a turn's first result, and the note after an answer without calls begin a message.
 * 2. Calls are named by turn and position: ids that a provider repeats, or that the API would not take, cannot break a run.
 * 3. Thinking is never asked for, so there is none to be given back.
 * 4. The API caches a prefix only up to a mark, and only a mark on a block that the next request has too is ever read. So the
 *    system's block is marked, and the last block before the notices: a user's block stays open (`}` is missing), and what
 *    follows closes it, with the mark where the parts end. The bytes before it stay equal (R14).
 */
import { noticesText, plainName, resultText, storedAnswer, textOf, userText, type StoredAnswer } from './part-text.js';
import { measuredHead, type Renderer } from './renderer.js';

const encoder = new TextEncoder();
/** Ends an open block, as one up to which is cached. */
const MARK = ',"cache_control":{"type":"ephemeral"}}';
const END = ']}]}';
const TAIL = encoder.encode(MARK + END);

const block = (value: object): string => JSON.stringify(value);
const text = (words: string): string => block({ type: 'text', text: words });
const open = (whole: string): string => whole.slice(0, -1);
const callId = (turn: number, index: number): string => `call_${turn}_${index}`;

export const anthropicRenderer: Renderer = {
  version: 2,
  tail: TAIL,
  // The tail marks the notices too: no request reads that back, and they are short.
  notices: (lines) => encoder.encode(`${MARK},${open(text(noticesText(lines)))}`),
  alone: (words) => encoder.encode(text(words) + END),

  head(model, frame, body) {
    if (model.outputCap === null) throw new Error('a Messages request needs an output cap');
    const opening = encoder.encode(
      `{"model":${JSON.stringify(model.name)},"max_tokens":${model.outputCap},"stream":true,`,
    );
    const tools = frame.tools === null ? new Uint8Array() : encoder.encode(`"tools":${textOf(frame.tools, body)},`);
    const instructions = encoder.encode(`"system":[${open(text(textOf(frame.instructions, body)))}${MARK}]`);
    const messages = encoder.encode(',"messages":[{"role":"user","content":[');
    return measuredHead(
      { opening, tools, instructions, messages },
      ['opening', 'tools', 'instructions', 'messages'],
      TAIL,
    );
  },

  part(part, body) {
    switch (part.kind) {
      case 'question':
        return encoder.encode(open(text(userText(part, body))));
      case 'answer': {
        const blocks = answerBlocks(storedAnswer(part.text, body), part.turn);
        return encoder.encode(`}]},{"role":"assistant","content":[${blocks.join(',')}]},{"role":"user","content":[`);
      }
      case 'result': {
        const result = {
          type: 'tool_result',
          tool_use_id: callId(part.turn, part.index),
          content: resultText(part, body),
        };
        return encoder.encode(`${part.index === 0 ? '' : '},'}${open(block(result))}`);
      }
      case 'empty':
        return encoder.encode(`${part.after === 'answer' ? '' : '},'}${open(text(userText(part, body)))}`);
      case 'summary':
      case 'advice':
      case 'map':
        return encoder.encode(`},${open(text(userText(part, body)))}`);
    }
  },
};

/** The API refuses a text block without words. */
function answerBlocks(answer: StoredAnswer, turn: number): string[] {
  const calls = answer.calls.map(
    (call, index) =>
      `{"type":"tool_use","id":"${callId(turn, index)}","name":"${plainName(call.name)}","input":${input(call.arguments)}}`,
  );
  return answer.text.trim() === '' ? calls : [text(answer.text), ...calls];
}

/** The arguments as they came when they are the object that the API asks for; else what came, inside one. */
function input(args: string): string {
  if (args.trim() === '') return '{}';
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return args.trim();
  } catch {
    // said below
  }
  return block({ unreadable_arguments: args });
}
