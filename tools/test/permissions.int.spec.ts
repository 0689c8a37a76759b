/**
 * Decision 17, rule by rule and pair by pair: what the deployed NATS users and database roles let a service do. That they
 * let it do enough is proven by the whole system, which runs under them in all its tests.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';
import { CATALOG } from '@waymark/contracts/catalog';
import { BUCKETS, FACT_CONSUMERS, FACTS_STREAM, WORK, WORK_CONSUMERS, WORK_STREAM } from '@waymark/contracts/streams';
import type { Contract } from '@waymark/contracts/wire';
import { ensureStreams, ObjectStore } from '@waymark/messaging';
import {
  createServiceDatabase,
  findBinary,
  startNats,
  startPostgres,
  startProcess,
  withClient,
  workspaceRoot,
  type NatsServer,
} from '@waymark/testing';

const root = workspaceRoot();
const USERS = join(root, 'infra/nats/users.conf');
const OWNERS = ['budget', 'publication', 'reminder', 'runtime', 'reviewer', 'sources'] as const;
type Owner = (typeof OWNERS)[number];
const USER_NAMES = [...OWNERS, 'cli'] as const;
type User = (typeof USER_NAMES)[number];
const RUN = '01890000-0000-7000-8000-000000000000';

const VERBS = Object.fromEntries(OWNERS.map((owner) => [owner, verbsOf(CATALOG[owner] ?? {})])) as Record<
  Owner,
  string[]
>;

/** Who may ask whom for what, callers from outside what is public; everything else is denied. */
const ASKS: Readonly<Partial<Record<User, Readonly<Partial<Record<Owner, readonly string[]>>>>>> = {
  runtime: {
    budget: ['open', 'take-over', 'reserve', 'settle', 'snapshot', 'close'],
    publication: ['open', 'write-block', 'note-progress', 'snapshot', 'close'],
    reminder: ['compose'],
    reviewer: ['stop'],
    sources: ['list-documents', 'describe-corpus', 'search', 'read-range', 'check-ranges'],
  },
  reviewer: { budget: ['take-over', 'reserve', 'settle', 'snapshot'], publication: ['report'] },
  cli: Object.fromEntries(OWNERS.map((owner) => [owner, verbsOf(CATALOG[owner] ?? {}, 'public')])),
};

/** Durable consumers by their owner. */
const CONSUMERS: readonly {
  readonly owner: Owner;
  readonly stream: string;
  readonly durable: string;
  readonly subject: string;
}[] = [
  ...Object.values(WORK_CONSUMERS).map((c) => ({ ...c, stream: WORK_STREAM.name, owner: ownerOf(c.durable) })),
  ...Object.values(FACT_CONSUMERS).map((c) => ({ ...c, stream: FACTS_STREAM.name, owner: ownerOf(c.durable) })),
];

/** Who puts what on the stream of work. */
const WORKERS: Readonly<Record<string, User>> = {
  [WORK.run]: 'runtime',
  [WORK.review]: 'runtime',
  [WORK.inbox.limit]: 'budget',
  [WORK.inbox.verdict]: 'reviewer',
};

/** Who reads a bucket that is another's: reports over 256 KiB, and what was uploaded, to see that it is there. */
const READERS: Readonly<Record<string, readonly User[]>> = {
  [BUCKETS.reports.name]: ['reviewer', 'cli'],
  [BUCKETS.uploads.name]: ['cli'],
};

function verbsOf(contracts: Readonly<Record<string, Contract>>, access?: Contract['about']['access']): string[] {
  const wanted = Object.values(contracts).filter(({ about }) => access === undefined || about.access === access);
  return wanted.map(({ subject }) => subject.slice(subject.lastIndexOf('.') + 1));
}

function ownerOf(durable: string): Owner {
  const owner = OWNERS.find((name) => durable.startsWith(`${name}-`));
  if (!owner) throw new Error(`consumer ${durable} does not bear its owner's name`);
  return owner;
}

describe('NATS users as deployed', () => {
  let nats: NatsServer & { stop(): Promise<void> };
  let admin: NatsConnection;

  beforeAll(async () => {
    nats = await startNats({ auth: { usersFile: USERS } });
    admin = await connect(nats.access());
    await ensureStreams(admin);
  }, 30_000);
  afterAll(async () => {
    await admin?.close();
    await nats?.stop();
  });

  /** The operations on subjects that the server denies a user, of those that it tries at once. */
  async function denied(
    user: User,
    tried: { readonly publish?: readonly string[]; readonly subscribe?: readonly string[] },
  ): Promise<string[]> {
    const nc = await connect({ ...nats.access(user), inboxPrefix: `_INBOX_${user}` });
    const seen = new Set<string>();
    const watch = (async () => {
      for await (const status of nc.status()) {
        if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
        seen.add(`${status.error.operation} ${status.error.subject}`);
      }
    })();
    for (const subject of tried.publish ?? []) nc.publish(subject, '{}');
    for (const subject of tried.subscribe ?? []) nc.subscribe(subject, { callback: () => undefined });
    await nc.flush(); // the server answers in order: its denials came before
    await nc.close();
    await watch;
    return [...seen].sort();
  }

  const publishing = (subjects: readonly string[]): string[] => subjects.map((s) => `publish ${s}`).sort();
  const subscribing = (subjects: readonly string[]): string[] => subjects.map((s) => `subscription ${s}`).sort();
  const pairs = USER_NAMES.flatMap((user) => OWNERS.filter((o) => o !== user).map((owner) => [user, owner] as const));

  it.each(pairs)('%s is refused what is %s’s own: facts, subjects, replies, consumers, bucket', async (user, owner) => {
    const subscribe = [`waymark.${owner}.v1.>`, `waymark.${owner}.v1.${VERBS[owner][0] ?? ''}`, `_INBOX_${owner}.>`];
    expect(await denied(user, { subscribe })).toEqual(subscribing(subscribe));

    const asked = VERBS[owner].filter((verb) => !(ASKS[user]?.[owner] ?? []).includes(verb));
    const bucket = Object.values(BUCKETS).find((b) => b.owner === owner);
    const publish = [
      `waymark.facts.v1.${owner}.${RUN}.Forged`,
      ...asked.map((verb) => `waymark.${owner}.v1.${verb}`),
      ...CONSUMERS.filter((c) => c.owner === owner).flatMap(({ stream, durable, subject }) => [
        `$JS.API.CONSUMER.CREATE.${stream}.${durable}.${subject}`,
        `$JS.API.CONSUMER.CREATE.${stream}.${durable}`,
        `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${durable}`,
        `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
        `$JS.API.CONSUMER.DELETE.${stream}.${durable}`,
        `$JS.ACK.${stream}.${durable}.1.1.1.1.1`,
      ]),
      ...(bucket
        ? ['CREATE', 'UPDATE', 'PURGE', 'DELETE', 'MSG.DELETE'].map(
            (what) => `$JS.API.STREAM.${what}.OBJ_${bucket.name}`,
          )
        : []),
      ...(bucket && !READERS[bucket.name]?.includes(user)
        ? ['INFO', 'MSG.GET'].map((what) => `$JS.API.STREAM.${what}.OBJ_${bucket.name}`)
        : []),
      ...(bucket && !(user === 'cli' && bucket.owner === 'sources')
        ? [`$O.${bucket.name}.C.x`, `$O.${bucket.name}.M.x`]
        : []),
    ];
    expect(await denied(user, { publish })).toEqual(publishing(publish));
  });

  it.each(USER_NAMES)('%s cannot purge, delete or, unless it owns them, create or change the streams', async (user) => {
    const publish = [FACTS_STREAM.name, WORK_STREAM.name].flatMap((stream) => [
      ...['PURGE', 'DELETE', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE', 'LEADER.STEPDOWN'].map(
        (w) => `$JS.API.STREAM.${w}.${stream}`,
      ),
      ...(user === 'runtime' ? [] : [`$JS.API.STREAM.CREATE.${stream}`, `$JS.API.STREAM.UPDATE.${stream}`]),
    ]);
    publish.push(
      '$JS.API.STREAM.CREATE.ANOTHER',
      '$JS.API.STREAM.MSG.GET.WAYMARK_WORK',
      '$JS.API.CONSUMER.CREATE.WAYMARK_WORK',
    );
    publish.push('$SYS.REQ.SERVER.PING', '_INBOX.x.y', '_INBOX_budget.x');
    expect(await denied(user, { publish })).toEqual(publishing(publish));
  });

  it.each(USER_NAMES)(
    '%s reads no stream past its own consumers: callers from outside read facts, and nobody work',
    async (user) => {
      const anew = (stream: string, subject: string): string[] => [
        `$JS.API.CONSUMER.CREATE.${stream}`,
        `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.mine`,
        ...(user === 'cli' && stream === FACTS_STREAM.name
          ? []
          : [`$JS.API.CONSUMER.CREATE.${stream}.mine`, `$JS.API.CONSUMER.CREATE.${stream}.mine.${subject}`]),
        ...['MSG.GET', 'NAMES', 'LIST'].map((what) => `$JS.API.STREAM.${what}.${stream}`),
        `$JS.API.DIRECT.GET.${stream}`,
        `$JS.API.DIRECT.GET.${stream}.${subject}`,
      ];
      const publish = [
        ...anew(FACTS_STREAM.name, 'waymark.facts.v1.>'),
        ...anew(WORK_STREAM.name, 'waymark.work.v1.>'),
      ];
      expect(await denied(user, { publish })).toEqual(publishing(publish));
    },
  );

  it.each(USER_NAMES)(
    '%s puts on the stream of work only what is its own to give, and hears no work go by',
    async (user) => {
      const publish = Object.entries(WORKERS).flatMap(([subject, worker]) => (worker === user ? [] : [subject]));
      const nudge = user === 'runtime' ? [] : ['waymark.runtime.nudge'];
      publish.push(...nudge, '$KV.x.y');
      const subscribe = [
        ...nudge,
        'waymark.work.v1.>',
        '>',
        '$JS.>',
        ...(user === 'cli' ? [] : ['_INBOX.>', 'waymark.facts.v1.>']),
      ];
      expect(await denied(user, { publish, subscribe })).toEqual([...publishing(publish), ...subscribing(subscribe)]);
    },
  );

  it('a forged fact never reaches the stream', async () => {
    const before = (await (await jetstreamManager(admin)).streams.info(FACTS_STREAM.name)).state.messages;
    for (const user of USER_NAMES) {
      const nc = await connect({ ...nats.access(user), inboxPrefix: `_INBOX_${user}` });
      const other = OWNERS.find((owner) => owner !== user) ?? '';
      await expect(
        jetstream(nc).publish(`waymark.facts.v1.${other}.${RUN}.BudgetClosed`, '{}', { timeout: 5_000 }),
      ).rejects.toThrow(/Permissions Violation/i);
      await nc.close();
    }
    const after = (await (await jetstreamManager(admin)).streams.info(FACTS_STREAM.name)).state.messages;
    expect(after).toBe(before);
  });

  it('what somebody may write, the broker sends to nobody else’s subject for them', async () => {
    const sources = await connect({ ...nats.access('sources'), inboxPrefix: '_INBOX_sources' });
    await ObjectStore.own(sources, BUCKETS.uploads);
    await sources.close();
    const stream = `OBJ_${BUCKETS.uploads.name}`;
    const publish = [
      `$JS.API.DIRECT.GET.${stream}.$O.${BUCKETS.uploads.name}.C.x`,
      `$JS.API.DIRECT.GET.${stream}`,
      `$JS.API.CONSUMER.CREATE.${stream}`,
      `$JS.API.CONSUMER.CREATE.${stream}.x`,
      `$JS.API.CONSUMER.CREATE.${stream}.x.$O.${BUCKETS.uploads.name}.C.x`,
      `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.x`,
    ];
    for (const user of USER_NAMES) expect(await denied(user, { publish })).toEqual(publishing(publish));
  });

  it('no reply of the broker or of a service empties a stream', async () => {
    const nc = await connect({ ...nats.access('cli'), inboxPrefix: '_INBOX_cli' });
    const manager = await jetstreamManager(admin);
    await jetstream(admin).publish(`waymark.facts.v1.budget.${RUN}.BudgetOpened`, '{}');
    for (const stream of [FACTS_STREAM.name, WORK_STREAM.name]) {
      nc.publish('$JS.API.INFO', '', { reply: `$JS.API.STREAM.PURGE.${stream}` });
      const { config } = await manager.streams.info(stream);
      expect(config).toMatchObject({ deny_purge: true, deny_delete: true });
      await expect(manager.streams.purge(stream)).rejects.toThrow(/purge/);
    }
    await nc.flush();
    expect((await manager.streams.info(FACTS_STREAM.name)).state.messages).toBeGreaterThan(0);
    await nc.close();
  });

  it('nobody comes in without a password', async () => {
    await expect(connect({ servers: nats.url })).rejects.toThrow(/authorization/i);
    await expect(connect({ servers: nats.url, user: 'budget', pass: 'wrong' })).rejects.toThrow(/authorization/i);
  });

  it('a service that may not serve its subjects does not start, and says which', async () => {
    const postgres = await startPostgres({ fast: true });
    try {
      const { url } = await createServiceDatabase(postgres, 'budget');
      const migrate = spawnSync(process.execPath, [join(root, 'apps/budget/dist/migrate.js')], {
        env: { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'warn' },
      });
      expect(migrate.status).toBe(0);
      const env = { NATS_URL: nats.url, NATS_USER: 'publication', NATS_PASS: nats.access('publication').pass ?? '' };
      const process_ = await startProcess({
        name: 'mistaken',
        entry: 'apps/budget/dist/main.js',
        env: { ...env, DATABASE_URL: url },
        readyWhen: 'started',
      });
      expect((await process_.exited).code).toBe(1);
      expect(process_.output()).toMatch(/NATS denies subscribing to waymark\.budget\.v1\./);
      expect(process_.output()).not.toContain(env.NATS_PASS);
    } finally {
      await postgres.stop();
    }
  }, 60_000);
});

describe('database roles as deployed', () => {
  it('each has its own database and no other, and may make neither roles nor databases', async () => {
    const server = await startPostgres({ fast: true });
    try {
      const passwords = Object.fromEntries(OWNERS.map((name) => [`${name.toUpperCase()}_DB_PASSWORD`, `w-${name}`]));
      const psql = spawnSync(
        findBinary('psql'),
        ['-X', '-q', '-f', join(root, 'infra/postgres/init.sql'), server.url],
        {
          env: { PATH: process.env['PATH'], ...passwords },
          encoding: 'utf8',
        },
      );
      expect(psql.stderr).toBe('');
      const as = async (role: string, database: string, sql: string): Promise<unknown> =>
        await withClient(`postgres://${role}:w-${role}@127.0.0.1:${server.port}/${database}`, (c) => c.query(sql));
      for (const role of OWNERS) {
        await as(role, role, 'create table mine (n int)');
        for (const other of [...OWNERS.filter((o) => o !== role), 'postgres', 'template1'])
          await expect(as(role, other, 'select 1')).rejects.toThrow(/permission denied for database/);
        await expect(as(role, role, 'create role another')).rejects.toThrow(/permission denied/);
        await expect(as(role, role, 'create database another')).rejects.toThrow(/permission denied/);
      }
      await expect(
        withClient(`postgres://budget:wrong@127.0.0.1:${server.port}/budget`, (c) => c.query('select 1')),
      ).rejects.toThrow(/password authentication failed|authentication/);
    } finally {
      await server.stop();
    }
  }, 60_000);

  it('a service that is given a neighbour’s database reads nothing of it, and says so until that is mended', async () => {
    const server = await startPostgres({ fast: true });
    try {
      const given = new URL((await createServiceDatabase(server, 'budget')).url);
      await createServiceDatabase(server, 'runtime');
      given.pathname = '/runtime';
      const mistaken = await startProcess({
        name: 'mistaken',
        entry: 'apps/budget/dist/migrate.js',
        env: { DATABASE_URL: given.href, LOG_LEVEL: 'warn' },
        readyTimeoutMs: 60_000,
        readyWhen: (child) => child.output().includes('permission denied'),
      });
      await mistaken.stop();
      expect(mistaken.output()).toMatch(/waiting for PostgreSQL at \S+\/runtime: permission denied for database/);
      expect(mistaken.output()).not.toContain(given.password);
    } finally {
      await server.stop();
    }
  }, 90_000);
});
