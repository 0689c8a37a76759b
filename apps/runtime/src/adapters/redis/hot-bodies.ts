/**
 * Redis makes things faster and nothing else: a flushed, stalled or missing Redis is a slower runtime, never a wrong one.
 *
 * 1. 50 ms for an answer, no offline queue, and a breaker: after a failure nothing is asked for a while.
 * 2. Bodies are addressed by digest and checked by the reader's chain; a lost or evicted body is read from PostgreSQL.
 */
import { Redis } from 'ioredis';
import type { Logger } from '@waymark/telemetry';

const ANSWER_MS = 50;
const BREAK_MS = 5_000;
const KEEP_SECONDS = 3_600;
const ASK_EVERY_MS = 1_000;
/** Larger bodies are left to PostgreSQL. */
const LARGEST_BYTES = 64 * 1024;
/** Bodies go out together after this, or when so many bytes wait: a body is wanted by another owner at the earliest. */
const GATHER_MS = 50;
const GATHER_BYTES = 1024 * 1024;
/**
 * One answer of a provider keeps everybody waiting for so long at most, ms; then somebody asks again. The run that was
 * answered waits for as long as it was told.
 */
const LONGEST_PAUSE_MS = 300_000;

export class HotBodies {
  readonly #redis: Redis | null;
  #closedUntil = 0;
  #told = false;
  #pausedUntil = 0;
  #askAgainAt = 0;
  #gathered = new Map<string, Uint8Array>();
  #gatheredBytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    url: string | undefined,
    private readonly logger: Logger,
  ) {
    this.#redis =
      url === undefined
        ? null
        : new Redis(url, {
            enableOfflineQueue: false,
            maxRetriesPerRequest: 0,
            commandTimeout: ANSWER_MS,
            retryStrategy: (times) => Math.min(times * 200, 5_000),
            lazyConnect: false,
          });
    this.#redis?.on('error', (error: Error) => this.#failed(error));
    this.#redis?.on('ready', () => {
      this.#told = false;
    });
  }

  /** Not waited for. */
  put(run: string, hex: string, bytes: Uint8Array): void {
    if (!this.#usable() || bytes.length > LARGEST_BYTES) return;
    this.#gathered.set(keyOf(run, hex), bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= GATHER_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** One write for all, as one pipeline. */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    this.#gathered = new Map();
    this.#gatheredBytes = 0;
    if (!this.#usable() || !this.#redis) return;
    const pipeline = this.#redis.pipeline();
    for (const [key, bytes] of gathered) pipeline.set(key, Buffer.from(bytes), 'EX', KEEP_SECONDS);
    pipeline
      .exec()
      .then((results) => {
        const failure = results?.find(([error]) => error !== null)?.[0];
        if (failure) this.#failed(failure);
      })
      .catch((error: unknown) => this.#failed(error));
  }

  async get(run: string, hexes: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    if (!this.#usable() || !this.#redis) return found;
    try {
      const values = await this.#redis.mgetBuffer(hexes.map((hex) => keyOf(run, hex)));
      for (const [i, value] of values.entries()) {
        const hex = hexes[i];
        if (value && hex !== undefined) found.set(hex, value);
      }
    } catch (error) {
      this.#failed(error);
    }
    return found;
  }

  /**
   * Ms for which a provider asked everybody to wait (`Retry-After`), known here or told by another replica; 0 when free.
   * Redis is asked at most once a second.
   */
  async pausedMs(provider: string): Promise<number> {
    const now = performance.now();
    if (now >= this.#askAgainAt && this.#usable() && this.#redis) {
      this.#askAgainAt = now + ASK_EVERY_MS;
      try {
        const left = await this.#redis.pttl(pauseKey(provider));
        if (left > 0) this.#wait(left);
      } catch (error) {
        this.#failed(error);
      }
    }
    return Math.max(0, this.#pausedUntil - performance.now());
  }

  pause(provider: string, ms: number): void {
    if (ms <= 0) return;
    this.#wait(ms);
    if (!this.#usable()) return;
    const shared = Math.ceil(Math.min(ms, LONGEST_PAUSE_MS));
    this.#redis?.set(pauseKey(provider), '1', 'PX', shared).catch((error: unknown) => this.#failed(error));
  }

  #wait(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + Math.min(ms, LONGEST_PAUSE_MS));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#redis?.disconnect();
  }

  #usable(): boolean {
    return this.#redis !== null && this.#redis.status === 'ready' && performance.now() >= this.#closedUntil;
  }

  #failed(error: unknown): void {
    this.#closedUntil = performance.now() + BREAK_MS;
    if (this.#told) return;
    this.#told = true;
    this.logger.warn(
      { reason: error instanceof Error ? error.message : String(error) },
      'Redis is away: going on without it',
    );
  }
}

const pauseKey = (provider: string): string => `waymark:pause:${provider}`;
const keyOf = (run: string, hex: string): string => `waymark:body:${run}:${hex}`;
