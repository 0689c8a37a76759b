import { anthropicClient } from './anthropic-client.js';
import { NO_KEY, type ApiClient, type ApiClientOptions } from './api-client.js';
import type { ModelApi } from './core/apis.js';
import type { RequestDeadlines } from './core/effective-deadlines.js';
import type { GrowingAnswer } from './core/growing-answer.js';
import {
  ABORTED_BY_LIMIT,
  type ModelOutcome,
  type OutcomeCode,
  type OutcomeKind,
  type Timings,
} from './core/outcome.js';
import { readEventError, readStatusError } from './core/provider-error.js';
import { parseRetryAfter } from './core/retry-after.js';
import { DeadlineWatch } from './deadline-watch.js';
import { openAiClient } from './openai-client.js';
import { readReply, type ReplyEnd } from './read-reply.js';
import { Exchange, Transport } from './transport.js';

export interface ModelRequest {
  /** The API that the body is made for: a provider that speaks another gets none of it. */
  readonly api: ModelApi;
  /** The whole JSON body; these bytes are what goes out. */
  readonly body: Uint8Array;
  /** Travels as `x-waymark-request`, so that a provider's log can be held against the record. */
  readonly id: string;
  readonly deadlines: RequestDeadlines;
  /** Aborted with {@link ABORTED_BY_LIMIT} it is `aborted_by_limit`, else `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** The body's memory is not read any more; it never comes for a body that was not sent whole. Must not throw. */
  readonly onBodySent?: (() => void) | undefined;
  /** Must not throw. */
  readonly onFirstContent?: (() => void) | undefined;
  /** Gets the text that came (empty for calls and reasoning). Must not throw. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

export interface ModelProviderOptions {
  readonly api: ModelApi;
  /** Up to and with `/v1`. */
  readonly baseUrl: string;
  /** Empty for a provider that wants none. */
  readonly apiKey: string;
  readonly headers?: Record<string, string> | undefined;
}

const DETAIL_CHARACTERS = 300;
/** A shorter key is left where an answer's text or calls have it: a model may say such a word by itself. */
const KEY_CHARACTERS_IN_ANSWERS = 16;

const CLIENTS: Readonly<Record<ModelApi, (options: ApiClientOptions) => ApiClient>> = {
  openai: openAiClient,
  anthropic: anthropicClient,
};

/**
 * One provider, over the official client of its API with the client's retries and time-outs off.
 *
 * 1. Every `send` is one physical request: nothing is repeated or redirected here (B14: one retry layer).
 * 2. The body's bytes go out untouched (E3).
 * 3. Every end is a {@link ModelOutcome}; nothing is thrown. The key stands in none; in what a model
 *    said a key of under 16 characters is left, because it may be a word of its own.
 */
export class ModelProvider {
  readonly api: ModelApi;
  private readonly client: ApiClient;
  private readonly transport: Transport;
  private readonly secrets: readonly string[];

  constructor({ api, baseUrl, apiKey, headers = {} }: ModelProviderOptions) {
    this.api = api;
    this.secrets = [apiKey, ...Object.values(headers)].filter((secret) => secret.length >= 4);
    // The clients let the environment's headers win over what they set themselves, and ours win over both.
    const ours = { Authorization: `Bearer ${apiKey || NO_KEY}`, ...headers };
    this.transport = new Transport(Object.keys(ours));
    this.client = CLIENTS[api]({
      baseUrl,
      apiKey,
      headers: ours,
      fetch: (url, init) => this.transport.fetch(String(url), init ?? {}, exchangeOf(init)),
    });
  }

  /** Closes idle connections; requests under way are cut. */
  close(): void {
    this.transport.close();
  }

  async send(request: ModelRequest): Promise<ModelOutcome> {
    const startedAt = performance.now();
    const { deadlines, signal } = request;
    const exchange = new Exchange(request.onBodySent);
    const answer = this.client.answer();
    let firstContentAt: number | null = null;
    let ended: OutcomeCode | null = null;

    const done = (outcome: OutcomeKind, code: OutcomeCode | null, detail: string | null = null): ModelOutcome => {
      const since = (at: number | null): number | null => (at === null ? null : at - startedAt);
      const timings: Timings = {
        firstByteMs: since(exchange.firstByteAt),
        firstContentMs: since(firstContentAt),
        totalMs: performance.now() - startedAt,
      };
      return {
        outcome,
        content: answer.content,
        code,
        status: exchange.status,
        retryAfterMs: parseRetryAfter(exchange.retryAfter, Date.now()),
        detail: this.redact(detail),
        text: this.withoutKeys(answer.text),
        calls: answer.calls.map(({ id, name, arguments: args }) => ({
          id: this.withoutKeys(id),
          name: this.withoutKeys(name),
          arguments: this.withoutKeys(args),
        })),
        finish: answer.finish,
        usage: answer.usage,
        timings,
      };
    };
    if (request.api !== this.api) return done('not_sent', 'other_api');
    if (signal?.aborted) return done('not_sent', abortCode(signal));
    if (deadlines.totalMs <= 0) return done('not_sent', 'total_timeout');

    const end = (code: OutcomeCode): void => {
      ended ??= code;
      exchange.abort();
    };
    const watch = new DeadlineWatch(deadlines, end);
    const onAbort = (): void => end(signal ? abortCode(signal) : 'cancelled');
    signal?.addEventListener('abort', onAbort, { once: true });
    const onContent = (text: string): void => {
      watch.content();
      if (firstContentAt === null) {
        firstContentAt = performance.now();
        request.onFirstContent?.();
      }
      request.onProgress?.(text);
    };

    try {
      await this.post(request, exchange);
      if (exchange.errorText !== null) return this.refused(exchange, exchange.errorText, done);
      if (!exchange.reply) {
        if (exchange.mayHaveLeft) return done('unknown', ended ?? 'stream_cut', exchange.failure);
        return done('not_sent', ended ?? 'connect_failed', exchange.failure);
      }
      const replyEnd = await readReply(exchange.reply, answer, onContent);
      return judge(replyEnd, ended, answer, done);
    } finally {
      watch.stop();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Ends when the exchange has a reply, an error's status, or neither. What the client throws says no more. */
  private async post({ body, id }: ModelRequest, exchange: Exchange): Promise<void> {
    try {
      await this.client.post({
        body,
        headers: { 'content-type': 'application/json', 'x-waymark-request': id, 'x-stainless-timeout': null },
        fetchOptions: { redirect: 'manual', [EXCHANGE]: exchange } as { redirect: 'manual' },
      });
    } catch (error) {
      exchange.failure ??= error instanceof Error ? error.message : String(error);
    }
  }

  private refused(
    exchange: Exchange,
    text: string,
    done: (outcome: OutcomeKind, code: OutcomeCode, detail: string | null) => ModelOutcome,
  ): ModelOutcome {
    const { code, message } = readStatusError(exchange.status ?? 0, parseOrText(text));
    return done('failed', code, message);
  }

  /** An answer that echoes the key would carry it into record and report. */
  private withoutKeys(text: string): string {
    return this.secrets
      .filter((secret) => secret.length >= KEY_CHARACTERS_IN_ANSWERS)
      .reduce((left, secret) => left.replaceAll(secret, '[key]'), text);
  }

  private redact(detail: string | null): string | null {
    if (detail === null) return null;
    let text = detail;
    for (const secret of this.secrets) text = text.replaceAll(secret, '[key]');
    text = text.replace(/\s+/g, ' ').trim();
    return text.length > DETAIL_CHARACTERS ? `${text.slice(0, DETAIL_CHARACTERS - 1)}…` : text;
  }
}

const EXCHANGE = Symbol('exchange');

/** The client hands `fetchOptions` through to fetch; ours carries the request's own state. */
function exchangeOf(init: RequestInit | undefined): Exchange {
  const exchange = (init as { [EXCHANGE]?: Exchange } | undefined)?.[EXCHANGE];
  if (!exchange) throw new Error('the official client no longer hands fetchOptions through');
  return exchange;
}

/** The provider's own end wins over an expiry in the same moment: what came is proof. */
function judge(
  end: ReplyEnd,
  ended: OutcomeCode | null,
  answer: GrowingAnswer,
  done: (outcome: OutcomeKind, code: OutcomeCode | null, detail?: string | null) => ModelOutcome,
): ModelOutcome {
  switch (end.kind) {
    case 'end':
      return done('completed', null);
    case 'error': {
      const { code, message } = readEventError(end.error);
      return done('failed', code, message);
    }
    case 'too_large':
      return done('failed', 'response_too_large');
    case 'garbage':
      // Without content nothing proves that the model did not read it.
      return done(answer.content ? 'failed' : 'unknown', 'garbage');
    case 'cut':
      return done('unknown', ended ?? 'stream_cut');
  }
}

const abortCode = (signal: AbortSignal): OutcomeCode =>
  signal.reason === ABORTED_BY_LIMIT ? 'aborted_by_limit' : 'cancelled';

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
