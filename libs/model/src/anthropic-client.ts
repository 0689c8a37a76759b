import { Anthropic } from '@anthropic-ai/sdk';
import { NO_KEY, NO_TIMEOUT_MS, type ApiClient, type ApiClientOptions } from './api-client.js';
import { AnthropicAnswer } from './core/anthropic-answer.js';

/**
 * `POST …/messages`, the key as bearer; the client adds the `anthropic-version` that its release speaks. A key is always
 * given, so the client looks for none in the environment or in files. It reads headers from the environment all the same:
 * the transport lets none of these out.
 */
export function anthropicClient({ baseUrl, apiKey, headers, fetch }: ApiClientOptions): ApiClient {
  const client = new Anthropic({
    baseURL: baseUrl,
    apiKey: apiKey || NO_KEY,
    webhookKey: null,
    defaultHeaders: headers,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: 'off',
    fetch,
  });
  return {
    post: async (options) => await client.post('/messages', options).asResponse(),
    answer: () => new AnthropicAnswer(),
  };
}
