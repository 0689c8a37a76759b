import { createDatabase, sharedServers, tcpProxy, until, withClient, type Database } from '@waymark/testing';
import { Db, migrate } from '../src/index.js';
import { memoryLog } from './memory-log.js';
import { both, Broken1764500000002, first, Init1764500000000 } from './migrations.js';

let database: Database;
let db: Db;

async function empty(): Promise<Database> {
  const { postgres } = await sharedServers();
  return await createDatabase(postgres, 'unmigrated', { migrate: () => Promise.resolve() });
}

beforeAll(async () => {
  const { postgres } = await sharedServers();
  database = await createDatabase(postgres, 'accounts', {
    migrate: async (url) => void (await migrate({ url, name: 'accounts', migrations: first })),
  });
  db = await Db.open({ url: database.url, name: 'accounts', migrations: first, poolSize: 4 });
}, 60_000);
afterAll(async () => {
  await db?.close();
  await database?.drop();
});
beforeEach(async () => {
  await db.query('DELETE FROM account');
});

describe('statements', () => {
  it('return bigint as number and bytea as Buffer, prepared or not, in a transaction or not', async () => {
    const sql = 'SELECT $1::bigint AS n, $2::bytea AS body, $3::text AS text';
    const params = [Number.MAX_SAFE_INTEGER, Buffer.from([0, 255]), '中'];
    const expected = [{ n: Number.MAX_SAFE_INTEGER, body: Buffer.from([0, 255]), text: '中' }];
    expect(await db.query(sql, params)).toEqual(expected);
    expect(await db.prepared('types', sql, params)).toEqual(expected);
    await db.transaction(async (tx) => {
      expect(await tx.query(sql, params)).toEqual(expected);
      expect(await tx.prepared('types', sql, params)).toEqual(expected);
    });
    await expect(db.query('SELECT 9007199254740993::bigint AS n')).rejects.toThrow(/does not fit a number/);
  });

  it('do not change how other pools of this process read', async () => {
    const rows = await withClient(database.url, async (client) => (await client.query('SELECT 1::bigint AS n')).rows);
    expect(rows).toEqual([{ n: '1' }]);
  });
});

describe('a transaction', () => {
  const count = async (): Promise<number> => (await db.query('SELECT 1 FROM account')).length;

  it('commits what its work did, or nothing when it throws', async () => {
    expect(
      await db.transaction(async (tx) => {
        await tx.query("INSERT INTO account VALUES ('a', 1)");
        return 'value';
      }),
    ).toBe('value');
    await expect(
      db.transaction(async (tx) => {
        await tx.query("INSERT INTO account VALUES ('b', 1)");
        throw new Error('own reason');
      }),
    ).rejects.toThrow('own reason');
    expect(await count()).toBe(1);
  });

  it('does not pass for committed when its work hid a failed statement', async () => {
    await expect(
      db.transaction(async (tx) => {
        await tx.query("INSERT INTO account VALUES ('a', 1)");
        await tx.query('SELECT 1/0').catch(() => undefined);
      }),
    ).rejects.toThrow(/rolled back/);
    expect(await count()).toBe(0);
  });

  it("shows the server's deadlock as it is, to one of the two", async () => {
    await db.query("INSERT INTO account VALUES ('a', 1), ('b', 1)");
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lock = async (mine: number, one: string, other: string): Promise<void> => {
      await db.transaction(async (tx) => {
        await tx.query('UPDATE account SET n = 2 WHERE id = $1', [one]);
        gates[mine]?.resolve();
        await gates[1 - mine]?.promise;
        await tx.query('UPDATE account SET n = 2 WHERE id = $1', [other]);
      });
    };
    const results = await Promise.allSettled([lock(0, 'a', 'b'), lock(1, 'b', 'a')]);
    const failed = results.filter((result) => result.status === 'rejected');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toMatchObject({ code: '40P01' });
    expect(await db.query('SELECT 1 FROM account WHERE n = 2')).toHaveLength(2);
  });

  it('whose connection breaks fails, and the connection is not used again', async () => {
    const broken = db.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await db.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await tx.query('SELECT 1');
    });
    await expect(broken).rejects.toThrow();
    const used = await Promise.all(Array.from({ length: 8 }, () => db.query('SELECT 1 AS one')));
    expect(used).toEqual(Array.from({ length: 8 }, () => [{ one: 1 }]));
  });
});

describe('opening', () => {
  it('waits for a server that is not there, with a reason and without credentials', async () => {
    const { postgres } = await sharedServers();
    const proxy = await tcpProxy({ port: postgres.port });
    const log = memoryLog();
    const reasons: string[] = [];
    try {
      proxy.refuse();
      const options = { name: 'late', migrations: first, log, onWait: (reason: string) => reasons.push(reason) };
      const opening = Db.open({ url: proxy.through(database.url), ...options });
      await until(() => reasons.length >= 2, { what: 'two tries' });
      proxy.heal();
      const late = await opening;
      expect(await late.ping()).toBe(true);
      proxy.refuse();
      expect(await late.ping()).toMatch(/terminated|ECONNRESET|closed/);
      proxy.heal();
      await until(async () => (await late.ping()) === true, { what: 'the database to be back' });
      await late.close();
      expect(reasons[0]).toMatch(/^waiting for PostgreSQL at 127\.0\.0\.1:\d+\/accounts_\w+: /);
      expect(log.messages[0]).toBe(reasons[0]);
      expect([...reasons, ...log.messages].join()).not.toContain(new URL(database.url).password);
    } finally {
      await proxy.stop();
    }
  });

  it('says that a password or a database is wrong, and stops waiting when told', async () => {
    const wrong = new URL(database.url);
    wrong.password = 'SECRET';
    const gone = new URL(database.url);
    gone.pathname = '/nowhere';
    for (const [url, expected] of [[wrong, /password authentication failed/] as const, [gone, /nowhere/] as const]) {
      const reasons: string[] = [];
      const giveUp = new AbortController();
      const opening = Db.open({
        url: url.href,
        name: 'wrong',
        migrations: first,
        onWait: (reason) => reasons.push(reason),
        signal: giveUp.signal,
      });
      await until(() => reasons.length > 0, { what: 'a reason' });
      giveUp.abort();
      await expect(opening).rejects.toThrow(/abort/i);
      expect(reasons[0]).toMatch(expected);
      expect(reasons.join()).not.toContain('SECRET');
    }
  });

  it('waits for the newest migration, which it never runs itself', async () => {
    const own = await empty();
    const reasons: string[] = [];
    const opening = Db.open({ url: own.url, name: 'late', migrations: both, onWait: (reason) => reasons.push(reason) });
    await until(() => reasons.length > 0, { what: 'a reason' });
    expect(reasons.at(-1)).toContain('migration Second1764500000001 is not applied; run the migrate job');
    await migrate({ url: own.url, name: 'job', migrations: first });
    const seen = reasons.length;
    await until(() => reasons.length > seen + 1, { what: 'further waiting' });
    await migrate({ url: own.url, name: 'job', migrations: both });
    await (await opening).close();
    const older = await Db.open({ url: own.url, name: 'older', migrations: first });
    await older.close();
    await own.drop();
  });
});

describe('migrating', () => {
  it('runs each migration once, however many jobs start at once', async () => {
    const own = await empty();
    const ran = await Promise.all(
      Array.from({ length: 4 }, () => migrate({ url: own.url, name: 'job', migrations: both })),
    );
    expect(ran.flat().sort()).toEqual(['Init1764500000000', 'Second1764500000001']);
    await own.drop();
  });

  it('leaves nothing of a migration that fails, and keeps those before it', async () => {
    const own = await empty();
    const migrations = [Init1764500000000, Broken1764500000002];
    await expect(migrate({ url: own.url, name: 'job', migrations })).rejects.toThrow(/half/);
    const tables = await withClient(own.url, async (client) => {
      const { rows } = await client.query("SELECT to_regclass('half') AS half, to_regclass('account') AS account");
      return rows as unknown[];
    });
    expect(tables).toEqual([{ half: null, account: 'account' }]);
    await own.drop();
  });
});
