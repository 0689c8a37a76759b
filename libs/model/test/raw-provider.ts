import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Arrived {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
}

/** A bare HTTP server that answers as the test says, so that every byte on the wire is the test's own. */
export class RawProvider {
  readonly arrived: Arrived[] = [];
  readonly sockets = new Set<Socket>();
  connections = 0;
  answer: (reply: ServerResponse, request: Arrived) => void = (reply) => reply.end();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RawProvider> {
    const server = createServer((request, reply) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const arrived = { body: Buffer.concat(pieces), headers: request.headers, url: request.url ?? '' };
        provider.arrived.push(arrived);
        provider.answer(reply, arrived);
      });
      request.on('error', () => undefined);
    });
    const provider = new RawProvider(server);
    server.on('connection', (socket) => {
      provider.connections += 1;
      provider.sockets.add(socket);
      socket.on('close', () => provider.sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return provider;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

export const sse = (...chunks: (object | string)[]): string =>
  chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');

export const delta = (body: object, finish: string | null = null): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: body, finish_reason: finish }],
});
