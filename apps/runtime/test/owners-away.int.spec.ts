/**
 * Other services, the broker, the database and the cache go away in the middle of a run and come back: what waits, waits
 * with a reason, nothing is lost or done twice, and the run ends (architecture, "When a service is away").
 */
import { createServer } from 'node:net';
import { snapshot as budgetSnapshot } from '@waymark/contracts/budget';
import { blockHistory } from '@waymark/contracts/publication';
import { cancel } from '@waymark/contracts/runtime';
import {
  createServiceDatabase,
  startNats,
  startOwned,
  startPostgres,
  startProcess,
  tcpProxy,
  until,
  workspaceRoot,
  type ServiceProcess,
  type TcpProxy,
} from '@waymark/testing';
import { Redis } from 'ioredis';
import { messagesIn, WholeSystem } from './whole-system.js';

let whole: WholeSystem;
let redis: TcpProxy;
const ALONE = { review: false } as const;
const BUDGET_WAIT_MS = 1_200;
const NOBODY = '01890000-0000-7000-8000-000000000000';

beforeAll(async () => {
  // What is killed here must not lose what it acknowledged.
  whole = await WholeSystem.start({ fast: false, replicas: { reviewer: 0, runtime: 0 } });
  redis = await tcpProxy({ port: whole.stack.redis.port });
  await whole.stack.start('runtime', 'runtime-1', {
    BUDGET_WAIT_MS: String(BUDGET_WAIT_MS),
    REDIS_URL: redis.through(whole.stack.redis.url),
  });
}, 180_000);

afterEach(async () => {
  redis.heal();
  whole.gateway.release();
  await whole.faults([]);
  await whole.latency(0);
});

afterAll(async () => {
  await whole?.stop();
  await redis?.stop();
}, 30_000);

const process = (name: string): ServiceProcess => {
  const found = whole.stack.processes.get(name);
  if (!found) throw new Error(`no process ${name}`);
  return found;
};

/** Ended by itself, with every figure in its report, and each of its requests arrived once. */
async function rightEnd(run: string): Promise<void> {
  expect(await whole.ended(run, 60_000)).toMatchObject({ outcome: 'completed', code: 'finished' });
  const { markdown } = await whole.report(run);
  const figures = whole.corpus.answers.figures.map((f) => String(f.value));
  expect(figures.filter((value) => !markdown.includes(value))).toEqual([]);
}

describe('reminder', () => {
  it('R19: gone: plain numeric state lines from the owners’ snapshots, no advice, recorded as such; the run ends', async () => {
    await whole.kill('reminder-1');
    const { run, outcome } = await whole.runUnder([], { ...ALONE, exploreRequests: 10 });
    expect(outcome).toBe('completed');
    const requests = await whole.requests(run);
    expect(new Set(requests.map((r) => r.noticeSource))).toEqual(new Set(['plain']));
    const notices = requests.flatMap((r) => r.notices);
    expect(notices.length).toBeGreaterThan(0);
    expect(notices.every((n) => n.kind === 'state' && n.fate === 'submitted')).toBe(true);
    const sixth = messagesIn(whole.calls(run)[5]?.body ?? '{}').at(-1)?.content;
    expect(sixth).toMatch(/^\[Notices\]\n/);
    expect(sixth).toContain('Explore requests: 6 of 10 used, this one counted.');
    await whole.stack.start('reminder', 'reminder-2');
  });

  it('R19: mute: each request waits for it once and no longer', async () => {
    process('reminder-2').kill('SIGSTOP');
    const { run, outcome } = await whole.runUnder([], { ...ALONE, exploreRequests: 10 });
    process('reminder-2').kill('SIGCONT');
    expect(outcome).toBe('completed');
    expect((await whole.requests(run)).every((r) => r.noticeSource === 'plain')).toBe(true);
    const { active, wall } = await whole.budget(run);
    // One try of 300 ms a request: it costs wall time, never active time.
    expect(wall.usedMs - active.usedMs).toBeGreaterThan(300 * (await whole.requests(run)).length * 0.9);
  });

  it('R1: back again: it composes for the next run as before', async () => {
    const { run } = await whole.runUnder([], { ...ALONE, exploreRequests: 10 });
    const sources = (await whole.requests(run)).map((r) => r.noticeSource);
    expect(sources).toContain('reminder');
    expect(sources).not.toContain('plain');
  });
});

describe('publication', () => {
  const writes = async (run: string) =>
    (await whole.factsOf(run, 'ActionSettled')).filter(
      (f) => f.effect?.kind === 'block' || f.title.startsWith('block'),
    );

  async function oneVersionEach(run: string): Promise<void> {
    const { report } = await whole.report(run);
    expect(report.blocks.length).toBeGreaterThan(0);
    for (const { block, version } of report.blocks) {
      const { versions } = await whole.ask(blockHistory, { run, block });
      expect(versions.map((v) => v.version)).toEqual(Array.from({ length: version }, (_, i) => i + 1));
    }
  }

  /** The next request after a write that is not confirmed waits for the gateway's release. */
  const holdAfterUnconfirmed = (run: string): void =>
    whole.gateway.holdOnce(async () => (await writes(run)).some((f) => f.outcome === 'unconfirmed'));

  it('P9: mute while it is written to: receipt unconfirmed, asked again by its key before any other write, one version', async () => {
    const run = await whole.heldRun(3, { ...ALONE, toolMs: 900 });
    process('publication-1').kill('SIGSTOP');
    whole.gateway.release();
    holdAfterUnconfirmed(run);
    const unconfirmed = await until(async () => (await writes(run)).find((f) => f.outcome === 'unconfirmed'), {
      what: 'a write that is not confirmed',
      timeoutMs: 30_000,
    });
    process('publication-1').kill('SIGCONT');
    whole.gateway.release();
    await rightEnd(run);
    const confirmed = await whole.factsOf(run, 'WriteConfirmed');
    expect(confirmed).toMatchObject([{ action: unconfirmed.action, outcome: 'written' }]);
    const facts = await whole.facts(run);
    const confirmedAt = facts.findIndex((f) => f.type === 'WriteConfirmed');
    const before = facts.slice(0, confirmedAt).filter((f) => f.type === 'ActionSettled' && f.effect?.kind === 'block');
    expect(before).toHaveLength(1);
    await oneVersionEach(run);
    const first = unconfirmed.effect?.detail ?? '';
    const { versions } = await whole.ask(blockHistory, { run, block: first });
    expect(versions.filter((v) => v.version === 1)).toHaveLength(1);
  }, 60_000);

  it('P5, P9: killed in mid-run: the write is carried out once when it is back', async () => {
    const run = await whole.heldRun(3, { ...ALONE, toolMs: 900 });
    await whole.kill('publication-1');
    whole.gateway.release();
    holdAfterUnconfirmed(run);
    await until(async () => (await writes(run)).some((f) => f.outcome === 'unconfirmed'), {
      what: 'a write that is not confirmed',
      timeoutMs: 30_000,
    });
    await whole.stack.start('publication', 'publication-2');
    whole.gateway.release();
    await rightEnd(run);
    expect((await whole.factsOf(run, 'WriteConfirmed')).map((f) => f.outcome)).toEqual(['written']);
    await oneVersionEach(run);
  }, 60_000);

  it('L10: an ending stays ending until it answers; then the report closes with the end that was decided', async () => {
    const run = await whole.heldRun(9, ALONE); // the last request
    await whole.kill('publication-2');
    whole.gateway.release();
    const view = await whole.inState(run, 'ending');
    expect(view).toMatchObject({ outcome: 'completed', code: 'finished' });
    const since = performance.now();
    await until(() => performance.now() - since > 2_500, { what: 'the ending to wait' });
    expect(await whole.view(run)).toMatchObject({ state: 'ending', outcome: 'completed' });
    const done = (await whole.factsOf(run, 'EndingStepDone')).map((f) => f.step);
    expect(done).toEqual(['budget_closed', 'settled', 'reviews_stopped']);
    await whole.stack.start('publication', 'publication-3');
    await rightEnd(run);
  }, 60_000);

  it('away at the start: the run waits parked with a reason, and begins when it is there', async () => {
    await whole.kill('publication-3');
    const run = await whole.begin(ALONE);
    await whole.inState(run, 'parked');
    expect((await whole.factsOf(run, 'RunParked'))[0]).toMatchObject({ code: 'publication_away', counted: false });
    expect(whole.calls(run)).toEqual([]);
    await whole.stack.start('publication', 'publication-4');
    await rightEnd(run);
  }, 60_000);
});

describe('budget', () => {
  it('B2: gone: nothing is sent, the run parks with a reason, and goes on when it is back', async () => {
    const run = await whole.heldRun(3, ALONE);
    await whole.kill('budget-1');
    whole.gateway.release();
    const view = await whole.inState(run, 'parked');
    const sent = whole.calls(run).length;
    const parked = await whole.factsOf(run, 'RunParked');
    expect(parked).toMatchObject([{ code: 'budget_away', counted: false }]);
    expect(Date.parse(view.wakeAt ?? '')).toBeGreaterThan(Date.now() - 1_000);
    expect(whole.calls(run)).toHaveLength(sent);
    await whole.stack.start('budget', 'budget-2');
    await rightEnd(run);
    const requests = await whole.requests(run);
    const { physical, explore } = await whole.budget(run);
    expect(physical).toMatchObject({ used: requests.length, reserved: 0, unknown: 0 });
    expect(explore.used).toBe(requests.length);
    expect(requests.every((r) => r.outcome === 'completed')).toBe(true);
  }, 60_000);

  it('B2: mute: the same key is asked again; what was granted meanwhile is one reservation', async () => {
    const run = await whole.heldRun(3, ALONE);
    process('budget-2').kill('SIGSTOP');
    whole.gateway.release();
    await whole.inState(run, 'parked');
    process('budget-2').kill('SIGCONT');
    await rightEnd(run);
    const { snapshot, open } = await whole.ask(budgetSnapshot, { run });
    expect(open).toEqual([]);
    expect(snapshot.physical).toMatchObject({ used: whole.calls(run).length, reserved: 0, unknown: 0 });
  }, 60_000);
});

describe('sources', () => {
  it('gone in mid-run: its actions fail with a clear answer and the run goes on to its end', async () => {
    const run = await whole.heldRun(2, ALONE);
    await whole.kill('sources-1');
    whole.gateway.release();
    const view = await whole.ended(run, 60_000);
    expect(view.outcome).toMatch(/^(completed|partial)$/);
    const failed = (await whole.factsOf(run, 'ActionSettled')).filter((f) => f.outcome === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map((f) => f.code))).toEqual(new Set(['unavailable']));
    const told = whole.calls(run).flatMap((c) => messagesIn(c.body).filter((m) => m.content.includes('"unavailable"')));
    expect(told[0]?.content).toMatch(/"remedy":"\w/);
    // Nobody can say whether this corpus is there: the run is admitted, as any other.
    const admitted = await whole.begin(ALONE, { corpus: 'nobody-knows' });
    expect((await whole.view(admitted)).corpus).toBe('nobody-knows');
    await whole.ask(cancel, { run: admitted });
    await whole.stack.start('sources', 'sources-2');
  }, 60_000);

  it('T1: mute: an action ends by its own deadline, with the code of a tool', async () => {
    const run = await whole.heldRun(2, { ...ALONE, toolMs: 600 });
    process('sources-2').kill('SIGSTOP');
    whole.gateway.release();
    const late = await until(
      async () => (await whole.factsOf(run, 'ActionSettled')).find((f) => f.code === 'tool_timeout'),
      { what: 'an action that is late', timeoutMs: 30_000 },
    );
    process('sources-2').kill('SIGCONT');
    expect(late.outcome).toBe('failed');
    expect((await whole.ended(run, 60_000)).outcome).toMatch(/^(completed|partial)$/);
  }, 60_000);
});

describe('Redis', () => {
  it.each(['frozen', 'gone', 'flushed'])(
    '%s in mid-run: nothing is lost and nothing is wrong',
    async (how) => {
      const run = await whole.heldRun(3, ALONE);
      if (how === 'frozen') redis.freeze();
      if (how === 'gone') redis.refuse();
      if (how === 'flushed') {
        const client = new Redis(whole.stack.redis.url);
        await client.flushall();
        client.disconnect();
      }
      whole.gateway.release();
      await rightEnd(run);
      expect((await whole.requests(run)).every((r) => r.outcome === 'completed')).toBe(true);
    },
    60_000,
  );

  it('gone since the start: a run is as right as with it', async () => {
    redis.refuse();
    const run = await whole.begin(ALONE);
    await rightEnd(run);
  });
});

describe('broker and database', () => {
  it('NATS killed and started again in mid-run: the run goes on and ends right', async () => {
    const run = await whole.heldRun(3, ALONE);
    const restarted = whole.stack.nats.restart();
    whole.gateway.release();
    await restarted;
    await rightEnd(run);
  }, 90_000);

  it('PostgreSQL killed and started again in mid-run: the record has no gap and the run ends right', async () => {
    const run = await whole.heldRun(3, ALONE);
    whole.stack.postgres.kill('SIGKILL');
    whole.gateway.release();
    await until(
      async () => {
        const reply = await whole.bus.call(cancel, { run: NOBODY }, { timeoutMs: 10_000 });
        return !reply.ok && reply.error.code === 'unavailable' && reply.kind === 'error';
      },
      { what: 'L6: a stop to say that the database is away, not that the service failed', timeoutMs: 20_000 },
    );
    await whole.stack.postgres.restart();
    await rightEnd(run);
  }, 90_000);

  it('the invariants hold over all runs', async () => {
    expect(await whole.violations()).toEqual([]);
  }, 60_000);
});

describe('a start before anything is there', () => {
  interface Ready {
    readonly status: string;
    readonly checks: Readonly<Record<string, string>>;
  }
  const readiness = async (port: number): Promise<Ready> =>
    (await (await fetch(`http://127.0.0.1:${port}/health/ready`)).json()) as Ready;

  it('the runtime waits with a reason for NATS, PostgreSQL and its migrations, and is ready when they have come', async () => {
    const [nats, postgres] = await Promise.all([startNats(), startPostgres({ fast: true })]);
    const toNats = await tcpProxy({ port: nats.port });
    const toPostgres = await tcpProxy({ port: postgres.port });
    const database = await createServiceDatabase(postgres, 'runtime');
    toNats.refuse();
    toPostgres.refuse();
    const early = await startProcess({
      name: 'early',
      entry: 'apps/runtime/dist/main.js',
      readyWhen: 'started',
      env: {
        NATS_URL: toNats.through(nats.url).replace(/\/$/, ''),
        DATABASE_URL: toPostgres.through(database.url),
        MODEL_URL: whole.stack.modelUrl,
        MODEL_NAME: 'practice-researcher',
        LOG_LEVEL: 'warn',
      },
    });
    try {
      const says = async (what: 'nats' | 'postgres', reason: RegExp) =>
        await until(async () => reason.test((await readiness(early.healthPort)).checks[what] ?? ''), {
          what: `readiness to say of ${what}: ${reason}`,
          timeoutMs: 30_000,
        });
      await says('nats', /waiting for NATS/);
      await says('postgres', /waiting for .*(PostgreSQL|database)/i);
      expect(await early.health('live')).toBe(200);
      expect(await early.health('ready')).toBe(503);
      toNats.heal();
      await says('nats', /^ok$/);
      toPostgres.heal();
      await says('postgres', /migration/i);
      expect(await early.health('ready')).toBe(503);
      const migrating = await startOwned({
        name: 'early-migrate',
        command: globalThis.process.execPath,
        args: [`${workspaceRoot()}/apps/runtime/dist/migrate.js`],
        env: { PATH: globalThis.process.env['PATH'] ?? '', DATABASE_URL: database.url, LOG_LEVEL: 'warn' },
        cwd: workspaceRoot(),
      });
      expect(await migrating.exited).toEqual({ code: 0, signal: null });
      await until(async () => (await early.health('ready')) === 200, { what: 'readiness', timeoutMs: 30_000 });
    } finally {
      await early.stop('SIGTERM');
      await Promise.all([toNats.stop(), toPostgres.stop()]);
      await Promise.all([nats.stop(), postgres.stop()]);
    }
  }, 90_000);

  it('a port for its health that is taken ends it at once, with the remedy', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, resolve));
    const port = (taken.address() as { port: number }).port;
    const blocked = await startProcess({
      name: 'blocked',
      entry: 'apps/runtime/dist/main.js',
      readyWhen: 'started',
      env: {
        NATS_URL: whole.stack.nats.url,
        DATABASE_URL: whole.stack.databases.runtime,
        MODEL_URL: whole.stack.modelUrl,
        MODEL_NAME: 'practice-researcher',
        HEALTH_PORT: String(port),
      },
    });
    expect((await blocked.exited).code).not.toBe(0);
    expect(blocked.output()).toContain('HEALTH_PORT');
    taken.close();
  }, 30_000);
});
