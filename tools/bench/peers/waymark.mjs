/**
 * Waymark's line in the harness of other runtimes: the whole system (six services, NATS, Redis, and six databases on the
 * harness's PostgreSQL) works on the harness's fake model, which this process serves over HTTP. A turn's two tool calls are
 * two reads of 4 KiB from documents that sources holds, one document a tool, one range a turn.
 *
 * 1. CPU, memory, stored bytes and WAL are those of all processes and all databases, this process included.
 * 2. A kill takes this process and, through it, all six services; NATS, Redis and PostgreSQL go on, as servers do. While a
 *    tool call hangs, sources stands still.
 * 3. Nothing is tuned: policy `bench`, leases and heartbeats as deployed. After a kill the new owner waits for the old lease.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  args,
  BASE,
  dbUrl,
  fakeModel,
  fakeTool,
  main,
  pgCpu,
  PGPORT,
  procCpu,
  procRss,
  PROMPT,
  toolText,
} from '../lib.mjs';

const ROOT = process.env.WAYMARK_ROOT ?? '';
process.chdir(ROOT); // its libraries find the workspace from there
const load = async (path) => await import(pathToFileURL(join(ROOT, path)).href);
const { startStack } = await load('libs/testing/dist/stack/index.js');
const { withClient } = await load('libs/testing/dist/index.js');
const { Bus, ObjectStore } = await load('libs/messaging/dist/index.js');
const { BUCKETS, factSubject } = await load('libs/contracts/dist/streams/index.js');
const { addDocument, describeCorpus, readRange } = await load('libs/contracts/dist/sources/index.js');
const { get, start } = await load('libs/contracts/dist/runtime/index.js');
const { getReport } = await load('libs/contracts/dist/publication/index.js');

const STATE = `${BASE}/waymark-servers.json`;
const SERVICES = ['budget', 'publication', 'reminder', 'sources', 'reviewer', 'runtime'];
const RANGE = 4096;
const CALL = { timeoutMs: 30_000 };
const ids = args.mode === 'many' ? Array.from({ length: args.conc }, (_, i) => `${args.id}-${i}`) : [args.id];

let servers;
let stack;
let bus;
let model;
let before;
/** By document: which run's which tool. By run of the harness: its documents; by run of ours: the harness's. */
const documents = new Map();
const locators = new Map();

const superuser = { url: dbUrl('postgres'), host: '127.0.0.1', port: PGPORT, name: 'harness' };
const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const wait = async (what, probe, ms = 60_000) => {
  for (const until = performance.now() + ms; ;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > until) throw new Error(`waited ${ms} ms for ${what}`);
    await pause(20);
  }
};
const ask = async (contract, request) => {
  const reply = await bus.call(contract, request, CALL);
  if (!reply.ok) throw new Error(`${contract.subject}: ${JSON.stringify(reply.error)}`);
  return reply.value;
};

async function startServers() {
  if (args.mode !== 'resume') {
    await endServers();
    await withClient(superuser.url, async (db) => {
      for (const service of SERVICES) await db.query(`drop database if exists ${service} with (force)`);
    });
    spawn(process.execPath, [join(ROOT, 'tools/bench/peers/servers.mjs'), STATE], {
      cwd: ROOT,
      detached: true,
      stdio: 'ignore',
    }).unref();
  }
  await wait('NATS and Redis', () => existsSync(STATE));
  return JSON.parse(readFileSync(STATE, 'utf8'));
}

async function endServers() {
  if (!existsSync(STATE)) return;
  const { pid } = JSON.parse(readFileSync(STATE, 'utf8'));
  rmSync(STATE);
  if (!alive(pid)) return;
  process.kill(pid, 'SIGTERM');
  await wait('the old servers to end', () => !alive(pid));
}

/** The OpenAI protocol over the harness's model. What a request is about stands in its last tool result. */
async function serveModel() {
  const server = createServer((req, res) => {
    const chunks = [];
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => void answer(Buffer.concat(chunks), res).catch((error) => res.destroy(error)));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

async function answer(body, res) {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta, finish = null) =>
    res.write(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'fake', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  const head = body.subarray(0, 16_384).toString('latin1');
  const purpose = /"Purpose: (\w+)/.exec(head)?.[1];
  if (purpose === 'summarize') {
    send({ role: 'assistant', content: toolText('summary', 0, 0).slice(0, 600) });
    send({}, 'stop');
    return res.end('data: [DONE]\n\n');
  }
  const marks = [
    ...body
      .subarray(-65_536)
      .toString('latin1')
      .matchAll(/turn=(\d+);tool=\d+;run=([^;]+);/g),
  ];
  const last = marks.at(-1)?.[0] ?? PROMPT(/run=([^;"\\]+);/.exec(head)?.[1] ?? 'unknown');
  const said = await fakeModel(last, () => ({
    messages: JSON.parse(body.toString('utf8')).messages.length,
    chars: body.length,
  }));
  send({ role: 'assistant', content: said.text });
  const calls = said.calls.map(({ id, args: { run, turn, k } }, index) => ({
    index,
    id,
    type: 'function',
    function: {
      name: 'read_range',
      arguments: JSON.stringify({ locator: locators.get(run)[k], start: turn * RANGE, end: (turn + 1) * RANGE }),
    },
  }));
  if (calls.length > 0) send({ tool_calls: calls });
  send({}, calls.length > 0 ? 'tool_calls' : 'stop');
  res.end('data: [DONE]\n\n');
}

/** Hears the reads go by, to count them as the harness does; where a tool call is to hang, sources is stopped. */
function hearTools() {
  const [kind, turn, k] = args.kill.split(':');
  bus.nc.subscribe(readRange.subject, {
    callback: (_, msg) => {
      const { locator, start: from } = msg.json();
      const document = documents.get(locator);
      if (document === undefined) return;
      const call = { run: document.run, turn: from / RANGE, k: document.k };
      if (kind === 'tool' && call.turn === Number(turn) && call.k === Number(k))
        stack.processes.get('sources-1').kill('SIGSTOP');
      void fakeTool(call);
    },
  });
}

/** One corpus a run, one document a tool, one range a turn; what a tool of the harness would return. */
async function upload(id) {
  const objects = await ObjectStore.open(bus.nc, BUCKETS.uploads);
  for (const k of [0, 1]) {
    const ranges = Array.from(
      { length: Math.max(1, args.turns) },
      (_, turn) => `${toolText(id, turn, k).slice(0, RANGE - 1)}\n`,
    );
    const object = await objects.put(`peers/${id}/${k}`, Buffer.from(ranges.join('')));
    await ask(addDocument, { corpus: id, name: `tool-${k}.txt`, object });
  }
}

/** Whose documents are whose, from sources: also after a kill. */
async function findDocuments() {
  await withClient(stack.databases.sources, async (db) => {
    const { rows } = await db.query('select corpus, name, locator from document order by name');
    for (const { corpus, name, locator } of rows) {
      const k = Number(/tool-(\d)/.exec(name)[1]);
      documents.set(locator, { run: corpus, k });
      locators.set(corpus, [...(locators.get(corpus) ?? []), locator]);
    }
  });
}

const ourPids = () => [...stack.processes.values()].map(({ pid }) => pid);
const sum = (values) => values.reduce((a, b) => a + b, 0);
async function read() {
  let bytes = 0;
  for (const service of SERVICES) {
    bytes += await withClient(superuser.url.replace(/\/postgres$/, `/${service}`), async (db) => {
      const { rows } = await db.query(
        `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 as n from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r','p','m') and n.nspname not in ('pg_catalog','information_schema','pg_toast')`,
      );
      return rows[0].n;
    });
  }
  const wal = await withClient(
    superuser.url,
    async (db) => (await db.query(`select (pg_current_wal_lsn() - '0/0')::float8 as n`)).rows[0].n,
  );
  const own = process.cpuUsage();
  return {
    bytes,
    wal,
    node: sum(ourPids().map(procCpu)) * 1000 + (own.user + own.system) / 1000,
    servers: (pgCpu() + procCpu(servers.nats.pid) + procCpu(servers.redis.pid)) * 1000,
  };
}

/** What is left in the outbox is not what a run leaves behind; two services have none. */
async function sentAll(service) {
  return await withClient(stack.databases[service], async (db) => {
    const { rows } = await db.query("select to_regclass('outbox') is null as none");
    return rows[0].none || (await db.query('select 1 from outbox limit 1')).rowCount === 0;
  });
}

async function finished(id, run) {
  await wait('the end', async () => (await ask(get, { run })).run.state === 'ended', 600_000);
  const { report } = await ask(getReport, { run, format: 'json' });
  return report.closing;
}

async function begin(id) {
  const ended = Promise.withResolvers();
  const { run } = await ask(start, {
    key: `peer-${id}`,
    question: PROMPT(id),
    corpus: id,
    policy: 'bench',
    model: 'fake',
  });
  const heard = bus.nc.subscribe(factSubject('runtime', run, 'RunEnded'), { callback: () => ended.resolve() });
  await bus.nc.flush();
  if ((await ask(get, { run })).run.state !== 'ended') await ended.promise;
  heard.unsubscribe();
  return await finished(id, run);
}

await main({
  name: 'waymark',
  pg: false,
  async setup() {
    servers = await startServers();
    model = await serveModel();
    const nats = {
      ...servers.nats,
      access: (user) => (user === undefined ? servers.nats.admin : servers.nats.access[user]),
    };
    stack = await startStack({
      servers: { postgres: superuser, nats, redis: servers.redis },
      model: { url: `http://127.0.0.1:${model.address().port}/v1`, name: 'fake', key: 'fake' },
    });
    bus = await Bus.connect({ ...nats.access(), name: 'peers' });
    if (args.mode !== 'resume') {
      for (const id of ids) await upload(id);
      for (const id of ids)
        await wait('documents', async () => (await ask(describeCorpus, { corpus: id })).ready === 2);
    }
    await findDocuments();
    hearTools();
    await withClient(superuser.url, (db) => db.query('checkpoint'));
    before = await read();
  },
  run: begin,
  // A start that was taken before is answered with the same run.
  resume: begin,
  async extra() {
    const cpu = await read();
    const rss =
      sum(ourPids().map(procRss)) + procRss(process.pid) + procRss(servers.nats.pid) + procRss(servers.redis.pid);
    for (const service of SERVICES) await wait(`the outbox of ${service}`, async () => await sentAll(service));
    const after = await read();
    return {
      cpu_ms: Math.round(cpu.node - before.node),
      pg_cpu_ms: Math.round(cpu.servers - before.servers),
      rss_mb: Math.round(rss),
      pg_bytes: after.bytes - before.bytes,
      wal_bytes: after.wal - before.wal,
    };
  },
  async teardown() {
    await bus?.close();
    await stack?.stop();
    model?.closeAllConnections();
    await endServers();
  },
});
