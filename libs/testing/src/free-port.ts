import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range from which the kernel takes ports of outgoing connections (32768 on Linux), so that nobody's
// outgoing connection takes a port between our look and the server's bind.
const LOWEST = 15_000;
const HIGHEST = 32_000;

/** A random TCP port of 127.0.0.1 on which nobody listens now. Another process may still be faster: retry on a failed bind. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free TCP port found between ${LOWEST} and ${HIGHEST}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
