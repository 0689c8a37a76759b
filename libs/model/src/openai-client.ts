import { OpenAI } from 'openai';
import { NO_KEY, NO_TIMEOUT_MS, type ApiClient, type ApiClientOptions } from './api-client.js';
import { OpenAiAnswer } from './core/openai-answer.js';

/** `POST …/chat/completions`, the key as bearer. */
export function openAiClient({ baseUrl, apiKey, headers, fetch }: ApiClientOptions): ApiClient {
  const client = new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey || NO_KEY,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders: headers,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: 'off',
    fetch,
  });
  return {
    post: async (options) => await client.post('/chat/completions', options).asResponse(),
    answer: () => new OpenAiAnswer(),
  };
}
