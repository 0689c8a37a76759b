import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import {
  createDatabase,
  createServiceDatabase,
  sharedServers,
  startNats,
  startPostgres,
  startRedis,
  until,
  withClient,
  workspaceRoot,
} from '../src/index.js';
import { startServer } from '../src/server.js';

describe('private servers', () => {
  it('every start has its own name, port and folder, and the server says that name', async () => {
    const [one, two] = await Promise.all([startNats(), startNats()]);
    try {
      expect(one.name).not.toBe(two.name);
      expect(one.port).not.toBe(two.port);
      const connection = await connect({ servers: one.url });
      expect(connection.info?.server_name).toBe(one.name);
      expect(connection.info?.max_payload).toBe(1024 * 1024);
      expect((await (await jetstreamManager(connection)).getAccountInfo()).streams).toBe(0);
      await connection.close();
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
    expect(existsSync(one.folder)).toBe(false);
  });

  it("a stranger's server on the port is refused before anything is written", async () => {
    const stranger = await startNats();
    const redis = await startRedis();
    try {
      const start = startServer({
        kind: 'nats',
        stopSignal: 'SIGTERM',
        orphanSignal: 'SIGKILL',
        prepare: async () => ({ command: 'sleep', args: ['60'] }),
        askName: async () => stranger.name,
        url: () => stranger.url,
      });
      await expect(start).rejects.toThrow(`answers "${stranger.name}"`);
    } finally {
      await stranger.stop();
      await redis.stop();
    }
  });

  it('NATS users reach only the subjects that they were given', async () => {
    const nats = await startNats({
      auth: {
        users: [
          { user: 'budget', publish: { allow: ['waymark.facts.>'] }, subscribe: { allow: ['waymark.budget.>'] } },
        ],
      },
    });
    try {
      await expect(connect({ servers: `nats://127.0.0.1:${nats.port}` })).rejects.toThrow(/authorization/i);
      const budget = await connect(nats.access('budget'));
      const denied = budget.subscribe('waymark.runtime.v1.start');
      await expect(
        (async () => {
          for await (const message of denied) void message;
        })(),
      ).rejects.toThrow(/permission/i);
      await budget.close();
      expect(() => nats.access('nobody')).toThrow('no NATS user "nobody"');
    } finally {
      await nats.stop();
    }
  });

  it('PostgreSQL is durable unless asked to be fast, and comes back with its data after a kill', async () => {
    const server = await startPostgres();
    try {
      const fsync = await withClient(server.url, (c) => c.query<{ fsync: string }>('show fsync'));
      expect(fsync.rows[0]?.fsync).toBe('on');
      await withClient(server.url, (c) => c.query('create table kept as select 7 as n'));
      server.kill('SIGKILL');
      await server.restart();
      const kept = await withClient(server.url, (c) => c.query<{ n: number }>('select n from kept'));
      expect(kept.rows).toEqual([{ n: 7 }]);
    } finally {
      await server.stop();
    }
    expect(existsSync(server.folder)).toBe(false);
  });
});

describe('databases', () => {
  it('a template is migrated once and every test file gets its own clone, owned by the role of its service', async () => {
    const { postgres } = await sharedServers();
    let migrations = 0;
    const migrate = async (url: string): Promise<void> => {
      migrations += 1;
      await withClient(url, (c) => c.query('create table ledger (run text)'));
    };
    const clones = await Promise.all([1, 2].map(() => createDatabase(postgres, 'ledgers', { migrate })));
    const [one, two] = clones as [(typeof clones)[0], (typeof clones)[0]];
    expect(migrations).toBe(1);
    await withClient(one.url, (c) => c.query(`insert into ledger values ('a')`));
    const other = await withClient(two.url, (c) => c.query('select * from ledger'));
    expect(other.rowCount).toBe(0);
    await Promise.all(clones.map((database) => database.drop()));
    await expect(withClient(one.url, (c) => c.query('select 1'))).rejects.toThrow(/does not exist/);
  });

  it('a failed migration leaves no template behind', async () => {
    const { postgres } = await sharedServers();
    const broken = async (): Promise<void> => Promise.reject(new Error('broken migration'));
    await expect(createDatabase(postgres, 'broken', { migrate: broken })).rejects.toThrow('broken migration');
    const mended = await createDatabase(postgres, 'broken', { migrate: async () => undefined });
    await mended.drop();
  });

  it("the role of one service cannot connect to a neighbour's database", async () => {
    const { postgres } = await sharedServers();
    const one = await createServiceDatabase(postgres, 'role_one');
    const two = await createServiceDatabase(postgres, 'role_two');
    expect((await createServiceDatabase(postgres, 'role_one')).url).toBe(one.url);
    const crossed = new URL(one.url);
    crossed.pathname = `/${two.name}`;
    await expect(withClient(crossed.toString(), (c) => c.query('select 1'))).rejects.toThrow(/permission denied/);
    await Promise.all([one.drop(), two.drop()]);
  });
});

describe('no process is left behind', () => {
  it('servers die with a parent that was killed, and their folders go', async () => {
    const script = `
      import { startPostgres, startNats, startRedis, startProcess } from '@waymark/testing';
      const servers = await Promise.all([startPostgres({ fast: true }), startNats(), startRedis()]);
      const service = await startProcess({ name: 'mute', entry: process.argv[1], env: {}, readyWhen: 'started' });
      service.kill('SIGSTOP');
      console.log(JSON.stringify({ pids: [...servers, service].map((s) => s.pid), folders: servers.map((s) => s.folder) }));
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script, muteProgram()], {
      cwd: `${workspaceRoot()}/libs/testing`,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    parent.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes('\n'), { what: 'the parent to start its servers' });
    const { pids, folders } = JSON.parse(said) as { pids: number[]; folders: string[] };
    expect(pids.every(runs)).toBe(true);
    parent.kill('SIGKILL');
    await until(() => !pids.some(runs), { what: 'every child of the killed parent to be gone' });
    await until(() => !folders.some((folder) => existsSync(folder)), { what: 'their folders to be removed' });
  });
});

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function muteProgram(): string {
  return `${workspaceRoot()}/libs/testing/test/programs/mute.mjs`;
}
