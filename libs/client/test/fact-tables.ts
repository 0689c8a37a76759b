/** Owners' tables behind a bare NATS connection: what a feed reads, with nothing of our services in between. */
import { connect, headers, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { jetstream } from '@nats-io/jetstream';
import { factSubject, factType } from '@waymark/contracts/streams';
import type { WaymarkEvent } from '@waymark/contracts/wire';
import { ensureStreams } from '@waymark/messaging';
import type { NatsAccess } from '@waymark/testing';

const OWNERS = ['runtime', 'budget', 'publication', 'reviewer'];

export class FactTables {
  readonly asked: string[] = [];
  private readonly events: WaymarkEvent[] = [];
  private ended = false;
  private readonly serving = new Map<string, Subscription>();

  private constructor(
    readonly nc: NatsConnection,
    readonly run: string,
  ) {}

  static async open(access: NatsAccess, run: string): Promise<FactTables> {
    const nc = await connect({ ...access, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    await ensureStreams(nc);
    const tables = new FactTables(nc, run);
    for (const owner of OWNERS) tables.serve(owner);
    nc.subscribe('waymark.runtime.v1.get', {
      callback: (_, msg) => {
        if (msg.json<{ run: string }>().run !== run) return tables.refuse(msg.respond.bind(msg));
        msg.respond(JSON.stringify({ run: { run, state: tables.ended ? 'ended' : 'running' } }));
      },
    });
    await nc.flush();
    return tables;
  }

  /** A fact in its owner's table, and on the stream too unless it gets lost. */
  async add(owner: string, name: string, how: 'published' | 'lost' | 'twice' = 'published'): Promise<WaymarkEvent> {
    const seq = this.events.filter((e) => e.owner === owner).length + 1;
    const at = new Date(1_764_500_000_000 + this.events.length).toISOString();
    const event = { owner, run: this.run, seq, at, type: factType(owner, name), data: { n: this.events.length } };
    this.events.push(event);
    if (name === 'RunEnded') this.ended = true;
    const copies = how === 'lost' ? 0 : how === 'twice' ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      await jetstream(this.nc).publish(factSubject(owner, this.run, name), JSON.stringify(event));
    }
    return event;
  }

  /** Its service goes away; what it has published stays on the stream. */
  leave(owner: string): void {
    this.serving.get(owner)?.unsubscribe();
  }

  private serve(owner: string): void {
    const subscription = this.nc.subscribe(`waymark.${owner}.v1.list-events`, {
      callback: (_, msg) => {
        const { run, after } = msg.json<{ run: string; after: number }>();
        this.asked.push(`${owner}>${after}`);
        const own = this.events.filter((e) => e.owner === owner && e.seq > after);
        if (run !== this.run || (owner !== 'runtime' && own.length + after === 0)) {
          return this.refuse(msg.respond.bind(msg));
        }
        const page = own.slice(0, 3); // pages are small, so that paging is seen
        msg.respond(JSON.stringify({ events: page, next: own.length > page.length ? page.at(-1)?.seq : null }));
      },
    });
    this.serving.set(owner, subscription);
  }

  private refuse(respond: (data: string, options: { headers: ReturnType<typeof headers> }) => unknown): void {
    const marked = headers();
    marked.set('Nats-Service-Error', 'unknown_run');
    respond(JSON.stringify({ code: 'unknown_run', message: 'no such run', remedy: 'list the runs' }), {
      headers: marked,
    });
  }
}
