/**
 * Health over HTTP, up before anything else and until the end. It is a server of its own: Nest's would come up only when
 * the dependencies are there, and that wait is just what it has to tell.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** `true`, or why not. */
export type Check = () => Promise<true | string>;
export type HealthStatus = 'waiting' | 'ready' | 'unready' | 'draining';

const CHECK_MS = 1_000;

export class Health {
  private stage: 'waiting' | 'started' | 'draining' = 'waiting';
  private readonly checks = new Map<string, Check>();
  private server: Server | undefined;

  /** The last check of a name counts. */
  set(name: string, check: Check): void {
    this.checks.set(name, check);
  }

  started(): void {
    this.stage = 'started';
  }

  draining(): void {
    this.stage = 'draining';
  }

  /** What `/health/ready` says; 200 for `ready`, else 503. Each check has a second. */
  async report(): Promise<{ status: HealthStatus; checks: Record<string, string> }> {
    const names = [...this.checks.keys()];
    const answers = await Promise.all([...this.checks.values()].map(ask));
    const checks = Object.fromEntries(names.map((name, i) => [name, answers[i] ?? 'no answer']));
    const stage = this.stage;
    if (stage !== 'started') return { status: stage, checks };
    return { status: answers.every((answer) => answer === 'ok') ? 'ready' : 'unready', checks };
  }

  /** Listens on all addresses and resolves with the port. */
  async listen(port: number): Promise<number> {
    const server = createServer((request, response) => {
      void this.answer(request.method ?? '', request.url ?? '', response);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) => {
        reject(new Error(`HEALTH_PORT ${port} cannot be used: ${cause.message}; set another one`, { cause }));
      });
      server.listen(port, resolve);
    });
    this.server = server;
    return (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const server = this.server;
    if (server === undefined) return;
    this.server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  private async answer(method: string, url: string, response: ServerResponse): Promise<void> {
    const path = url.split('?')[0];
    if (method !== 'GET' && method !== 'HEAD') return write(response, 405, { status: 'only GET' });
    if (path === '/health/live') return write(response, 200, { status: 'live' });
    if (path === '/health/startup') {
      const report = await this.report();
      const up = report.status !== 'waiting';
      return write(response, up ? 200 : 503, up ? { status: 'started' } : report);
    }
    if (path === '/health/ready') {
      const report = await this.report();
      return write(response, report.status === 'ready' ? 200 : 503, report);
    }
    write(response, 404, { status: 'unknown path: /health/live, /health/ready, /health/startup' });
  }
}

async function ask(check: Check): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${CHECK_MS} ms`), CHECK_MS);
  });
  try {
    const answer = await Promise.race([check(), late]);
    return answer === true ? 'ok' : answer;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

function write(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
