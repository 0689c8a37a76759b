import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Which way bytes flow: from the client to the target, or back. */
export type Direction = 'up' | 'down';

/**
 * A TCP proxy on 127.0.0.1 that can be told to misbehave. Every fault holds for present and new connections until
 * `heal()`; without a direction it holds for both.
 */
export interface TcpProxy {
  readonly port: number;
  /** `url` with host and port replaced by the proxy's. */
  through(url: string): string;
  /** Bytes wait and go on after `heal()`. */
  freeze(direction?: Direction): void;
  /** Bytes vanish; the connection stays. */
  drop(direction?: Direction): void;
  /** Each chunk arrives so many milliseconds later, in order. */
  delay(ms: number, direction?: Direction): void;
  /** Every present connection is reset (RST) now; new ones are served. */
  reset(): void;
  /** As `reset`, and new connections are reset as well. */
  refuse(): void;
  /** Ends all faults. */
  heal(): void;
  /** Present connections. */
  connections(): number;
  /** Bytes that arrived from the client (`up`) or the target (`down`) so far. */
  bytes(direction: Direction): number;
  stop(): Promise<void>;
}

interface Lane {
  mode: 'pass' | 'freeze' | 'drop';
  delayMs: number;
  bytes: number;
}

/** Starts a proxy in front of `target`. */
export async function tcpProxy(target: { host?: string; port: number }): Promise<TcpProxy> {
  const lanes: Record<Direction, Lane> = { up: passing(), down: passing() };
  const pumps = new Set<() => void>();
  const sockets = new Set<Socket>();
  let refusing = false;

  const pump = (from: Socket, to: Socket, lane: Lane): void => {
    const waiting: { chunk: Buffer | null; due: number }[] = []; // null: the other side has ended
    const flow = (): void => {
      while (waiting.length > 0 && lane.mode !== 'freeze') {
        const { chunk, due } = waiting[0] as { chunk: Buffer | null; due: number };
        const early = due - performance.now();
        if (early > 0) return void setTimeout(flow, Math.ceil(early)).unref();
        waiting.shift();
        if (chunk === null) to.end();
        else if (lane.mode === 'pass') to.write(chunk);
      }
    };
    const take = (chunk: Buffer | null): void => {
      lane.bytes += chunk?.length ?? 0;
      waiting.push({ chunk, due: performance.now() + lane.delayMs });
      flow();
    };
    from.on('data', take);
    from.on('end', () => take(null));
    pumps.add(flow);
    from.on('close', () => pumps.delete(flow));
  };

  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (refusing) return void client.resetAndDestroy();
    const upstream = connect({ host: target.host ?? '127.0.0.1', port: target.port, allowHalfOpen: true });
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => sockets.delete(socket));
    }
    pump(client, upstream, lanes.up);
    pump(upstream, client, lanes.down);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;

  const chosen = (direction?: Direction): Lane[] => (direction ? [lanes[direction]] : [lanes.up, lanes.down]);
  const reset = (): void => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    port,
    through(url: string): string {
      const parsed = new URL(url);
      parsed.hostname = '127.0.0.1';
      parsed.port = String(port);
      return parsed.toString();
    },
    freeze: (direction) => chosen(direction).forEach((lane) => (lane.mode = 'freeze')),
    drop: (direction) => chosen(direction).forEach((lane) => (lane.mode = 'drop')),
    delay: (ms, direction) => chosen(direction).forEach((lane) => (lane.delayMs = ms)),
    reset,
    refuse(): void {
      refusing = true;
      reset();
    },
    heal(): void {
      refusing = false;
      for (const lane of chosen()) Object.assign(lane, { mode: 'pass', delayMs: 0 } satisfies Partial<Lane>);
      pumps.forEach((flow) => flow());
    },
    connections: () => sockets.size / 2,
    bytes: (direction) => lanes[direction].bytes,
    async stop(): Promise<void> {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}

function passing(): Lane {
  return { mode: 'pass', delayMs: 0, bytes: 0 };
}
