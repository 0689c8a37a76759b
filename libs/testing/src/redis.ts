import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, findBinary, randomPassword, startServer, type RunningServer, type Server } from './server.js';

/** A private Redis: in memory only, with a password of its own. */
export type RedisServer = Server;

/** Starts a private Redis. It keeps nothing on disk: for us Redis only ever makes things faster. */
export async function startRedis(): Promise<RedisServer & RunningServer> {
  const password = randomPassword();
  return await startServer({
    kind: 'redis',
    stopSignal: 'SIGTERM',
    orphanSignal: 'SIGKILL',
    async prepare({ port, folder }) {
      const path = join(folder, 'redis.conf');
      const lines = [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${folder}`,
        `requirepass ${password}`,
        'save ""',
        'appendonly no',
      ];
      writeFileSync(path, lines.join('\n') + '\n', { mode: 0o600 });
      return { command: findBinary('redis-server'), args: [path] };
    },
    // Redis has no name to set: it is ours when it takes our password and says the pid of our child.
    async askName({ port, name }, pid) {
      const answer = await ask(port, `AUTH ${password}\r\nINFO server\r\n`, (a) =>
        /process_id:\d+\r\n|^-(?!LOADING)/.test(a),
      );
      if (answer === undefined) return undefined;
      return answer.includes(`process_id:${pid}\r\n`) ? name : `a Redis that is not pid ${pid}`;
    },
    url: ({ port }) => `redis://:${password}@127.0.0.1:${port}`,
  });
}
