/** Renderer 1: an OpenAI chat request. Every part is one message. */
import { concat } from './chain.js';
import { noticesText, resultText, storedAnswer, textOf, userText } from './part-text.js';
import { measuredHead, type Renderer } from './renderer.js';

const encoder = new TextEncoder();
const TAIL = encoder.encode(']}');

const message = (value: object): Uint8Array => encoder.encode(`,${JSON.stringify(value)}`);
const user = (content: string): Uint8Array => message({ role: 'user', content });

export const openAiRenderer: Renderer = {
  version: 1,
  tail: TAIL,
  notices: (text) => user(noticesText(text)),
  alone: (text) => concat([user(text), TAIL]),

  head(model, frame, body) {
    const cap = model.outputCap === null ? '' : `"max_completion_tokens":${model.outputCap},`;
    const opening = encoder.encode(
      `{"model":${JSON.stringify(model.name)},${cap}"stream":true,"stream_options":{"include_usage":true},`,
    );
    const tools = frame.tools === null ? new Uint8Array() : encoder.encode(`"tools":${textOf(frame.tools, body)},`);
    const messages = encoder.encode('"messages":[');
    const system = { role: 'system', content: textOf(frame.instructions, body) };
    const instructions = encoder.encode(JSON.stringify(system));
    return measuredHead(
      { opening, tools, instructions, messages },
      ['opening', 'tools', 'messages', 'instructions'],
      TAIL,
    );
  },

  part(part, body) {
    switch (part.kind) {
      case 'answer': {
        const answer = storedAnswer(part.text, body);
        return message({
          role: 'assistant',
          content: answer.text === '' ? null : answer.text,
          ...(answer.calls.length === 0
            ? {}
            : {
                tool_calls: answer.calls.map((c) => ({
                  id: c.id,
                  type: 'function',
                  function: { name: c.name, arguments: c.arguments },
                })),
              }),
        });
      }
      case 'result': {
        const call = storedAnswer(part.answer, body).calls[part.index];
        if (!call) throw new Error(`answer of turn ${part.turn} has no call ${part.index}`);
        return message({ role: 'tool', tool_call_id: call.id, content: resultText(part, body) });
      }
      case 'question':
      case 'empty':
      case 'summary':
      case 'advice':
      case 'map':
        return user(userText(part, body));
    }
  },
};
