/**
 * A whole research over each API, through every service: the record proves what was sent, and the key is nowhere. The
 * provider is the practice model, our own; no other server here speaks tool calls.
 */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getReport } from '@waymark/contracts/publication';
import { explain, get, listEvents, readRecord, start } from '@waymark/contracts/runtime';
import { BUCKETS, FACTS_STREAM } from '@waymark/contracts/streams';
import { ObjectStore } from '@waymark/messaging';
import { MODEL_APIS } from '@waymark/model';
import { rendererOf, RENDERERS, type RunAdmitted } from '@waymark/record';
import { until, workspaceRoot } from '@waymark/testing';
import { STACK_SERVICES } from '@waymark/testing/stack';
import { Redis } from 'ioredis';
import pg from 'pg';
import { ModelGateway } from './model-gateway.js';
import { SecretSearch } from './find-secret.js';
import { WholeSystem } from './whole-system.js';

const REVIEWED = { residencyBytes: 12 * 1024, review: true, reviewEveryExploreRequests: 3 } as const;
/** Main requests from this one on wait until a review has been answered, however slow its service is. */
const AFTER_REVIEW = 7;
const RUN_MS = 120_000;

describe.each(MODEL_APIS)('%s', (api) => {
  const key = `sk-planted-${randomBytes(12).toString('hex')}`;
  let gateway: ModelGateway;
  let whole: WholeSystem;
  let folder: string;
  let run: string;
  let long: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'waymark-providers-'));
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, `${key}\n`);
    gateway = await ModelGateway.start();
    const model = { MODEL_API: api, MODEL_URL: gateway.url };
    whole = await WholeSystem.start(
      {
        env: {
          all: { LOG_LEVEL: 'trace' },
          'practice-model': { API_KEY: key },
          runtime: { ...model, MODEL_KEY: key },
          reviewer: { ...model, MODEL_KEY: '', MODEL_KEY_FILE: keyFile },
        },
      },
      gateway,
    );
    gateway.mayPass = (id, answered) => {
      const [of = '', n] = id.split('/');
      return of.includes('.') || Number(n) < AFTER_REVIEW || [...answered].some((a) => a.startsWith(`${of}.`));
    };
    run = await whole.begin(REVIEWED);
    await whole.ended(run, RUN_MS);
    gateway.mayPass = () => true;
    long = await whole.beginBench(25, { hardLimitBytes: 44 * 1024 });
    await whole.ended(long, RUN_MS);
  }, 400_000);
  afterAll(async () => {
    await whole?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const waymark = async (...args: string[]): Promise<{ code: number; said: string }> =>
    await new Promise((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', WAYMARK_NATS_URL: whole.stack.nats.url };
      execFile(
        process.execPath,
        [join(workspaceRoot(), 'apps/cli/dist/main.js'), ...args],
        { env, maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), said: stdout + stderr }),
      );
    });

  it('E3, C14: runs end completed, every request taken by the provider, summaries and reviews among them', async () => {
    for (const one of [run, long]) {
      expect(await whole.view(one)).toMatchObject({ outcome: 'completed' });
      const hows = whole.calls(one).map((c) => c.answeredWith);
      // A review may still be under way when its run ends: nobody waits for it.
      expect(hows.filter((how) => how !== null && how !== 'completed')).toEqual([]);
    }
    const purposes = [...whole.calls(run), ...whole.calls(long)].map((c) => c.purpose);
    expect(new Set(purposes)).toEqual(new Set(['explore', 'summarize', 'review']));
    const apis = readFileSync(whole.log, 'utf8').match(/"api":"\w+"/g) ?? [];
    expect(new Set(apis)).toEqual(new Set([`"api":"${api}"`]));
    const { markdown } = await whole.report(run);
    expect(markdown.length).toBeGreaterThan(500);
    expect(await whole.violations()).toEqual([]);
  }, 60_000);

  it('E3: the first fact names API and renderer; usage is what the provider reported', async () => {
    const facts = [...(await whole.facts(run)), ...(await whole.facts(long))];
    const admitted = facts[0] as RunAdmitted;
    expect(admitted.model.dialect).toBe(api);
    expect(rendererOf(admitted).version).toBe(api === 'openai' ? 1 : 2);
    const usages = facts.flatMap((f) => (f.type === 'RequestSettled' ? [f.usage] : []));
    expect(usages.every((u) => (u?.inputTokens ?? 0) > 0 && (u?.outputTokens ?? 0) > 0)).toBe(true);
    expect(facts.some((f) => f.type === 'SummaryAdopted')).toBe(true);
    expect(facts.some((f) => f.type === 'ReviewDispatched')).toBe(true);
  });

  it('R14: the bytes before the notices stay equal from one request to the next, where nothing was retired', async () => {
    const bodies = whole.calls(run).filter((c) => c.purpose === 'explore');
    const notices =
      api === 'openai'
        ? ',{"role":"user","content":"[Notices]'
        : ',"cache_control":{"type":"ephemeral"}},{"type":"text","text":"[Notices]';
    const tail = RENDERERS[api].tail.length;
    const stable = (body: string): string => {
      const at = body.indexOf(notices);
      return at < 0 ? body.slice(0, -tail) : body.slice(0, at);
    };
    const [first, second] = bodies;
    expect(stable(first?.body ?? '').length).toBeGreaterThan(1_000);
    expect(second?.body.startsWith(stable(first?.body ?? ''))).toBe(true);
  });

  it('E3, R8: the command line proves the run against the provider’s log, byte for byte, and explains it', async () => {
    for (const one of [run, long])
      expect(await waymark('verify', one, '--provider-log', whole.log)).toMatchObject({ code: 0 });
    const damaged = join(folder, 'damaged.jsonl');
    const lines = readFileSync(whole.log, 'utf8').split('\n');
    const without = lines.filter((line) => !line.includes(`"id":"${run}/2"`)).join('\n');
    writeFileSync(damaged, without);
    expect((await waymark('verify', run, '--provider-log', damaged)).code).toBe(1);
    const explained = await waymark('explain', run);
    expect(explained.code).toBe(0);
    expect(explained.said).toContain('completed');
  }, 60_000);

  it('L11: a provider that refuses the key, and repeats it, is no end without a report', async () => {
    for (const echo of ['refusal', 'page', 'event'] as const) {
      gateway.echo = echo;
      const refused = await whole.ended(await whole.begin(), RUN_MS);
      expect(refused.outcome).not.toBe('completed');
      expect(refused.code).toBe('provider_auth');
    }
    gateway.echo = 'none';
    expect(gateway.echoed).toBeGreaterThanOrEqual(3);
  }, 180_000);

  it('the key stands in no argument, table, stream, cache, log, report, reply or proof', async () => {
    const search = new SecretSearch(key);
    await search.databases(whole.stack.databases);
    await search.streams(whole.bus.nc);
    await search.redis(whole.stack.redis.url);
    search.outputs(whole.stack);
    search.arguments();
    search.providerLog(whole.log);
    for (const one of [run, ...(await refusedRuns())]) await replies(one, search);
    for (const one of [run, (await refusedRuns())[0] ?? '']) await printed(one, search);
    expect(search.found).toEqual([]);
    const heard = [
      ...STACK_SERVICES.map((service) => `databases: ${service}`),
      ...[...whole.stack.processes.keys()].map((process) => `outputs: ${process}`),
      ...[FACTS_STREAM.name, `OBJ_${BUCKETS.uploads.name}`].map((stream) => `streams: ${stream}`),
    ];
    expect([...search.heard]).toEqual(expect.arrayContaining(heard));
    const places = ['databases', 'streams', 'redis', 'outputs', 'arguments', 'provider log', 'replies'];
    expect(
      [...search.looked]
        .filter(([, bytes]) => bytes > 100)
        .map(([place]) => place)
        .sort(),
    ).toEqual(places.sort());
  }, 300_000);

  /** The runs that ended by the key. */
  const refusedRuns = async (): Promise<string[]> => {
    const client = new pg.Client({ connectionString: whole.stack.databases.runtime });
    await client.connect();
    const { rows } = await client.query<{ id: string }>('select id::text from run where id::text <> all($1)', [
      [run, long],
    ]);
    await client.end();
    expect(rows).toHaveLength(3);
    return rows.map(({ id }) => id);
  };

  async function replies(one: string, search: SecretSearch): Promise<void> {
    const look = (where: string, value: unknown): void => search.look('replies', where, JSON.stringify(value));
    look('get', await whole.ask(get, { run: one }));
    look('events', await whole.ask(listEvents, { run: one, after: 0, limit: 200 }));
    look('record', await whole.ask(readRecord, { run: one, after: 0, limit: 200 }));
    look('explain', await whole.ask(explain, { run: one, after: 0, limit: 50 }));
    for (const format of ['markdown', 'html'] as const) look(format, await whole.ask(getReport, { run: one, format }));
    const errors = await whole.bus.call(start, { key: '', question: '', corpus: '', policy: '?' } as never, {
      timeoutMs: 3_000,
    });
    expect(errors.ok).toBe(false);
    look('error', errors);
  }

  async function printed(one: string, search: SecretSearch): Promise<void> {
    for (const command of ['explain', 'report', 'verify', 'record'])
      search.look('replies', command, (await waymark(command, one)).said);
  }

  it('E3, L11: a replica that speaks another API sends nothing of a run: it ends with what is published', async () => {
    const other = api === 'openai' ? 'anthropic' : 'openai';
    gateway.mayPass = (id) => id.endsWith('/1');
    const moved = await whole.begin();
    await whole.fact(moved, 'ActionSettled');
    await until(async () => (await whole.factsOf(moved, 'RequestIntended')).length === 2, { what: 'a second request' });
    await whole.kill('runtime-1');
    await whole.stack.start('runtime', 'runtime-2', { MODEL_API: other });
    gateway.mayPass = () => true;
    const ended = await whole.ended(moved, RUN_MS);
    expect(ended.code).toBe('other_api');
    const refused = (await whole.factsOf(moved, 'RequestSettled')).filter((f) => f.code === 'other_api');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((f) => f.outcome === 'not_sent')).toBe(true);
    const sent = whole.calls(moved).map((c) => c.id);
    for (const { request } of refused) expect(sent).not.toContain(`${moved}/${request}`);
    await whole.report(moved);
    // What it admits itself, it sends.
    expect(await whole.ended(await whole.begin(), RUN_MS)).toMatchObject({ outcome: 'completed' });
  }, 300_000);

  it('the search finds a key that is planted in each of these places', async () => {
    const { stack, bus } = whole;
    const client = new pg.Client({ connectionString: stack.databases.reviewer });
    await client.connect();
    await client.query('create table planted (body bytea, note text)');
    await client.query('insert into planted values ($1, null), (null, $2)', [Buffer.from(`x${key}x`), `y ${key}`]);
    await client.end();
    const redis = new Redis(stack.redis.url);
    await redis.set('planted', `{"key":"${key}"}`);
    redis.disconnect();
    const objects = await ObjectStore.open(bus.nc, BUCKETS.uploads);
    await objects.put('upload/planted', Buffer.from(Buffer.from(`zz${key}zz`).toString('base64')));
    const planted = join(folder, 'planted.jsonl');
    writeFileSync(planted, `{"bytesBase64":"${Buffer.from(`{"a":"${key}"}`).toString('base64')}"}\n`);
    const sleeper = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', key], { stdio: 'ignore' });
    try {
      const search = new SecretSearch(key);
      await search.databases(stack.databases);
      await search.streams(bus.nc);
      await search.redis(stack.redis.url);
      search.arguments();
      search.providerLog(planted);
      search.look('outputs', 'a log line', `{"level":30,"detail":"Bearer ${key}"}`);
      const places = new Set(search.found.map((found) => found.split(':')[0]));
      expect(places).toEqual(new Set(['databases', 'streams', 'redis', 'arguments', 'provider log', 'outputs']));
      expect(search.found.filter((found) => found.includes('planted'))).not.toHaveLength(0);
    } finally {
      sleeper.kill('SIGKILL');
    }
  }, 60_000);
});
