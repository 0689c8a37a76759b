import { errorBody } from '../../core/protocol/error-body.js';
import { validateRequest } from '../../core/protocol/validate-request.js';
import { chunkOf, encodeChunks, encodeCompletion, sse } from './openai-encode.js';
import { bearer, type Wire } from './wire.js';

/** OpenAI's chat completions. */
export const openAiWire: Wire = {
  api: 'openai',
  validate: validateRequest,
  headerRefusal: () => undefined,
  keyOf: (headers) => bearer(headers.authorization),
  stream: encodeChunks,
  whole: encodeCompletion,
  pings: (options) => [': ping\n\n', sse(chunkOf(options, { content: '' }, null))],
  errorBody,
  errorEvent: (refusal) => `data: ${errorBody(refusal)}\n\n`,
};
