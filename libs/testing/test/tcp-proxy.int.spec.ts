import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { tcpProxy, until, type TcpProxy } from '../src/index.js';

describe('TCP proxy', () => {
  let echo: Server;
  let proxy: TcpProxy;
  let client: Socket;
  let heard: string;

  beforeEach(async () => {
    echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await tcpProxy({ port: (echo.address() as AddressInfo).port });
    await open();
  });

  afterEach(async () => {
    client.destroy();
    await proxy.stop();
    echo.close();
  });

  async function open(): Promise<void> {
    heard = '';
    client = connect(proxy.port, '127.0.0.1');
    client.on('data', (chunk) => (heard += chunk.toString()));
    await once(client, 'connect');
  }

  const say = async (text: string): Promise<void> => {
    const before = proxy.bytes('up');
    client.write(text);
    await until(() => proxy.bytes('up') === before + text.length, { what: 'the proxy to have the bytes' });
  };

  it('passes bytes through both ways', async () => {
    await say('hello');
    await until(() => heard === 'hello', { what: 'the echo' });
    expect(proxy.connections()).toBe(1);
    expect(proxy.through('nats://user:pw@10.0.0.1:4222/x')).toBe(`nats://user:pw@127.0.0.1:${proxy.port}/x`);
  });

  it('freeze holds bytes of one direction until it is healed', async () => {
    proxy.freeze('down');
    await say('held');
    await until(() => proxy.bytes('down') === 4, { what: 'the echo to be held in the proxy' });
    expect(heard).toBe('');
    proxy.heal();
    await until(() => heard === 'held', { what: 'the held bytes' });
  });

  it('drop loses bytes and keeps the connection', async () => {
    proxy.drop('up');
    await say('lost');
    proxy.heal();
    await say('kept');
    await until(() => heard === 'kept', { what: 'only what came after' });
  });

  it('delay keeps the order', async () => {
    proxy.delay(80);
    const from = performance.now();
    await say('a');
    await pause(5);
    await say('b');
    await until(() => heard === 'ab', { what: 'both' });
    expect(performance.now() - from).toBeGreaterThanOrEqual(160);
  });

  it('reset cuts present connections, refuse also new ones', async () => {
    const cut = once(client, 'error');
    proxy.reset();
    expect(((await cut)[0] as NodeJS.ErrnoException).code).toBe('ECONNRESET');
    await open();
    await say('again');
    await until(() => heard === 'again', { what: 'a new connection to work' });
    client.on('error', () => undefined);
    proxy.refuse();
    const next = connect(proxy.port, '127.0.0.1');
    expect(((await once(next, 'error'))[0] as NodeJS.ErrnoException).code).toBe('ECONNRESET');
  });
});
