import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { ensureStreams, ObjectStore } from '@waymark/messaging';
import { findBinary, startNats, startPostgres, until, withClient, workspaceRoot } from '@waymark/testing';

const root = workspaceRoot();
const SERVICES = ['budget', 'publication', 'reminder', 'runtime', 'reviewer', 'sources'];

describe('infra/nats', () => {
  let nats: Awaited<ReturnType<typeof startNats>>;
  const open: NatsConnection[] = [];

  beforeAll(async () => {
    nats = await startNats({ auth: { usersFile: join(root, 'infra/nats/users.conf') } });
    await ensureStreams(await as('budget'));
  });
  afterAll(async () => {
    await Promise.all(open.map((connection) => connection.close()));
    await nats.stop();
  });

  async function as(user: string): Promise<NatsConnection> {
    const connection = await connect(nats.access(user));
    open.push(connection);
    return connection;
  }

  /** The subjects that the server denied to a user while `work` ran. */
  async function denied(connection: NatsConnection, work: () => unknown): Promise<string[]> {
    const subjects: string[] = [];
    const watch = (async () => {
      for await (const status of connection.status()) if (status.type === 'error') subjects.push(status.error.message);
    })();
    await work();
    await connection.flush();
    await until(() => subjects.length > 0, { what: 'a denial', timeoutMs: 2_000 }).catch(() => undefined);
    await connection.close();
    await watch;
    return subjects;
  }

  it('every service brings the streams up, serves its subjects and publishes its own facts', async () => {
    for (const service of SERVICES) {
      const own = await as(service);
      await ensureStreams(own);
      const served = own.subscribe(`waymark.${service}.v1.ping`, {
        callback: (_, message) => void message.respond('pong'),
      });
      await own.flush();
      const asker = await as(service === 'reminder' ? 'runtime' : service === 'runtime' ? 'cli' : 'runtime');
      expect((await asker.request(`waymark.${service}.v1.ping`, '{}', { timeout: 2_000 })).string()).toBe('pong');
      const ack = await jetstream(own).publish(`waymark.facts.v1.${service}.run.Tested`, '{}');
      expect(ack.stream).toBe('WAYMARK_FACTS');
      served.unsubscribe();
    }
  });

  it('runtime takes its work and uses the object store; the CLI reads facts', async () => {
    const runtime = await as('runtime');
    const manager = await jetstreamManager(runtime);
    await manager.consumers.add('WAYMARK_WORK', {
      durable_name: 'runtime-run',
      filter_subject: 'waymark.work.v1.run',
      ack_policy: 'explicit',
    });
    await jetstream(runtime).publish('waymark.work.v1.run', '{"run":"x"}');
    const work = await jetstream(runtime).consumers.get('WAYMARK_WORK', 'runtime-run');
    const message = await work.next({ expires: 2_000 });
    expect(message?.string()).toBe('{"run":"x"}');
    expect(await message?.ackAck()).toBe(true);

    const store = await ObjectStore.open(runtime);
    const put = await store.put('body', new Uint8Array(300_000));
    expect((await (await ObjectStore.open(await as('sources'))).get(put)).length).toBe(300_000);

    const facts = await jetstream(await as('cli')).consumers.get('WAYMARK_FACTS');
    expect(await facts.next({ expires: 2_000 })).not.toBeNull();
  });

  it('nobody answers for a neighbour, publishes its facts, takes its work or deletes a stream', async () => {
    const service = async (): Promise<NatsConnection> => as('publication');
    let nc = await service();
    expect(await denied(nc, () => nc.subscribe('waymark.budget.v1.reserve'))).toHaveLength(1);
    nc = await service();
    expect(await denied(nc, () => nc.publish('waymark.facts.v1.budget.run.ReservationGranted', '{}'))).toHaveLength(1);
    nc = await service();
    const next = '$JS.API.CONSUMER.MSG.NEXT.WAYMARK_WORK.runtime-run';
    expect(await denied(nc, () => nc.publish(next, '{}'))).toHaveLength(1);
    const runtime = await as('runtime');
    expect(await denied(runtime, () => runtime.publish('$JS.API.STREAM.DELETE.WAYMARK_FACTS', ''))).toHaveLength(1);
    await expect(connect({ servers: nats.url })).rejects.toThrow(/authorization/i);
  });
});

describe('infra/postgres', () => {
  it('init.sql makes one database and role per service, closed to the others', async () => {
    const server = await startPostgres({ fast: true });
    try {
      const passwords = Object.fromEntries(
        SERVICES.map((service) => [`${service.toUpperCase()}_DB_PASSWORD`, `w-${service}`]),
      );
      const psql = spawnSync(
        findBinary('psql'),
        ['-X', '-q', '-f', join(root, 'infra/postgres/init.sql'), server.url],
        {
          env: { PATH: process.env['PATH'], ...passwords },
          encoding: 'utf8',
        },
      );
      expect(psql.stderr).toBe('');
      const url = (role: string, database: string): string =>
        `postgres://${role}:w-${role}@127.0.0.1:${server.port}/${database}`;
      for (const role of SERVICES) {
        for (const database of SERVICES) {
          const work = withClient(url(role, database), (c) => c.query('create table if not exists mine (n int)'));
          if (role === database) await work;
          else await expect(work).rejects.toThrow(/permission denied/);
        }
      }
    } finally {
      await server.stop();
    }
  });
});

describe('docker-compose.yml', () => {
  it('asks for exactly the passwords that `npm run secrets` writes, and for none by default', () => {
    const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
    const asked = [...new Set([...compose.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name))];
    expect(compose).not.toMatch(/\$\{[A-Z_]+(:?-|\})/);
    const folder = mkdtempSync(join(tmpdir(), 'waymark-secrets-'));
    try {
      const { status } = spawnSync(process.execPath, [join(root, 'tools/secrets.mjs'), join(folder, '.env')]);
      expect(status).toBe(0);
      const written = readFileSync(join(folder, '.env'), 'utf8');
      expect([...written.matchAll(/^([A-Z_]+)=w[0-9a-f]{32}$/gm)].map(([, name]) => name).sort()).toEqual(asked.sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
