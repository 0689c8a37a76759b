import type { ServerResponse } from 'node:http';

const SSE = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
};

/** The bare response: faults need the socket itself, and every wait ends when the client goes away. */
export class ReplyStream {
  firstByteAt: string | null = null;
  private readonly gone = new AbortController();

  constructor(private readonly response: ServerResponse) {
    // 'close' comes after a normal end as well; then nobody waits any more.
    response.once('close', () => this.gone.abort());
    response.on('error', () => this.gone.abort());
  }

  get disconnected(): boolean {
    return this.gone.signal.aborted && !this.response.writableFinished;
  }

  openStream(headers: Record<string, string> = {}): void {
    this.head(200, { ...SSE, ...headers });
  }

  head(status: number, headers: Record<string, string>): void {
    if (this.response.headersSent || this.gone.signal.aborted) return;
    this.response.writeHead(status, headers);
  }

  write(text: string): void {
    if (this.gone.signal.aborted || text === '') return;
    this.firstByteAt ??= new Date().toISOString();
    this.response.write(text);
  }

  end(): void {
    if (!this.response.writableEnded) this.response.end();
  }

  send(status: number, headers: Record<string, string>, body: string): void {
    this.head(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    this.write(body);
    this.end();
  }

  /** Breaks the connection once what was written has left. */
  async cut(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.gone.signal.aborted || !this.response.headersSent) return resolve();
      this.response.write('', () => resolve());
      this.gone.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.response.destroy();
  }

  /** Waits, but no longer than the client stays; says whether the client is still there. */
  async wait(ms: number): Promise<boolean> {
    const { signal } = this.gone;
    if (ms > 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
      });
    }
    return !signal.aborted;
  }
}
