/**
 * Waymark as a system in another language meets it: the bare NATS client, what docs/messages.md says, and nothing of ours.
 * Documents go up as raw chunks, JetStream is asked by its own JSON, and the connection breaks in the middle.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, createInbox, headers, type NatsConnection } from '@nats-io/transport-node';
import { tcpProxy, workspaceRoot, type TcpProxy } from '@waymark/testing';
import { startStack, type Stack } from '@waymark/testing/stack';
import { fits } from '../messages/fits.mjs';

type Json = Record<string, unknown>;
interface Event {
  readonly owner: string;
  readonly run: string;
  readonly seq: number;
  readonly type: string;
  readonly data: Json;
}

const OWNERS = ['runtime', 'publication', 'budget', 'reviewer'] as const;
const BUCKET = 'waymark-uploads';
const STREAM = 'WAYMARK_FACTS';
const CHUNK_BYTES = 128 * 1024;
const SILENCE_MS = 1_000;
const MOST_MS = 120_000;
const ORDER = {
  key: 'from-another-language',
  corpus: 'harbour',
  question: 'What was the ongoing charge of the Harbour Global Index Fund and of the Quay World Equity Fund in 2024?',
};
const FEES = 'Fund,Year,Ongoing charge\nHarbour Global Index Fund,2024,0.21 %\nQuay World Equity Fund,2024,0.35 %\n';
/** More than one chunk. */
const LONG = Array.from({ length: 6_000 }, (_, line) => `Line ${line} of a long note says nothing.`).join('\n');

let stack: Stack;
let proxy: TcpProxy;
/** The other system. */
let nc: NatsConnection;
/** The operator of NATS: watches, and makes the stream anew, for nothing can purge it. */
let operator: NatsConnection;

beforeAll(async () => {
  stack = await startStack({ fast: true });
  proxy = await tcpProxy({ port: Number(new URL(stack.nats.url).port) });
  const patient = { maxReconnectAttempts: -1, reconnectTimeWait: 50 };
  nc = await connect({ servers: proxy.through(stack.nats.url), ...patient }); // without credentials: a caller from outside
  operator = await connect({ ...stack.nats.access(), ...patient });
}, 180_000);
afterAll(async () => {
  await nc?.close();
  await operator?.close();
  await proxy?.stop();
  await stack?.stop();
}, 30_000);

async function ask(subject: string, request: Json, by: NatsConnection = nc): Promise<Json> {
  const reply = await by.request(subject, JSON.stringify(request), { timeout: 10_000 });
  const body = JSON.parse(new TextDecoder().decode(reply.data)) as Json;
  const code = reply.headers?.get('Nats-Service-Error') ?? '';
  if (code !== '') throw Object.assign(new Error(`${subject}: ${JSON.stringify(body)}`), { code });
  return body;
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + MOST_MS; ;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`);
    await pause(50);
  }
}

/** A document as bytes in the object store, by its chunk protocol, then into the corpus. */
async function upload(name: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const object = `${randomUUID()}/${name}`;
  const id = randomUUID().replaceAll('-', '');
  let chunks = 0;
  for (; chunks * CHUNK_BYTES < bytes.length; chunks += 1) {
    const chunk = bytes.subarray(chunks * CHUNK_BYTES, (chunks + 1) * CHUNK_BYTES);
    const stored = (await nc.request(`$O.${BUCKET}.C.${id}`, chunk, { timeout: 10_000 })).json<Json>();
    expect(stored).toMatchObject({ stream: `OBJ_${BUCKET}` });
  }
  const digest = `SHA-256=${createHash('sha256').update(bytes).digest('base64url')}=`;
  const info = { name: object, bucket: BUCKET, nuid: id, size: bytes.length, chunks, digest };
  const rollup = headers();
  rollup.set('Nats-Rollup', 'sub');
  const subject = `$O.${BUCKET}.M.${padded(Buffer.from(object).toString('base64url'))}`;
  await nc.request(subject, JSON.stringify(info), { timeout: 10_000, headers: rollup });
  await ask('waymark.sources.v1.add-document', {
    corpus: ORDER.corpus,
    name,
    object: { name: object, size: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') },
  });
}
const padded = (base64: string): string => base64 + '='.repeat((4 - (base64.length % 4)) % 4);

/** All events of one owner after a sequence, from its table. */
async function listed(owner: string, run: string, after: number, by: NatsConnection = nc): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor = after; ;) {
    const page = await ask(`waymark.${owner}.v1.list-events`, { run, after: cursor, limit: 7 }, by);
    events.push(...(page['events'] as Event[]));
    if (page['next'] === null) return events;
    cursor = Number(page['next']);
  }
}

/** Follows a run as the page says: live, and from the tables at first, at a gap, after a loss and in a silence. */
class Follower {
  readonly seen: Event[] = [];
  /** Events that came from the tables, not live: `<owner>/<seq>`. */
  readonly fromTables = new Set<string>();
  private readonly last = new Map<string, number>();
  private readonly heard: Event[] = [];
  private wake = (): void => undefined;

  constructor(private readonly run: string) {
    nc.subscribe(`waymark.facts.v1.*.${run}.>`, {
      callback: (_error, message) => {
        this.heard.push(JSON.parse(message.string()) as Event);
        this.wake();
      },
    });
  }

  async toTheEnd(): Promise<void> {
    for (const end = performance.now() + MOST_MS; performance.now() < end;) {
      const ended = this.seen.some(({ type }) => type.endsWith('.RunEnded'));
      const isFilled = await this.fill().catch(() => false); // the connection is away: again in a moment
      if (ended && isFilled) return;
      if (!isFilled) await pause(100);
      while (!this.take()) await this.silence();
    }
    throw new Error(`run ${this.run} did not end`);
  }

  /** Live events that follow on what was seen; true when the tables are to be read. */
  private take(): boolean {
    for (let event = this.heard.shift(); event; event = this.heard.shift()) {
      const last = this.last.get(event.owner) ?? 0;
      if (event.seq > last + 1) return true;
      if (event.seq === last + 1) this.add(event);
      if (event.type.endsWith('.RunEnded')) return true;
    }
    return performance.now() - this.quietSince > SILENCE_MS;
  }

  private async fill(): Promise<boolean> {
    for (const owner of OWNERS) {
      const events = await listed(owner, this.run, this.last.get(owner) ?? 0).catch((error: { code?: string }) => {
        if (error.code === 'unknown_run' && owner !== 'runtime') return [];
        throw error;
      });
      for (const event of events) {
        this.fromTables.add(`${event.owner}/${event.seq}`);
        this.add(event);
      }
    }
    this.quietSince = performance.now();
    return true;
  }

  private quietSince = performance.now();
  private add(event: Event): void {
    this.seen.push(event);
    this.last.set(event.owner, event.seq);
    this.quietSince = performance.now();
  }

  private async silence(): Promise<void> {
    const heard = new Promise<void>((resolve) => (this.wake = resolve));
    await Promise.race([heard, pause(SILENCE_MS)]);
  }
}

describe('a system in another language', () => {
  let run: string;
  let follower: Follower;
  let tables: Event[];
  /** What the runtime recorded after this sequence was published while the viewer was away. */
  let cutAfter: number;

  beforeAll(async () => {
    await upload('fees.csv', FEES);
    await upload('long-note.txt', LONG);
    await until('the documents to be parsed', async () => {
      const { pending, ready } = await ask('waymark.sources.v1.describe-corpus', { corpus: ORDER.corpus });
      return pending === 0 && ready === 2 ? true : undefined;
    });
    await latency(3_000); // so that the run is still going when the connection is cut
    run = String((await ask('waymark.runtime.v1.start', ORDER))['run']);
    follower = new Follower(run);
    const following = follower.toTheEnd();
    await until('three events', async () => (follower.seen.length >= 3 ? true : undefined));
    let published = 0;
    operator.subscribe(`waymark.facts.v1.runtime.${run}.>`, {
      callback: (_error, message) => void (published = message.json<Event>().seq),
    });
    await operator.flush();
    proxy.refuse();
    await latency(100);
    cutAfter = Number(((await ask('waymark.runtime.v1.get', { run }, operator))['run'] as Json)['seq']);
    await until('the run to go on without its viewer', async () => (published >= cutAfter + 2 ? true : undefined));
    proxy.heal();
    await following;
    tables = (await Promise.all(OWNERS.map(async (owner) => await listed(owner, run, 0, operator)))).flat();
  }, 240_000);

  const of = (events: readonly Event[], owner: string): Event[] => events.filter((event) => event.owner === owner);

  it('L14, F-T6: follows its run through a lost connection: every event of every owner once, in order, without a gap', () => {
    expect([...follower.fromTables]).toContain(`runtime/${cutAfter + 1}`);
    for (const owner of OWNERS.filter((one) => one !== 'reviewer')) {
      const own = of(follower.seen, owner);
      expect([owner, own.length > 0]).toEqual([owner, true]);
      expect(own.map(({ seq }) => seq)).toEqual(own.map((_, i) => i + 1));
      expect(own).toEqual(of(tables, owner).slice(0, own.length));
    }
    expect(of(follower.seen, 'runtime')).toEqual(of(tables, 'runtime'));
    expect(of(follower.seen, 'runtime').at(-1)?.type).toBe('waymark.runtime.fact.v1.RunEnded');
  });

  it('every event is what asyncapi.json says', () => {
    const faults = fits(JSON.parse(readFileSync(join(workspaceRoot(), 'docs/asyncapi.json'), 'utf8')) as object);
    const messageOf = ({ owner, type }: Event): string => `facts.${owner}.${type.slice(type.lastIndexOf('.') + 1)}`;
    expect(tables.flatMap((event) => faults(messageOf(event), event))).toEqual([]);
    const [first] = tables;
    expect(first && faults(messageOf(first), { ...first, data: {} })).not.toEqual([]);
  });

  it('L6: starting again with the same key names the same run and starts nothing', async () => {
    expect(await ask('waymark.runtime.v1.start', ORDER)).toMatchObject({ run, created: false, state: 'ended' });
  });

  it('P7, E1: fetches the report and the explanation of every request', async () => {
    const { report, rendered } = await ask('waymark.publication.v1.report', { run, format: 'markdown' });
    expect(report).toMatchObject({ run, state: 'closed', outcome: 'completed' });
    expect(String(rendered)).toContain('0.21');
    expect(String(rendered)).toContain('0.35');
    const requests: Json[] = [];
    for (let after: unknown = 0; after !== null;) {
      const page = await ask('waymark.runtime.v1.explain', { run, after, limit: 2 });
      requests.push(...(page['requests'] as Json[]));
      after = page['next'];
    }
    const intended = of(tables, 'runtime').filter(({ type }) => type.endsWith('.RequestIntended'));
    expect(requests.map(({ digest }) => digest)).toEqual(intended.map(({ data }) => data['digest']));
  });

  it('L14: replays the stream by a consumer of its own, asked for in JetStream’s own JSON', async () => {
    const inbox = createInbox();
    const replayed: Event[] = [];
    const listening = nc.subscribe(inbox, {
      callback: (_error, message) => void replayed.push(JSON.parse(message.string()) as Event),
    });
    const filter = `waymark.facts.v1.*.${run}.>`;
    const made = await ask(`$JS.API.CONSUMER.CREATE.${STREAM}.replay.${filter}`, {
      stream_name: STREAM,
      config: {
        name: 'replay',
        deliver_subject: inbox,
        filter_subject: filter,
        deliver_policy: 'all',
        ack_policy: 'none',
        replay_policy: 'instant',
        mem_storage: true,
        inactive_threshold: 60e9,
      },
    });
    expect(made['error']).toBeUndefined();
    const key = ({ owner, seq }: Event): string => `${owner}/${String(seq).padStart(5, '0')}`;
    const wanted = [...new Set(tables.map(key))].sort();
    await until('the whole run from the stream', async () =>
      new Set(replayed.map(key)).size >= wanted.length ? true : undefined,
    );
    listening.unsubscribe();
    expect([...new Set(replayed.map(key))].sort()).toEqual(wanted);
  });

  it('L14: reads all of it past the stream’s retention: events, report and explanation', async () => {
    const { config } = await ask(`$JS.API.STREAM.INFO.${STREAM}`, {}, operator);
    expect(await ask(`$JS.API.STREAM.DELETE.${STREAM}`, {}, operator)).toMatchObject({ success: true });
    const { state } = await ask(`$JS.API.STREAM.CREATE.${STREAM}`, config as Json, operator);
    expect(state).toMatchObject({ messages: 0 });
    for (const owner of OWNERS) expect(await listed(owner, run, 0)).toEqual(of(tables, owner));
    const middle = Math.floor(of(tables, 'runtime').length / 2);
    expect(await listed('runtime', run, middle)).toEqual(of(tables, 'runtime').slice(middle));
    expect(await ask('waymark.publication.v1.report', { run })).toMatchObject({ report: { state: 'closed' } });
    expect(await ask('waymark.runtime.v1.explain', { run, request: 1 })).toMatchObject({ requests: [{ request: 1 }] });
  });
});

async function latency(ms: number): Promise<void> {
  const response = await fetch(`${stack.practiceUrl ?? ''}/control/latency`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ms }),
  });
  if (!response.ok) throw new Error(`practice model: ${await response.text()}`);
  await response.arrayBuffer();
}
