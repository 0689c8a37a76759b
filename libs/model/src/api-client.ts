import type { GrowingAnswer } from './core/growing-answer.js';

export interface ApiClientOptions {
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Record<string, string>;
  readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
}

/** What an official client is told of one request: it passes a body of bytes verbatim. */
export interface PostOptions {
  readonly body: Uint8Array;
  readonly headers: Record<string, string | null>;
  readonly fetchOptions: { readonly redirect: 'manual' };
}

/** What is particular to one API: its official client with retries and time-outs off, its path, its answers. */
export interface ApiClient {
  post(options: PostOptions): Promise<unknown>;
  answer(): GrowingAnswer;
}

/** The client's own time-out is off: ours end requests. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** For a provider that wants none: the clients refuse to have no key. */
export const NO_KEY = 'none';
