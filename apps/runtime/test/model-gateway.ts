/**
 * A gateway before the provider that hands bytes through untouched, holds a request for as long as a test wants, or answers
 * itself and repeats the key, as some do.
 */
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export type Echo = 'none' | 'refusal' | 'page' | 'event';

const atOnce = async (): Promise<void> => await Promise.resolve();

export class ModelGateway {
  /** Base address of the provider, without `/v1`. */
  target = '';
  echo: Echo = 'none';
  /** Answers in which the key was repeated. */
  echoed = 0;
  /** Whether a request may pass now, by its id and those that were answered; it is asked again after each answer. */
  mayPass: (id: string, answered: ReadonlySet<string>) => boolean = () => true;
  /** Each request waits for it, before it is asked whether it may pass. A rejection cuts the request. */
  ready: (id: string) => Promise<void> = atOnce;
  readonly #answered = new Set<string>();
  #waiting: { readonly id: string; readonly ask: () => void }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ModelGateway> {
    const server = createServer((request, reply) => {
      gateway.ready(String(request.headers['x-waymark-request'])).then(
        () => gateway.take(request, reply),
        () => reply.destroy(),
      );
    });
    const gateway = new ModelGateway(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  /** Holds every run's n-th request and those after it until {@link release}; reviews pass. */
  holdFrom(n: number): void {
    this.mayPass = (id) => !(Number(/^[^./]+\/(\d+)$/.exec(id)?.[1] ?? 0) >= n);
  }

  /** Holds all requests, but not reviews, from the first of which `isTime` says so until {@link release}. */
  holdOnce(isTime: (id: string) => Promise<boolean>): void {
    const ready = async (id: string): Promise<void> => {
      if ((await isTime(id)) && this.ready === ready) this.holdFrom(1); // it may have been released meanwhile
    };
    this.ready = ready;
  }

  release(): void {
    this.mayPass = () => true;
    this.ready = atOnce;
    this.askAgain();
  }

  /** Whether this request has come and may not pass yet. */
  holds(request: string): boolean {
    return this.#waiting.some(({ id }) => id === request);
  }

  private askAgain(): void {
    for (const { ask } of this.#waiting.splice(0)) ask();
  }

  private take(request: IncomingMessage, reply: ServerResponse): void {
    if (reply.destroyed) return; // its client has given up
    if (this.echo !== 'none') {
      request.resume().on('end', () => this.repeat(request, reply));
      return;
    }
    const { method, headers, url = '' } = request;
    const id = String(headers['x-waymark-request']);
    if (!this.mayPass(id, this.#answered)) {
      this.#waiting.push({ id, ask: () => this.take(request, reply) });
      return;
    }
    const onward = httpRequest(new URL(url, this.target), { method, headers, agent: false }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, reply, () => undefined); // an answer that breaks off breaks off here too
    });
    onward.on('error', () => reply.destroy());
    reply.on('close', () => {
      onward.destroy();
      this.#answered.add(id);
      this.askAgain();
    });
    request.pipe(onward);
  }

  private repeat({ headers }: IncomingMessage, reply: ServerResponse): void {
    this.echoed += 1;
    const message = `no such key: ${headers.authorization ?? ''} ${String(headers['x-api-key'] ?? '')}`;
    const error = { type: 'error', error: { type: 'authentication_error', message, code: headers.authorization } };
    switch (this.echo) {
      case 'refusal':
        reply.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(error));
        return;
      case 'page':
        reply.writeHead(403, { 'content-type': 'text/html' }).end(`<pre>${JSON.stringify(headers)}</pre>`);
        return;
      case 'event':
        reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(error)}\n\n`);
        return;
      case 'none':
        return;
    }
  }
}
